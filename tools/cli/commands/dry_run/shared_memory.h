// SharedMemory: who held what of the GPUs that all processes of a dry run shared (--shared), in the
// order of their calls, from the log that the stand-ins wrote (tools/cuda_standins/model).
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "allocator/types/bytes_and_ids.h"

namespace vramlab::tools {

/// Memory of each process at a moment, its context included.
using HeldByProcess = std::map<std::int64_t, Bytes>;

struct SharedEvent {
  /// From the first event on.
  std::uint64_t time_us = 0;
  std::int64_t process = 0;
  /// took, gave, refused or ended.
  std::string use;
  Bytes bytes;
  /// By the process from here on, and by all.
  Bytes held;
  Bytes held_by_all;
};

/// A request that found too little memory. PyTorch may have released some of its own and asked
/// again.
struct SharedRefusal {
  std::uint64_t time_us = 0;
  std::int64_t process = 0;
  Bytes bytes;
  HeldByProcess held;
};

struct SharedDevice {
  std::uint32_t index = 0;
  Bytes peak;
  std::uint64_t peak_time_us = 0;
  HeldByProcess held_at_peak;
  std::vector<SharedRefusal> refusals;
  std::vector<SharedEvent> events;
};

struct SharedMemory {
  std::vector<SharedDevice> devices;
  /// The beginnings of the command lines.
  std::map<std::int64_t, std::string> processes;

  bool is_empty() const { return devices.empty(); }
};

/// Empty where there is no log. Lines that are cut are left out.
SharedMemory read_shared_memory(const std::string& folder);

/// Refusals and ends, and each change of at least a share of the peak since the process's last one
/// here; about as many as `most`.
std::vector<SharedEvent> main_events(const SharedDevice& device, std::size_t most);

/// Lines of a summary.
void add_shared(std::string& text, const SharedMemory& shared);
/// The merged time line, a table for each GPU; small changes are left out.
std::string shared_timeline_text(const SharedMemory& shared);
nlohmann::ordered_json shared_json(const SharedMemory& shared);

}  // namespace vramlab::tools
