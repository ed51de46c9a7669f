// OccupiedSpace: which offsets are taken in which sections of time, and the lowest offset that is
// free through a span of them.
//
// It is a tree over the sections. A node knows which offsets are taken throughout its sections, and
// which are taken in any of them; taken ranges that touch are one. So a search looks at a few lists
// for each level of the tree, whatever number of buffers lies beside the span.
#pragma once

#include <cstdint>
#include <vector>

#include "replay/packing/sections.h"

namespace vramlab::replay {

class OccupiedSpace {
 public:
  explicit OccupiedSpace(std::size_t section_count);

  /// A multiple of `alignment`. Requires: the span is not empty, size and alignment are not 0.
  std::uint64_t lowest_fit(SectionSpan span, std::uint64_t size, std::uint64_t alignment) const;
  void take(SectionSpan span, std::uint64_t begin, std::uint64_t end);

 private:
  struct Range {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };
  /// Ascending, none touches another.
  using Ranges = std::vector<Range>;
  struct Cursor {
    const Ranges* ranges = nullptr;
    std::size_t next = 0;
  };

  static void add(Ranges& ranges, Range added);
  /// The end of the last range in the way of `wanted`; nothing is in the way where that is its
  /// begin.
  static std::uint64_t end_of_conflict(Cursor& cursor, Range wanted);
  void gather(SectionSpan span, std::vector<Cursor>& cursors) const;

  std::size_t leaf_count_ = 1;
  /// By node; the root is 1, the children of n are 2n and 2n + 1.
  std::vector<Ranges> taken_throughout_;
  std::vector<Ranges> taken_somewhere_;
};

}  // namespace vramlab::replay
