#include "replay/packing/packing_orders.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <tuple>

#include "replay/packing/occupied_space.h"

namespace vramlab::replay {
namespace {

using Keys = std::vector<std::uint64_t>;

std::uint64_t duration_of(const Buffer& buffer) { return buffer.end - buffer.begin; }

Keys by_size(const std::vector<Buffer>& buffers, const Sections&) {
  Keys keys;
  for (const Buffer& buffer : buffers) keys.push_back(buffer.size.count);
  return keys;
}

Keys by_duration(const std::vector<Buffer>&, const Sections& sections) {
  Keys keys;
  for (const SectionSpan& span : sections.spans) keys.push_back(span.last - span.first);
  return keys;
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
  Keys keys;
  for (const Buffer& buffer : buffers)
    keys.push_back(std::numeric_limits<std::uint64_t>::max() - buffer.begin);
  return keys;
}

/// Of any stretch of sections the highest load, by stretches whose lengths are powers of two.
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

/// The moments at which most is there are served first.
Keys by_breadth(const std::vector<Buffer>&, const Sections& sections) {
  const HighestLoads highest(sections.loads);
  Keys keys;
  for (const SectionSpan& span : sections.spans) keys.push_back(highest.in(span));
  return keys;
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
  for (std::uint32_t i = 0; i < indices.size(); ++i) indices[i] = i;
  const auto rank = [&](std::uint32_t i) {
    return std::tuple(~keys[i], ~buffers[i].size.count, ~duration_of(buffers[i]), buffers[i].begin,
                      i);
  };
  std::ranges::sort(indices, {}, rank);
  return indices;
}

Packing place_in_order(const std::vector<Buffer>& buffers, const Sections& sections,
                       const BufferOrder& order) {
  return *place_in_order_within(buffers, sections, order,
                                std::numeric_limits<std::uint64_t>::max());
}

std::optional<Packing> place_in_order_within(const std::vector<Buffer>& buffers,
                                             const Sections& sections, const BufferOrder& order,
                                             std::uint64_t most_work) {
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

}  // namespace vramlab::replay
