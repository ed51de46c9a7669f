#include "streams/memory/free_ranges.h"

#include <iterator>

#include "allocator/types/check.h"

namespace vramlab::streams {

std::optional<AddressRange> FreeRanges::first_from(const BySize& by_size,
                                                   BySize::const_iterator at) {
  if (at == by_size.end()) return std::nullopt;
  const Address begin = *at->second.begin();
  return AddressRange{begin, begin + at->first};
}

std::optional<AddressRange> FreeRanges::smallest_with(Bytes size) const {
  return first_from(by_size_, by_size_.lower_bound(size));
}

std::optional<AddressRange> FreeRanges::next_larger(AddressRange range) const {
  const auto as_large = by_size_.find(range.size());
  check(as_large != by_size_.end(), "what others follow is free");
  const auto next = as_large->second.upper_bound(range.begin);
  if (next == as_large->second.end()) return first_from(by_size_, std::next(as_large));
  return AddressRange{*next, *next + range.size()};
}

std::optional<AddressRange> FreeRanges::highest_with(Bytes size) const {
  std::optional<AddressRange> found;
  for (auto those = by_size_.lower_bound(size); those != by_size_.end(); ++those) {
    const Address begin = *those->second.rbegin();
    if (!found || begin > found->begin) found = AddressRange{begin, begin + those->first};
  }
  return found;
}

void FreeRanges::add(AddressRange range) {
  auto after = end_of_.lower_bound(range.begin);
  check(!range.is_empty() && (after == end_of_.end() || range.end <= after->first),
        "memory becomes free once");
  if (after != end_of_.end() && after->first == range.end) {
    const AddressRange behind{after->first, after->second};
    range.end = behind.end;
    erase(behind);
    after = end_of_.lower_bound(range.begin);
  }
  if (after != end_of_.begin() && std::prev(after)->second == range.begin) {
    const AddressRange before{std::prev(after)->first, range.begin};
    range.begin = before.begin;
    erase(before);
  }
  insert(range);
}

void FreeRanges::take(AddressRange range) {
  const auto after = end_of_.upper_bound(range.begin);
  check(after != end_of_.begin() && range.end <= std::prev(after)->second, "what is taken is free");
  const AddressRange whole{std::prev(after)->first, std::prev(after)->second};
  erase(whole);
  if (whole.begin < range.begin) insert({whole.begin, range.begin});
  if (range.end < whole.end) insert({range.end, whole.end});
}

void FreeRanges::insert(AddressRange range) {
  end_of_[range.begin] = range.end;
  by_size_[range.size()].insert(range.begin);
}

void FreeRanges::erase(AddressRange range) {
  end_of_.erase(range.begin);
  const auto found = by_size_.find(range.size());
  found->second.erase(range.begin);
  if (found->second.empty()) by_size_.erase(found);
}

}  // namespace vramlab::streams
