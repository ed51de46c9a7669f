// Skyline: the highest end of what was placed, section by section, as stretches of one height.
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "replay/packing/buffer.h"

namespace vramlab::replay {

class Skyline {
 public:
  /// One stretch of height 0. Requires: there are sections.
  explicit Skyline(std::uint32_t section_count);

  struct Stretch {
    SectionSpan span;
    std::uint64_t height = 0;
  };
  /// The lowest stretch, the earliest of equal ones.
  Stretch lowest() const;
  /// The height of the lower neighbour of the lowest stretch. Requires: it has a neighbour.
  std::uint64_t height_beside_lowest() const;
  /// To the height of a neighbour, which it joins. Requires: no neighbour is lower than that.
  void raise_lowest(std::uint64_t height);
  /// Requires: the span lies in the lowest stretch, and the height is above it.
  void build_in_lowest(SectionSpan span, std::uint64_t height);

 private:
  void add(SectionSpan span, std::uint64_t height);
  void join_with_one_before(std::uint32_t first);

  std::uint32_t section_count_;
  /// Height and first section.
  std::set<std::pair<std::uint64_t, std::uint32_t>> by_height_;
  // By the first section of a stretch; what stands elsewhere is out of date.
  std::vector<std::uint32_t> lasts_;
  std::vector<std::uint64_t> heights_;
  /// The first section of the stretch before.
  std::vector<std::uint32_t> before_;
};

}  // namespace vramlab::replay
