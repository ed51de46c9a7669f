#include "replay/packing/free_ranges.h"

#include <iterator>

#include "allocator/types/check.h"

namespace vramlab::replay {

std::uint64_t aligned_up(std::uint64_t offset, std::uint64_t alignment) {
  return alignment == 1 ? offset : (offset + alignment - 1) / alignment * alignment;
}

void FreeRanges::insert(FreeRange range) {
  by_address_.emplace(range.begin, range.end);
  by_key_.emplace(key_(range.size()), range.begin);
}

void FreeRanges::erase(FreeRange range) {
  by_address_.erase(range.begin);
  by_key_.erase({key_(range.size()), range.begin});
}

void FreeRanges::give_back(FreeRange range, FreeRange borders) {
  const auto above = by_address_.lower_bound(range.begin);
  if (above != by_address_.begin()) {
    const auto below = std::prev(above);
    check(below->second <= range.begin, "what is given back is not free");
    if (below->second == range.begin && below->first >= borders.begin) {
      const FreeRange joined{below->first, below->second};
      erase(joined);
      range.begin = joined.begin;
    }
  }
  const auto next = by_address_.lower_bound(range.begin);
  if (next != by_address_.end()) {
    check(next->first >= range.end, "what is given back is not free");
    if (next->first == range.end && next->second <= borders.end) {
      const FreeRange joined{next->first, next->second};
      erase(joined);
      range.end = joined.end;
    }
  }
  insert(range);
}

void FreeRanges::take(FreeRange range) {
  auto at = by_address_.upper_bound(range.begin);
  check(at != by_address_.begin(), "what is taken is free");
  --at;
  const FreeRange whole{at->first, at->second};
  check(whole.end >= range.end, "what is taken is free");
  erase(whole);
  if (whole.begin < range.begin) insert({whole.begin, range.begin});
  if (range.end < whole.end) insert({range.end, whole.end});
}

std::optional<FreeRange> FreeRanges::best_fit(std::uint64_t size, std::uint64_t alignment) const {
  for (auto at = by_key_.lower_bound({key_(size), 0}); at != by_key_.end(); ++at) {
    const FreeRange range{at->second, by_address_.at(at->second)};
    const std::uint64_t begin = aligned_up(range.begin, alignment);
    if (begin <= range.end && range.end - begin >= size) return range;
  }
  return std::nullopt;
}

std::optional<FreeRange> FreeRanges::first_of_key(std::uint64_t key) const {
  const auto at = by_key_.lower_bound({key, 0});
  if (at == by_key_.end()) return std::nullopt;
  return FreeRange{at->second, by_address_.at(at->second)};
}

/// Looks by turns at all ranges by address and at those of enough size, until one list is through:
/// either many ranges fit, and a low one comes soon, or few do.
std::optional<FreeRange> FreeRanges::first_fit(std::uint64_t size) const {
  auto at = by_address_.begin();
  auto large = by_key_.lower_bound({key_(size), 0});
  std::optional<FreeRange> lowest;
  for (; at != by_address_.end() && large != by_key_.end(); ++at, ++large) {
    if (at->second - at->first >= size) return FreeRange{at->first, at->second};
    if (lowest && large->second >= lowest->begin) continue;
    const FreeRange range{large->second, by_address_.at(large->second)};
    if (range.size() >= size) lowest = range;
  }
  if (large == by_key_.end()) return lowest;
  return std::nullopt;
}

bool FreeRanges::is_free(FreeRange range) const {
  auto at = by_address_.upper_bound(range.begin);
  if (at == by_address_.begin()) return false;
  --at;
  return at->second >= range.end;
}

}  // namespace vramlab::replay
