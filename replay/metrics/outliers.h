// Outliers: figures of like things, such as the peaks of a job's ranks, that lie far from the
// others. Far is more than three usual deviations from the median, by the median of deviations,
// which a few outliers do not move, and at least a hundredth of the median. Fewer than four figures
// have no outliers.
#pragma once

#include <cstdint>
#include <vector>

namespace vramlab::replay {

/// The lower one of the two in the middle; 0 without values.
std::uint64_t median_of(std::vector<std::uint64_t> values);

/// The figures between which values are usual, both included.
struct UsualRange {
  std::uint64_t least = 0;
  std::uint64_t most = UINT64_MAX;
  bool has(std::uint64_t value) const { return value >= least && value <= most; }
};

UsualRange usual_range_of(const std::vector<std::uint64_t>& values);

}  // namespace vramlab::replay
