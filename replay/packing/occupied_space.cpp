#include "replay/packing/occupied_space.h"

#include <algorithm>
#include <bit>

#include "replay/packing/free_ranges.h"

namespace vramlab::replay {
namespace {

/// The nodes that make up the span, and through `above` all that lie above one of them.
template <typename Node, typename Above>
void for_nodes(SectionSpan span, std::size_t leaf_count, Node node, Above above) {
  std::size_t left = span.first + leaf_count;
  std::size_t right = span.last + leaf_count;
  const std::size_t first = left;
  const std::size_t last = right - 1;
  for (; left < right; left /= 2, right /= 2) {
    if (left % 2 == 1) node(left++);
    if (right % 2 == 1) node(--right);
  }
  // What lies above the nodes lies above the first or the last leaf, or is a part of the span.
  for (std::size_t at = first / 2; at > 0; at /= 2) above(at);
  std::size_t other = first / 2;
  for (std::size_t at = last / 2; at != other; at /= 2, other /= 2) above(at);
}

}  // namespace

OccupiedSpace::OccupiedSpace(std::size_t section_count)
    : leaf_count_(std::bit_ceil(std::max<std::size_t>(section_count, 1))),
      taken_throughout_(leaf_count_ * 2),
      taken_somewhere_(leaf_count_ * 2) {}

void OccupiedSpace::add(Ranges& ranges, Range added) {
  const auto first = std::ranges::lower_bound(ranges, added.begin, {}, &Range::end);
  auto last = first;
  while (last != ranges.end() && last->begin <= added.end) {
    added.begin = std::min(added.begin, last->begin);
    added.end = std::max(added.end, last->end);
    ++last;
  }
  if (first == last) {
    ranges.insert(first, added);
    return;
  }
  *first = added;
  ranges.erase(first + 1, last);
}

void OccupiedSpace::take(SectionSpan span, std::uint64_t begin, std::uint64_t end) {
  const Range range{begin, end};
  for_nodes(
      span, leaf_count_,
      [&](std::size_t node) {
        add(taken_throughout_[node], range);
        add(taken_somewhere_[node], range);
      },
      [&](std::size_t node) { add(taken_somewhere_[node], range); });
}

void OccupiedSpace::gather(SectionSpan span, std::vector<Cursor>& cursors) const {
  const auto note = [&](const Ranges& ranges) {
    if (!ranges.empty()) cursors.push_back({ranges.data(), ranges.data() + ranges.size()});
  };
  for_nodes(
      span, leaf_count_, [&](std::size_t node) { note(taken_somewhere_[node]); },
      [&](std::size_t node) { note(taken_throughout_[node]); });
}

std::uint64_t OccupiedSpace::end_of_conflict(Cursor& cursor, Range wanted) {
  const Range* const end = cursor.end;
  const Range* at = cursor.next;
  // What comes next is mostly near.
  for (std::ptrdiff_t step = 1; at != end && at->end <= wanted.begin; step *= 2) {
    const Range* const ahead = at + std::min(step, end - at);
    if (ahead == end || ahead->end > wanted.begin) {
      at = std::upper_bound(at, ahead, wanted.begin, [](std::uint64_t offset, const Range& range) {
        return offset < range.end;
      });
      break;
    }
    at = ahead;
  }
  cursor.next = at;
  ++work_;
  if (at == end || at->begin >= wanted.end) return wanted.begin;
  const std::uint64_t size = wanted.end - wanted.begin;
  std::uint64_t free_from = at->end;
  // Holes that are too small here need no look elsewhere.
  for (++at; at != end && at->begin < free_from + size; ++at) free_from = at->end;
  work_ += static_cast<std::uint64_t>(at - cursor.next);
  cursor.next = at;
  return free_from;
}

std::uint64_t OccupiedSpace::lowest_fit(SectionSpan span, std::uint64_t size,
                                        std::uint64_t alignment) {
  std::vector<Cursor> cursors;
  gather(span, cursors);
  std::uint64_t offset = 0;
  // Done when all lists in a row have nothing in the way.
  std::size_t agreed = 0;
  for (std::size_t i = 0; agreed < cursors.size(); i = (i + 1) % cursors.size()) {
    const std::uint64_t end = end_of_conflict(cursors[i], {offset, offset + size});
    if (end == offset) {
      ++agreed;
      continue;
    }
    offset = aligned_up(end, alignment);
    agreed = 0;
  }
  return offset;
}

}  // namespace vramlab::replay
