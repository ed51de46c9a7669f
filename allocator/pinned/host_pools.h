// HostPools: the default pool of pinned memory, the private ones, and the open scopes that take
// requests to them. A pool keeps free blocks by bucket and frees that wait for streams.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <stdexcept>
#include <vector>

#include "allocator/pinned/host_block.h"

namespace vramlab::allocator {

enum class HostErrorKind : std::uint8_t {
  /// What the reference checks of itself.
  internal,
  unknown_pool,
  already_recording,
  not_recording,
};

/// A call that must not be made in this state. What changed before it was noticed stays, as in the
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
  /// Who holds a private pool; at 0 its memory can be released.
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
  /// Those that nobody holds any more, by ascending ids.
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
