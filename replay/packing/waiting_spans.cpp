#include "replay/packing/waiting_spans.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

namespace vramlab::replay {
namespace {

constexpr std::uint32_t no_item = std::numeric_limits<std::uint32_t>::max();

/// Follows links to one that leads to itself, and shortens the way for the next time.
std::uint32_t end_of_links(std::vector<std::uint32_t>& links, std::uint32_t from) {
  std::uint32_t end = from;
  while (links[end] != end) end = links[end];
  while (links[from] != end) from = std::exchange(links[from], end);
  return end;
}

}  // namespace

SpanIndex::SpanIndex(const std::vector<Buffer>& buffers, const Sections& sections)
    : sections_(sections), slots_(buffers.size(), no_item) {
  std::vector<std::uint32_t> order = indices_by(buffers, [](const Buffer&) { return 0; });
  std::erase_if(order, [&](std::uint32_t i) { return buffers[i].size.count == 0; });
  item_count_ = order.size();
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) {
    const SectionSpan span = sections.spans[i];
    return std::tuple(span.first, ~span.last, ~buffers[i].size.count);
  });
  std::size_t next = 0;
  for (std::uint32_t section = 0; section < sections.loads.size(); ++section) {
    begins_.push_back(static_cast<std::uint32_t>(items_.size()));
    for (; next < order.size() && sections.spans[order[next]].first == section; ++next) {
      slots_[order[next]] = static_cast<std::uint32_t>(items_.size());
      items_.push_back(order[next]);
    }
    items_.push_back(no_item);
  }
  begins_.push_back(static_cast<std::uint32_t>(items_.size()));
}

WaitingSpans::WaitingSpans(const SpanIndex& index)
    : index_(&index),
      count_(index.item_count()),
      next_slot_(index.slot_count()),
      next_section_(index.section_count() + 1) {
  std::iota(next_slot_.begin(), next_slot_.end(), 0U);
  std::iota(next_section_.begin(), next_section_.end(), 0U);
  for (std::uint32_t s = 0; s < index.section_count(); ++s)
    if (index.begins_[s] + 1 == index.begins_[s + 1]) next_section_[s] = s + 1;
}

std::uint32_t WaitingSpans::slot_from(std::uint32_t slot) { return end_of_links(next_slot_, slot); }

std::uint32_t WaitingSpans::section_from(std::uint32_t section) {
  return end_of_links(next_section_, section);
}

std::uint32_t WaitingSpans::end_of(std::uint32_t slot) const {
  return index_->sections_.spans[index_->items_[slot]].last;
}

std::optional<std::uint32_t> WaitingSpans::longest_within(SectionSpan stretch,
                                                          std::optional<std::uint32_t> but,
                                                          std::uint64_t& work) {
  std::optional<std::uint32_t> longest;
  std::uint32_t length = 0;
  const auto can_be_longer = [&](std::uint32_t s) {
    return s < stretch.last && stretch.last - s > length;
  };
  for (std::uint32_t s = section_from(stretch.first); can_be_longer(s); s = section_from(s + 1)) {
    ++work;
    const std::uint32_t empty = index_->begins_[s + 1] - 1;
    std::uint32_t low = index_->begins_[s];
    for (std::uint32_t high = empty; low < high;) {
      const std::uint32_t middle = low + (high - low) / 2;
      if (end_of(middle) <= stretch.last)
        high = middle;
      else
        low = middle + 1;
    }
    std::uint32_t slot = slot_from(low);
    if (slot != empty && index_->items_[slot] == but) slot = slot_from(slot + 1);
    if (slot == empty || end_of(slot) - s <= length) continue;
    length = end_of(slot) - s;
    longest = index_->items_[slot];
  }
  return longest;
}

void WaitingSpans::remove(std::uint32_t item) {
  const std::uint32_t slot = index_->slots_[item];
  next_slot_[slot] = slot + 1;
  --count_;
  const std::uint32_t section = index_->sections_.spans[item].first;
  if (slot_from(index_->begins_[section]) == index_->begins_[section + 1] - 1)
    next_section_[section] = section + 1;
}

}  // namespace vramlab::replay
