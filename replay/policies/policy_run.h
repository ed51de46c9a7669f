// PolicyRun: the requests and frees of a device's history, given to a policy on a simulated device,
// with a checker beside it. Frees come when other streams are done with the block.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "replay/figures/metrics.h"
#include "replay/packing/lifetimes.h"
#include "replay/policies/policy.h"

namespace vramlab::replay {

struct PolicyRun {
  std::string_view policy;
  bool is_in_pytorch = false;
  /// Those that every policy has.
  MetricValues metrics;
  /// Of what was reserved when most was: the share that no live request had asked for, in
  /// millionths.
  std::int64_t unused_at_peak = 0;
  PolicyReport report;
};

struct PolicyTask {
  const DeviceLifetimes& lifetimes;
  /// How many requests were made before each end of an iteration; what was there before the first
  /// event is none.
  std::vector<std::uint64_t> iteration_ends;
  allocator::Bytes memory;
  /// Whether the program's own changes of options count.
  bool tells_options = true;
};

/// A policy that breaks a rule is our own mistake and stops.
PolicyRun run_policy(const PolicyRow& row, const PolicyTask& task,
                     const PolicyConditions& conditions);

}  // namespace vramlab::replay
