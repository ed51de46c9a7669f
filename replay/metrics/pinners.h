// Pinners: the live blocks that keep memory from being released. What is free or waiting in a part
// of a segment that goes back together (release_parts) is stranded by the live blocks in that part,
// in equal shares, so that the shares of all pinners add up to what is stranded.
#pragma once

#include <vector>

#include "replay/metrics/fragmentation.h"

namespace vramlab::replay {

struct Pinner {
  LaneName lane;
  bool is_expandable = false;
  /// The segment, or run of mapped memory, that it lies in.
  Address segment;
  Bytes segment_size;
  Address at;
  Bytes size;
  Bytes requested;
  /// Its share of what cannot be released.
  Bytes strands;
  /// What a release would give back beside what it gives back now, were only this block freed.
  Bytes released_alone;
  /// The most other live blocks with which it shares a part.
  std::uint64_t beside = 0;
};

/// Those that strand most, at most so many; equal ones by address.
std::vector<Pinner> find_pinners(const Snapshot& snapshot, const FragmentationRules& rules,
                                 std::size_t limit);

}  // namespace vramlab::replay
