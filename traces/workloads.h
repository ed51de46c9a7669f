// Synthetic workloads: programs of mallocs and frees shaped like what people run. The same name,
// seed and size give the same calls everywhere.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "traces/recorded_case.h"

namespace vramlab::traces {

struct WorkloadOptions {
  std::uint64_t seed = 1;
  /// About how many calls.
  std::uint64_t call_count = 100'000;
};

std::span<const std::string_view> workload_names();
std::string_view workload_description(std::string_view name);

/// Requires: a name of the list.
RecordedProgram make_workload(std::string_view name, const WorkloadOptions& options);

}  // namespace vramlab::traces
