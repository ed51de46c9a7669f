// HostBlock: one piece of pinned memory, always handed out whole; with the rules of its size.
// HostPools: the default pool of pinned memory, the private pools, and the open scopes that take
// requests to them. A pool keeps free blocks by bucket and the frees that wait for streams.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <stdexcept>
#include <vector>

#include "allocator/options/settings.h"
#include "allocator/pinned/host_memory.h"
#include "allocator/types/host_values.h"

namespace vramlab::allocator {

struct HostPool;

struct HostBlock {
  Address address;
  Bytes size;
  /// The pool that it was made in and always returns to.
  HostPool* pool = nullptr;
  PinnedBy obtained = PinnedBy::allocation;
  bool allocated = false;
  /// Handed out while a stream captured: its free records no events, and it never comes back.
  bool is_captured = false;
  /// Events that its last frees wait for.
  std::uint32_t outstanding_events = 0;
  /// Streams that used it since it was handed out, ascending.
  std::vector<StreamId> streams;
  /// The stack of its last hand-out.
  MaybeHostStack stack;

  bool is_active() const { return allocated || outstanding_events > 0; }
};

/// Rounded sizes above this are refused: the reference does not define them.
inline constexpr Bytes largest_host_block{1ULL << 63};

/// Rounds a request to a power of two, unless a limit leaves requests of this size alone.
/// Requires: the request is from 1 byte to the largest block.
constexpr Bytes round_host_request(Bytes request, const Settings& settings) {
  const bool is_rounded =
      request <= settings.pinned_max_round_threshold && request <= settings.pinned_max_cached_size;
  return is_rounded ? Bytes{std::bit_ceil(request.count)} : request;
}

/// The bucket of sizes above half a power of two and up to it. Requires: size is not zero.
constexpr std::size_t host_bucket_of(Bytes size) {
  return static_cast<std::size_t>(std::bit_width(size.count - 1));
}

enum class HostErrorKind : std::uint8_t {
  /// A check of the reference's own failed.
  internal,
  unknown_pool,
  already_recording,
  not_recording,
};

/// A call that must not be made in this state. Changes made before it was noticed stay, as in the
/// reference.
class HostError : public std::runtime_error {
 public:
  HostError(HostErrorKind kind, const std::string& sentence)
      : std::runtime_error(sentence), kind_(kind) {}
  HostErrorKind kind() const { return kind_; }

 private:
  HostErrorKind kind_;
};

struct HostWait {
  EventId event;
  HostBlock* block = nullptr;
};

struct HostPool {
  PoolId id;
  /// In each list, the block that was freed last is at the back.
  std::array<std::vector<HostBlock*>, host_bucket_count> free_lists;
  /// The oldest is at the front.
  std::deque<HostWait> waiting;
  std::size_t block_count = 0;
  /// How often a private pool is held; at 0 its memory can be released.
  std::int64_t use_count = 0;
};

class HostPools {
 public:
  HostPool& default_pool() { return default_pool_; }
  bool is_default(const HostPool& pool) const { return &pool == &default_pool_; }

  /// Makes the pool or adds a use of it, and opens its scope. Throws HostError.
  void begin(PoolId id, StreamFilter filter);
  void end(PoolId id);
  void release(PoolId id);

  bool has_open_scope() const { return !scopes_.empty(); }
  /// The pool that a request on this stream is taken to.
  HostPool& pool_for(StreamId stream);
  /// Pools that nobody holds any more, by ascending ids.
  std::vector<HostPool*> freeable();
  /// Requires: it is private and has no block.
  void forget(HostPool& pool) { private_pools_.erase(pool.id); }

 private:
  friend class HostConsistency;
  struct Scope {
    PoolId pool;
    StreamFilter accepts;
  };
  std::vector<Scope>::iterator scope_of(PoolId id);

  HostPool default_pool_;
  std::map<PoolId, HostPool> private_pools_;
  /// In the order in which they were opened. A scope names its pool, which may have been forgotten
  /// or made anew since.
  std::vector<Scope> scopes_;
};

}  // namespace vramlab::allocator
