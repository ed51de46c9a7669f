// Pool: the small or the large half of the device's own memory or of a private pool; its lanes by
// ascending stream. CaptureScopes says which private pools requests are taken to at the moment.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "allocator/blocks/free_blocks.h"
#include "allocator/types/bytes_and_ids.h"
#include "allocator/types/reference_version.h"
#include "allocator/types/snapshot.h"

namespace vramlab::allocator {

struct Pool;

/// Unmapped blocks by ascending address: a handful, so a sorted row.
class UnmappedBlocks {
 public:
  struct Entry {
    Address address;
    BlockIndex block;
  };
  void insert(Address address, BlockIndex block);
  /// Requires: it is there.
  void remove(Address address);
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  std::size_t size() const { return entries_.size(); }

 private:
  std::vector<Entry> entries_;
};

/// One stream's part of one pool: its free blocks by (size, address) and its unmapped blocks by
/// address. A search never leaves its lane, and a block never changes it.
struct Lane {
  Lane(StreamId stream_id, Pool& of_pool);

  StreamId stream;
  Pool* pool;
  /// As in the pool; here so that hot code does not have to look there.
  PoolKind kind;
  /// Its blocks are handed out whole; copied from the pool, too.
  bool is_no_split;
  /// Its number in the allocator: short enough for blocks and for the history's entries.
  LaneIndex index{};
  FreeBlocks free;
  UnmappedBlocks unmapped;
};

struct PrivatePool;

struct Pool {
  Pool(PoolId pool_id, PoolKind pool_kind, PrivatePool* of = nullptr)
      : id(pool_id), kind(pool_kind), owner(of) {}

  /// The lane of the stream, or null while it has none.
  Lane* find_lane(StreamId stream) const {
    Lane* const known = last_found[place_of(stream)];
    if (known != nullptr && known->stream == stream) [[likely]]
      return known;
    return search_lane(stream);
  }
  Lane* search_lane(StreamId stream) const;
  /// Streams are small numbers or addresses, whose low bits are all alike.
  static std::size_t place_of(StreamId stream) {
    return static_cast<std::size_t>(stream.value * 0x9E3779B97F4A7C15ULL >> 60);
  }
  Lane& add_lane(StreamId stream, LaneIndex index);

  PoolId id;
  PoolKind kind;
  /// Null for the device's own pools.
  PrivatePool* owner;
  /// Searches while garbage collection was on: the clock for ages of free blocks.
  std::uint64_t lookup_count = 0;
  /// Blocks of this pool are handed out whole.
  bool is_no_split = false;
  std::vector<std::unique_ptr<Lane>> lanes;
  /// The lane found last for streams that fall on the same place.
  mutable std::array<Lane*, 16> last_found{};
};

/// A graph's or a user's pair of pools.
struct PrivatePool {
  explicit PrivatePool(PoolId pool_id)
      : id(pool_id), small(pool_id, PoolKind::small, this), large(pool_id, PoolKind::large, this) {}
  PrivatePool(const PrivatePool&) = delete;
  PrivatePool& operator=(const PrivatePool&) = delete;

  /// From now on its blocks are not split.
  void hand_out_whole();
  bool is_freeable() const { return use_count == 0; }
  Pool& half(PoolKind kind) { return kind == PoolKind::small ? small : large; }

  PoolId id;
  /// Its cached memory may be released once nobody uses it any more.
  std::uint64_t use_count = 1;
  /// Segments got less those released, as the reference counts them: an expandable pool counts one
  /// for each request that grew it and takes one off for each range unmapped.
  std::uint64_t segment_count = 0;
  /// Requests are taken to it at the moment, so it must not be forgotten.
  bool has_open_scope = false;
  Pool small;
  Pool large;
};

/// The open scopes that take requests to private pools, by stream, in the order in which they were
/// opened.
class CaptureScopes {
 public:
  explicit CaptureScopes(ScopeOrder order) : order_(order) {}

  bool is_empty() const { return scopes_.empty(); }
  bool is_open(PoolId pool) const;
  void open(PrivatePool& pool, StreamFilter filter);
  /// Requires: it is open.
  PrivatePool& close(PoolId pool);
  /// The private pool that a request on this stream is taken to; null for the device's own.
  PrivatePool* find(StreamId stream) const;

 private:
  struct Scope {
    PrivatePool* pool;
    StreamFilter accepts;
  };
  std::vector<Scope> scopes_;
  ScopeOrder order_;
};

}  // namespace vramlab::allocator
