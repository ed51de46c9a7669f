// WorkloadRun: what a workload is given to write itself with: a writer, random numbers, its sizes,
// and how long to go on.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "traces/workloads/workload.h"
#include "traces/workloads/workload_writer.h"

namespace vramlab::traces {

/// Each option of the workload with its size.
using WorkloadSizes = std::map<std::string_view, std::uint64_t>;

struct WorkloadRun {
  WorkloadWriter& writer;
  WorkloadRandom random;
  WorkloadSizes sizes;
  std::uint64_t event_limit = 0;

  /// Requires: the workload has this option.
  std::uint64_t size_of(std::string_view option) const { return sizes.at(option); }

  /// Calls `iteration(number)` from 1 on, each in a range such as `step 12`, until there are so
  /// many events: once at least.
  template <typename Iteration>
  void repeat(std::string_view what, const Iteration& iteration) {
    for (std::uint64_t number = 1; number == 1 || writer.event_count() < event_limit; ++number)
      writer.in_range(std::string(what) + " " + std::to_string(number), [&] { iteration(number); });
  }
};

// The workloads themselves, each in a file of its own.
Workload training_workload();
Workload serving_workload();
Workload experts_workload();
Workload diffusion_workload();
Workload graphs_workload();
Workload leak_workload();
Workload fragments_workload();
Workload dataloader_workload();

}  // namespace vramlab::traces
