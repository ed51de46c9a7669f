// Synthetic workloads: programs shaped like what people run, written event by event, so that a
// program of any length is made in the same little memory. The same name, seed and sizes give the
// same events on every machine. docs/guide/recordings.md says what each of them models.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "traces/model/program_event.h"
#include "traces/model/snapshot_tables.h"

namespace vramlab::traces {

struct WorkloadRun;

/// A size that a workload can be given; a size from 0 to 1 is a switch.
struct WorkloadOption {
  std::string_view name;
  std::string_view meaning;
  std::uint64_t usual = 0;
  std::uint64_t least = 1;
  std::uint64_t most = 1;

  constexpr bool is_switch() const { return least == 0 && most == 1; }
};

/// The memory that a workload asks for.
enum class WorkloadMemory : std::uint8_t { device, device_and_host };

struct Workload {
  std::string_view name;
  std::string_view description;
  std::span<const WorkloadOption> options;
  void (*write)(WorkloadRun& run);
  WorkloadMemory memory = WorkloadMemory::device;
};

/// All of them, in the order in which they are listed.
std::span<const Workload> workloads();

struct WorkloadRequest {
  std::string name;
  std::uint64_t seed = 1;
  /// About how many: a step that was begun is ended.
  std::uint64_t event_count = 100'000;
  /// By option; an option without an entry has its usual size.
  std::map<std::string, std::uint64_t, std::less<>> sizes{};
};

/// The tables are those of the sink's owner. Throws InputError, before anything is written, where
/// there is no such workload, it has no such option, or a size is out of its range.
void generate_workload(const WorkloadRequest& request, SnapshotTables& tables, ProgramSink& sink);

}  // namespace vramlab::traces
