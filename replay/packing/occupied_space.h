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
  std::uint64_t lowest_fit(SectionSpan span, std::uint64_t size, std::uint64_t alignment);
  void take(SectionSpan span, std::uint64_t begin, std::uint64_t end);

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

  static void add(Ranges& ranges, Range added);
  /// Where the first hole begins that is as large as `wanted` and not below it; nothing is in the
  /// way where that is its begin.
  std::uint64_t end_of_conflict(Cursor& cursor, Range wanted);
  void gather(SectionSpan span, std::vector<Cursor>& cursors) const;

  std::size_t leaf_count_ = 1;
  std::uint64_t work_ = 0;
  /// By node; the root is 1, the children of n are 2n and 2n + 1.
  std::vector<Ranges> taken_throughout_;
  std::vector<Ranges> taken_somewhere_;
};

}  // namespace vramlab::replay
