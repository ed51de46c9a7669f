// Values of ReplayAccess: a state to start from, the facts that a recording knows about a request
// beyond its size, and the releases that a way of getting memory back would make.
#pragma once

#include <cstdint>
#include <vector>

#include "allocator/types/bytes_and_ids.h"
#include "allocator/types/check.h"
#include "allocator/types/snapshot.h"

namespace vramlab::allocator {

enum class GivenUse : std::uint8_t { live, waiting, free, unmapped };

struct GivenBlock {
  Bytes size;
  Bytes requested;
  GivenUse use = GivenUse::free;
  /// The block's size where the file does not tell the request.
  Bytes known_request() const { return requested == Bytes{} ? size : requested; }
  friend bool operator==(const GivenBlock&, const GivenBlock&) = default;
};

/// A segment as it was when a recording began, its blocks from the base on without gaps.
struct GivenSegment {
  Address base;
  StreamId stream;
  PoolKind kind = PoolKind::small;
  PoolId pool;
  bool is_expandable = false;
  /// In an expandable segment: the size of its physical units.
  Bytes unit;
  std::vector<GivenBlock> blocks;

  Bytes size() const {
    Bytes sum;
    for (const GivenBlock& block : blocks) sum += block.size;
    return sum;
  }
};

/// One call that a way of releasing memory would make.
struct PlannedRelease {
  Address address;
  Bytes size;
  StreamId stream;
  /// A range of an expandable segment, instead of a whole classic one.
  bool is_unmap = false;
  friend bool operator==(const PlannedRelease&, const PlannedRelease&) = default;
};

/// A search for a free block: in which lane, and of which size.
struct Search {
  PoolId pool;
  StreamId stream;
  Bytes rounded;
};

/// Decides on the way through a directed request; its functions are called in this order.
class Director : public Interface {
 public:
  /// Whether the search failed already, before later frees were completed.
  virtual bool search_has_failed() = 0;
  /// On a miss: the number of passes of garbage collection that came first.
  virtual unsigned garbage_passes() = 0;
  /// Whether an attempt to get memory is made at all: a memory fraction may forbid it.
  virtual bool may_attempt() = 0;
  /// The attempt failed: whether the request goes on to release memory.
  virtual bool goes_on() = 0;
  /// When all else failed: whether everything is released. `pools` gets the private pools that
  /// this covers, in the order in which they are released.
  virtual bool releases_everything(std::vector<PoolId>& pools) = 0;
};

}  // namespace vramlab::allocator

/// Every folder speaks of these, so they need no prefix.
namespace vramlab {
using allocator::GivenUse, allocator::GivenBlock, allocator::GivenSegment;
}  // namespace vramlab
