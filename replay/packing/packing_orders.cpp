#include "replay/packing/packing_orders.h"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <limits>
#include <tuple>

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

  // The nodes above lie above the first or the last leaf, or are a part of the span.
  for (std::size_t at = first / 2; at > 0; at /= 2) above(at);
  std::size_t other = first / 2;
  for (std::size_t at = last / 2; at != other; at /= 2, other /= 2) above(at);
}

/// The offsets that are taken in each section of time, and the lowest offset that is free through a
/// span of them.
///
/// It is a tree over the sections. A node knows the offsets that are taken throughout its sections,
/// and those taken in any of them; taken ranges that touch are one. So a search looks at a few
/// lists for each level of the tree, whatever number of buffers lies beside the span.
class OccupiedSpace {
 public:
  explicit OccupiedSpace(std::size_t section_count)
      : leaf_count_(std::bit_ceil(std::max<std::size_t>(section_count, 1))),
        taken_throughout_(leaf_count_ * 2),
        taken_somewhere_(leaf_count_ * 2) {}

  /// The lowest free offset, a multiple of `alignment`. Requires: the span is not empty, size and
  /// alignment are not 0.
  std::uint64_t lowest_fit(SectionSpan span, std::uint64_t size, std::uint64_t alignment) {
    std::vector<Cursor> cursors;
    gather(span, cursors);
    std::uint64_t offset = 0;
    // The search is done when no list in a row has a range in the way.
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

  void take(SectionSpan span, std::uint64_t begin, std::uint64_t end) {
    const Range range{begin, end};
    for_nodes(
        span, leaf_count_,
        [&](std::size_t node) {
          add(taken_throughout_[node], range);
          add(taken_somewhere_[node], range);
        },
        [&](std::size_t node) { add(taken_somewhere_[node], range); });
  }

  /// How many ranges searches looked at so far.
  std::uint64_t work() const { return work_; }

 private:
  struct Range {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };
  /// Ascending, none touches another.
  using Ranges = std::vector<Range>;
  struct Cursor {
    const Range* next = nullptr;
    const Range* end = nullptr;
  };

  static void add(Ranges& ranges, Range added) {
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

  /// The beginning of the first hole that is as large as `wanted` and not below it; without a
  /// conflict it is the begin of `wanted`.
  std::uint64_t end_of_conflict(Cursor& cursor, Range wanted) {
    const Range* const end = cursor.end;
    const Range* at = cursor.next;
    // The next range is mostly near.
    for (std::ptrdiff_t step = 1; at != end && at->end <= wanted.begin; step *= 2) {
      const Range* const ahead = at + std::min(step, end - at);
      if (ahead == end || ahead->end > wanted.begin) {
        at = std::upper_bound(
            at, ahead, wanted.begin,
            [](std::uint64_t offset, const Range& range) { return offset < range.end; });
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

  void gather(SectionSpan span, std::vector<Cursor>& cursors) const {
    const auto note = [&](const Ranges& ranges) {
      if (!ranges.empty()) cursors.push_back({ranges.data(), ranges.data() + ranges.size()});
    };
    for_nodes(
        span, leaf_count_, [&](std::size_t node) { note(taken_somewhere_[node]); },
        [&](std::size_t node) { note(taken_throughout_[node]); });
  }

  std::size_t leaf_count_ = 1;
  std::uint64_t work_ = 0;
  /// By node; the root is 1, the children of n are 2n and 2n + 1.
  std::vector<Ranges> taken_throughout_;
  std::vector<Ranges> taken_somewhere_;
};

using Keys = std::vector<std::uint64_t>;

std::uint64_t duration_of(const Buffer& buffer) { return buffer.end - buffer.begin; }

template <class Of, class KeyOf>
Keys keys_of(const std::vector<Of>& rows, const KeyOf& key_of) {
  Keys keys;
  keys.reserve(rows.size());
  for (const Of& row : rows) keys.push_back(key_of(row));
  return keys;
}

Keys by_size(const std::vector<Buffer>& buffers, const Sections&) {
  return keys_of(buffers, [](const Buffer& buffer) { return buffer.size.count; });
}

Keys by_duration(const std::vector<Buffer>&, const Sections& sections) {
  return keys_of(sections.spans, [](SectionSpan span) { return span.last - span.first; });
}

Keys by_area(const std::vector<Buffer>& buffers, const Sections& sections) {
  Keys keys;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const std::uint64_t sections_long = sections.spans[i].last - sections.spans[i].first;
    std::uint64_t area = 0;
    if (__builtin_mul_overflow(buffers[i].size.count, sections_long, &area))
      area = std::numeric_limits<std::uint64_t>::max();
    keys.push_back(area);
  }

  return keys;
}

Keys by_beginning(const std::vector<Buffer>& buffers, const Sections&) {
  return keys_of(buffers, [](const Buffer& buffer) {
    return std::numeric_limits<std::uint64_t>::max() - buffer.begin;
  });
}

/// The highest load of any stretch of sections, by stretches whose lengths are powers of two.
class HighestLoads {
 public:
  explicit HighestLoads(const std::vector<std::uint64_t>& loads) : rows_{loads} {
    for (std::size_t length = 2; length <= loads.size(); length *= 2) {
      const std::vector<std::uint64_t>& half = rows_.back();
      std::vector<std::uint64_t> row(loads.size() - length + 1);
      for (std::size_t i = 0; i < row.size(); ++i) row[i] = std::max(half[i], half[i + length / 2]);
      rows_.push_back(std::move(row));
    }
  }

  std::uint64_t in(SectionSpan span) const {
    const auto level = static_cast<std::size_t>(std::bit_width(span.last - span.first) - 1);
    const std::vector<std::uint64_t>& row = rows_[level];
    return std::max(row[span.first], row[span.last - (std::size_t{1} << level)]);
  }

 private:
  std::vector<std::vector<std::uint64_t>> rows_;
};

/// Buffers that are live at the highest loads come first.
Keys by_breadth(const std::vector<Buffer>&, const Sections& sections) {
  const HighestLoads highest(sections.loads);
  return keys_of(sections.spans, [&](SectionSpan span) { return highest.in(span); });
}

constexpr std::array<PackingOrder, 5> orders = {{
    {"size", "the largest buffer", by_size},
    {"area", "the largest product of size and lifetime", by_area},
    {"duration", "the longest lifetime", by_duration},
    {"breadth", "what is live at the peak, the largest buffer first", by_breadth},
    {"time_first_fit", "the earliest", by_beginning},
}};

}  // namespace

std::span<const PackingOrder> packing_orders() { return orders; }

BufferOrder order_by(const PackingOrder& order, const std::vector<Buffer>& buffers,
                     const Sections& sections) {
  const Keys keys = order.keys(buffers, sections);
  BufferOrder indices(buffers.size());
  std::iota(indices.begin(), indices.end(), 0U);
  const auto rank = [&](std::uint32_t i) {
    return std::tuple(~keys[i], ~buffers[i].size.count, ~duration_of(buffers[i]), buffers[i].begin,
                      i);
  };
  std::ranges::sort(indices, {}, rank);
  return indices;
}

std::optional<Packing> place_in_order(const std::vector<Buffer>& buffers, const Sections& sections,
                                      const BufferOrder& order, std::uint64_t most_work) {
  Packing packing;
  packing.offsets.resize(buffers.size());
  OccupiedSpace space(sections.loads.size());
  for (const std::uint32_t i : order) {
    const std::uint64_t size = buffers[i].size.count;
    if (size == 0) continue;
    if (space.work() > most_work) return std::nullopt;
    const std::uint64_t offset =
        space.lowest_fit(sections.spans[i], size, buffers[i].alignment.count);
    space.take(sections.spans[i], offset, offset + size);
    packing.offsets[i] = {offset};
  }

  packing.height = height_of(buffers, packing.offsets);
  return packing;
}

Packing place_in_time(const std::vector<Buffer>& buffers) {
  constexpr FreeRange everything{0, std::numeric_limits<std::uint64_t>::max()};
  Packing packing;
  packing.offsets.resize(buffers.size());
  FreeRanges free;
  free.give_back(everything, everything);
  const BufferOrder ends = indices_by(buffers, std::mem_fn(&Buffer::end));
  std::size_t ended = 0;
  // The largest of buffers that begin together comes first.
  const auto by_begin = [](const Buffer& buffer) {
    return std::pair(buffer.begin, ~buffer.size.count);
  };
  for (const std::uint32_t i : indices_by(buffers, by_begin)) {
    for (; buffers[ends[ended]].end <= buffers[i].begin; ++ended) {
      const Buffer& gone = buffers[ends[ended]];
      const std::uint64_t at = packing.offsets[ends[ended]].count;
      if (gone.size.count > 0) free.give_back({at, at + gone.size.count}, everything);
    }
    const Buffer& buffer = buffers[i];
    if (buffer.size.count == 0) continue;
    const FreeRange gap = *free.best_fit(buffer.size.count, buffer.alignment.count);
    const std::uint64_t at = aligned_up(gap.begin, buffer.alignment.count);
    free.take({at, at + buffer.size.count});
    packing.offsets[i] = {at};
  }

  packing.height = height_of(buffers, packing.offsets);
  return packing;
}

}  // namespace vramlab::replay
