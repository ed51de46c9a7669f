// ReplayAccess: the calls of an allocator that only replays make, beside its door. A recording
// shows a state to start from, requests whose way past a miss is known, frees that stay waiting and
// releases by address; each is done as it was recorded, and by the same rules. ReplayView only
// looks: where a request would be served, and which releases each way of getting memory back would
// make. Both are handles: they cost nothing and are made for one call, as in
// `ReplayAccess(allocator).adopt(segment)`.
#pragma once

#include <optional>
#include <vector>

#include "allocator/caching_allocator.h"
#include "allocator/types/directed.h"

namespace vramlab::allocator {

template <class L>
class ReplayView {
 public:
  explicit ReplayView(const CachingAllocator<L>& allocator) : allocator_(allocator) {}

  /// The place that a request's block would come from; nothing is taken.
  std::optional<Address> best_fit(const Search& search) const;
  /// The size that the block was asked for. Requires: a block that is in use starts there.
  Bytes requested_at(Address address) const {
    return core().blocks[core().live_at(address)].requested;
  }
  /// Whether the block was freed by hold() and is not completed yet.
  bool is_held(Address address) const { return allocator_.held_.contains(address); }
  std::size_t held_count() const { return allocator_.held_.size(); }
  bool holds_any() const { return held_count() > 0; }
  /// Whether completing the held block would serve a search that finds nothing without it.
  bool would_serve(Address held, const Search& search) const;
  /// How much memory the device would be asked for, as a search that finds nothing needs.
  Bytes memory_for(const Search& search) const;
  /// Whether a whole free classic segment starts there.
  bool can_release_named(Address address) const;
  /// Whether the address lies in a free block of an expandable segment.
  bool can_unmap_named(Address address) const;

  /// The releases that so many passes of garbage collection would make.
  std::vector<PlannedRelease> plan_garbage(unsigned passes) const;
  /// The releases of oversize blocks for a request, as if those in `gone` were released already.
  std::vector<PlannedRelease> plan_oversize(const Search& search,
                                            const std::vector<PlannedRelease>& gone,
                                            bool& is_enough) const;
  /// The releases that give back all cached memory of one half of a pool.
  std::vector<PlannedRelease> plan_pool(PoolId pool, PoolKind kind) const;

 protected:
  const Core<L>& core() const { return allocator_.core_; }
  BlockIndex free_block_around(Address address) const;

 private:
  const Lane* find_lane(const Search& search) const;
  std::vector<PlannedRelease> plan_of(const std::vector<BlockIndex>& picked) const;

  const CachingAllocator<L>& allocator_;
};

template <class L>
class ReplayAccess : public ReplayView<L> {
 public:
  explicit ReplayAccess(CachingAllocator<L>& allocator)
      : ReplayView<L>(allocator), allocator_(allocator) {}

  /// Lays out a segment with its blocks as given. Requires: it lies apart from all others.
  void adopt(const GivenSegment& given);
  /// From now on ages of free blocks are counted as if the allocator had a limit.
  void count_ages() { core().allowed = unlimited; }
  /// So many bytes are allowed from now on; null removes the limit.
  void allow(std::optional<Bytes> bytes) { core().allowed = bytes; }
  /// Blocks of this pool are never split. Requires: it has none yet.
  void never_split(PoolId pool) { allocator_.no_split_pools_.insert(pool); }
  void replace_settings(const Settings& settings) { core().set_settings(settings); }

  /// A request to this pool whose way past a miss the director knows.
  MallocResult malloc_directed(Bytes request, StreamId stream, PoolId pool, Director& director);
  /// A request whose block begins at this address, as its caller wants it: nothing is looked for.
  /// Empty, with no change, where no large enough free block of this pool and stream begins there.
  std::optional<Address> malloc_at(Address address, Bytes request, const Search& search);
  /// Notes the figures of a directed request that failed, for last_failure().
  void describe_failure(Bytes request);
  /// Frees the block, but keeps it waiting until complete_held().
  void hold(Address address);
  void complete_held(Address address);
  /// Waits for every free that waits for other streams.
  void synchronise() { allocator_.frees_.synchronise(); }

  /// Releases all cached memory of the device's own pools and of these private pools, in this
  /// order. The pool of the requester stays even if it is empty then: the request that everything
  /// is released for goes on in it.
  void release_everything(const std::vector<PoolId>& private_pools,
                          PoolId requester = default_pool);
  /// Releases all cached memory of one private pool, as when it ends.
  void release_private(PoolId id, PoolId requester = default_pool);
  /// Releases the segment. Requires: can_release_named().
  void release_named(Address address);
  /// Gives back the whole units of the free block around the address. Requires: can_unmap_named().
  void unmap_named(Address address);

 private:
  Core<L>& core() { return allocator_.core_; }
  void adopt_block(BlockIndex index, const GivenBlock& given);
  Pool& directed_pool(PoolId pool, PoolKind kind);
  Attempt get_memory_directed(Lane& lane, Bytes rounded, Director& director);

  CachingAllocator<L>& allocator_;
};

extern template class ReplayView<Listeners<>>;
extern template class ReplayView<Listeners<Statistics>>;
extern template class ReplayView<Listeners<Statistics, History>>;
extern template class ReplayView<Listeners<Statistics, History, ActedRules>>;
extern template class ReplayAccess<Listeners<>>;
extern template class ReplayAccess<Listeners<Statistics>>;
extern template class ReplayAccess<Listeners<Statistics, History>>;
extern template class ReplayAccess<Listeners<Statistics, History, ActedRules>>;

}  // namespace vramlab::allocator
