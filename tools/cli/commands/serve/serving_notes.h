// ServingNotes: the marks at an inference engine's functions and the figures that its own objects
// have, as the hook for Python told them of one process (tools/cuda_standins/python, phases.py).
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "allocator/types/bytes_and_ids.h"

namespace vramlab::tools {

/// The beginning or the end of a phase, such as `load`.
struct ServingMark {
  std::string phase;
  bool is_end = false;
  /// The size that a graph is captured for, such as `full 512`; empty if nobody knows.
  std::string label;
  std::int64_t device = 0;
  /// The number of entries of the device's history before it.
  std::uint64_t before = 0;
  /// PyTorch's own counters then.
  Bytes allocated;
  Bytes reserved;
  /// In use on the device without what PyTorch has reserved. Less than nothing where PyTorch counts
  /// memory that is not the device's, such as reserved addresses.
  std::optional<std::int64_t> outside;
};

/// Figures of the engine by name; those that it did not have are missing.
struct EngineFigures {
  nlohmann::ordered_json values = nlohmann::ordered_json::object();

  std::optional<std::uint64_t> count(const char* name) const;
  std::optional<double> number(const char* name) const;
  /// Empty if it is not known.
  std::string text(const char* name) const;
};

struct ServingNotes {
  /// Empty if no engine that is known was seen.
  std::string engine;
  std::string version;
  /// Names that this version of the engine does not have.
  std::vector<std::string> missing;
  EngineFigures says;
  std::vector<ServingMark> marks;
  /// The innermost phase that an error ended; empty without one.
  std::string failed_in;
  bool is_ready = false;
};

/// Values of a wrong type are left out.
ServingNotes serving_notes(const nlohmann::ordered_json& told);

}  // namespace vramlab::tools
