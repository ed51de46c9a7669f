#include "replay/packing/skyline.h"

#include <algorithm>
#include <limits>

namespace vramlab::replay {

Skyline::Skyline(std::uint32_t section_count)
    : section_count_(section_count),
      lasts_(section_count),
      heights_(section_count),
      before_(section_count) {
  add({0, section_count}, 0);
}

auto Skyline::lowest() const -> Stretch {
  const auto [height, first] = *by_height_.begin();
  return {{first, lasts_[first]}, height};
}

std::uint64_t Skyline::height_beside_lowest() const {
  const SectionSpan span = lowest().span;
  std::uint64_t height = std::numeric_limits<std::uint64_t>::max();
  if (span.first > 0) height = heights_[before_[span.first]];
  if (span.last < section_count_) height = std::min(height, heights_[span.last]);
  return height;
}

void Skyline::add(SectionSpan span, std::uint64_t height) {
  by_height_.emplace(height, span.first);
  lasts_[span.first] = span.last;
  heights_[span.first] = height;
  if (span.last < section_count_) before_[span.last] = span.first;
}

void Skyline::join_with_one_before(std::uint32_t first) {
  if (first == 0 || first == section_count_) return;
  const std::uint32_t before = before_[first];
  if (heights_[before] != heights_[first]) return;
  by_height_.erase({heights_[first], first});
  lasts_[before] = lasts_[first];
  if (lasts_[first] < section_count_) before_[lasts_[first]] = before;
}

void Skyline::raise_lowest(std::uint64_t height) {
  const SectionSpan span = lowest().span;
  by_height_.erase(by_height_.begin());
  add(span, height);
  join_with_one_before(span.last);
  join_with_one_before(span.first);
}

void Skyline::build_in_lowest(SectionSpan span, std::uint64_t height) {
  const Stretch floor = lowest();
  by_height_.erase(by_height_.begin());
  if (floor.span.first < span.first) add({floor.span.first, span.first}, floor.height);
  add(span, height);
  if (span.last < floor.span.last) add({span.last, floor.span.last}, floor.height);
  join_with_one_before(span.last);
  join_with_one_before(span.first);
}

}  // namespace vramlab::replay
