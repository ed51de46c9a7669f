// Growth: the call sites that hold more and more from iteration to iteration, and how much more.
// find_growth() follows a recording once, after its iterations are found.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "replay/call_sites/call_sites.h"
#include "replay/call_sites/iterations.h"

namespace vramlab::replay {

/// Growth cannot be told from fewer ends of iterations.
inline constexpr std::size_t least_iteration_ends = 4;

/// The beginning of the steady part of a series; empty if it does not grow steadily to its end:
/// * the first part of the series (a quarter; of three steps one) may do anything: warm-up;
/// * each later part grows at least half as fast as the second half of them does;
/// * memory that goes away again on the way is at most a tenth of the memory that comes.
std::optional<std::size_t> steady_from(std::span<const std::int64_t> series);

struct GrowingSite {
  std::string key;
  traces::StackId sample_stack;
  /// Over the steady part.
  std::uint64_t iterations = 0;
  Bytes grown;
  std::int64_t grown_blocks = 0;
  /// At the last end of an iteration.
  Bytes held;
  std::int64_t held_blocks = 0;

  double bytes_per_iteration() const {
    return static_cast<double>(grown.count) / static_cast<double>(iterations);
  }
};

struct DeviceGrowth {
  std::int64_t device = 0;
  std::uint64_t iterations = 0;
  /// Sites that add most come first.
  std::vector<GrowingSite> sites;
  /// At the first and the last end of an iteration that was looked at, of all sites.
  Bytes held_first;
  Bytes held_last;
};

struct FoundGrowth {
  /// It has no source if iterations can't be told.
  IterationRule rule;
  std::vector<DeviceGrowth> devices;
};

/// A rule without a source is looked for, in one more pass. Throws InputError.
FoundGrowth find_growth(Recording& recording, const IterationRule& told);

}  // namespace vramlab::replay
