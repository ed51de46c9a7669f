// PolicyRun: a policy serves the requests and frees of a device's history on a simulated device,
// and a checker beside it knows the rules of every policy. Frees come when other streams are done
// with the block.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "replay/metrics/metrics.h"
#include "replay/packing/lifetimes.h"
#include "replay/packing/policies.h"

namespace vramlab::replay {

/// The rules of every policy, whatever its idea is. The checker keeps its own book of live blocks
/// and their memory.
class PolicyChecker {
 public:
  /// Notes that the next request was served with this memory. Returns a sentence about the first
  /// fault: memory that is too small, that another block has, or more than the device gave.
  std::optional<std::string> served(const PolicyRequest& request,
                                    const std::vector<streams::AddressRange>& memory,
                                    Bytes taken_of_device);
  /// Notes that the block is freed. Returns a sentence where it was not live.
  std::optional<std::string> freed(std::uint64_t id);

  std::size_t live_count() const { return blocks_.size(); }

 private:
  std::optional<std::string> fault_of(std::uint64_t id, streams::AddressRange range) const;

  struct Owned {
    std::uint64_t end = 0;
    std::uint64_t id = 0;
  };
  /// By first address.
  std::map<std::uint64_t, Owned> taken_;
  std::uint64_t taken_bytes_ = 0;
  /// Looked up only.
  std::unordered_map<std::uint64_t, std::vector<streams::AddressRange>> blocks_;
};

struct PolicyRun {
  std::string_view policy;
  bool is_in_pytorch = false;
  /// The metrics that every policy has.
  MetricValues metrics;
  /// The share of the peak of reserved memory that no live request had asked for, in millionths.
  std::int64_t unused_at_peak = 0;
  PolicyReport report;
};

struct PolicyTask {
  const DeviceLifetimes& lifetimes;
  /// How many requests were made before each end of an iteration; blocks from before the first
  /// event do not count.
  std::vector<std::uint64_t> iteration_ends;
  Bytes memory;
  /// Whether the program's own changes of options count.
  bool tells_options = true;
};

/// A policy that breaks a rule is our own mistake and stops.
PolicyRun run_policy(const PolicyRow& row, const PolicyTask& task,
                     const PolicyConditions& conditions);

}  // namespace vramlab::replay
