#include "replay/packing/packing_core.h"

#include <algorithm>
#include <functional>

#include "replay/packing/packing_orders.h"

namespace vramlab::replay {
namespace {

/// By section, and one more: how many sections before it have a load near the peak.
std::vector<std::uint32_t> near_peak_before(const Sections& sections) {
  const std::uint64_t peak = load_bound(sections).count;
  const std::uint64_t near_peak = peak - peak / 4;
  std::vector<std::uint32_t> counts = {0};
  for (const std::uint64_t load : sections.loads)
    counts.push_back(counts.back() + (load >= near_peak ? 1 : 0));
  return counts;
}

}  // namespace

PackingCore::PackingCore(const std::vector<Buffer>& buffers, const Sections& sections)
    : all_(buffers), all_sections_(sections) {
  const std::vector<std::uint32_t> before = near_peak_before(sections);
  for (std::uint32_t i = 0; i < buffers.size(); ++i) {
    const SectionSpan span = sections.spans[i];
    (before[span.first] == before[span.last] ? others_ : indices_).push_back(i);
  }
  // A search of nearly all buffers is as slow as a search of all.
  is_all_ = others_.size() < buffers.size() / 4;
  if (is_all_) return;
  std::ranges::stable_sort(others_, std::greater<>(),
                           [&](std::uint32_t i) { return buffers[i].size; });
  for (const std::uint32_t i : indices_) buffers_.push_back(buffers[i]);
  sections_ = sections_of(buffers_);
}

std::optional<Packing> PackingCore::complete(Packing packing, std::uint64_t most_work) const {
  if (is_all_) return packing;
  // In the order of their offsets, buffers come to lie where they were, or lower.
  std::vector<std::uint32_t> places(indices_.size());
  for (std::uint32_t i = 0; i < places.size(); ++i) places[i] = i;
  std::ranges::stable_sort(places, {}, [&](std::uint32_t i) { return packing.offsets[i]; });
  BufferOrder order;
  for (const std::uint32_t i : places) order.push_back(indices_[i]);
  order.insert(order.end(), others_.begin(), others_.end());
  return place_in_order(all_, all_sections_, order, most_work);
}

}  // namespace vramlab::replay
