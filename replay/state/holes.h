// Holes: the free blocks of a state by size, in classes that double.
#pragma once

#include <cstdint>
#include <vector>

#include "allocator/words/snapshot.h"

namespace vramlab::replay {

struct HoleClass {
  allocator::PoolKind kind = allocator::PoolKind::small;
  /// Sizes from here, a power of two, up to twice as much.
  allocator::Bytes from;
  std::uint64_t count = 0;
  allocator::Bytes bytes;
  friend bool operator==(const HoleClass&, const HoleClass&) = default;
};

/// The small half first, then by size; classes without holes are left out.
std::vector<HoleClass> holes_by_size(const allocator::Snapshot& snapshot);

}  // namespace vramlab::replay
