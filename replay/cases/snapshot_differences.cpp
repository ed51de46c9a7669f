#include "replay/cases/snapshot_differences.h"

#include <algorithm>
#include <vector>

#include "replay/cases/difference_text.h"

namespace vramlab::replay {
namespace {

using namespace allocator;

/// The first place where two lists differ, with "nothing" for one that has ended.
template <typename Item>
std::optional<SnapshotDifference> first_difference(const std::vector<Item>& expected,
                                                   const std::vector<Item>& actual) {
  const auto [left, right] = std::ranges::mismatch(expected, actual);
  if (left == expected.end() && right == actual.end()) return std::nullopt;
  SnapshotDifference difference;
  difference.where = "[" + std::to_string(left - expected.begin()) + "]";
  difference.expected = left == expected.end() ? "nothing" : text_of(*left);
  difference.actual = right == actual.end() ? "nothing" : text_of(*right);
  difference.address = left == expected.end() ? right->address : left->address;
  return difference;
}

SnapshotSegment without_blocks(SnapshotSegment segment) {
  segment.blocks.clear();
  return segment;
}

}  // namespace

std::optional<SnapshotDifference> find_difference(const Snapshot& expected,
                                                  const Snapshot& actual) {
  auto difference = first_difference(expected.segments, actual.segments);
  if (!difference) return std::nullopt;
  const auto [left, right] = std::ranges::mismatch(expected.segments, actual.segments);
  // The segments themselves say more than their first differing blocks, where they differ.
  if (left == expected.segments.end() || right == actual.segments.end() ||
      without_blocks(*left) != without_blocks(*right))
    return difference;
  const auto in_blocks = first_difference(left->blocks, right->blocks);
  return SnapshotDifference{difference->where + ".blocks" + in_blocks->where, in_blocks->expected,
                            in_blocks->actual, in_blocks->address};
}

}  // namespace vramlab::replay
