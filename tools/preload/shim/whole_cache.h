// WholeCache: one driver allocation for each block, cached whole: what the driver says of an
// address, its base and its size, is then what the program expects, and a handle of it is a handle
// of nothing else.
#pragma once

#include <deque>
#include <map>
#include <vector>

#include "tools/preload/segments/segment_supply.h"
#include "tools/preload/shim/block_cache.h"
#include "tools/preload/shim/whole_history.h"

namespace vramlab::shim {

class WholeCache final : public BlockCache {
 public:
  WholeCache(SegmentSupply& supply, FencePool& fences, std::size_t history_entries)
      : supply_(supply), fences_(fences), history_(history_entries) {}

  std::optional<allocator::Address> allocate(allocator::Bytes request) override;
  void free(allocator::Address at, Fence& fence) override;
  void free_now(allocator::Address at) override;
  bool is_held(allocator::Address at) const override { return held_.contains(at); }
  std::optional<HeldBlock> held_around(allocator::Address at) const override;
  bool release_segment(allocator::Address segment,
                       const std::function<bool(allocator::Address)>& may_go) override;
  allocator::Bytes idle(const std::vector<allocator::Address>& freed) const override;
  allocator::Snapshot snapshot() override;
  allocator::StatisticValues statistics() const override;
  std::vector<allocator::AllocatorEvent> history() const override { return history_.entries(); }

 private:
  struct Waiting {
    allocator::Address at;
    allocator::Bytes size;
    Fence* fence;
  };

  template <class Look>
  void for_each_unused(const std::vector<allocator::Address>& freed, const Look& look) const;
  bool is_held_in(allocator::Address piece, const std::vector<allocator::Address>& freed) const;
  std::optional<allocator::Address> take_idle(allocator::Bytes size);
  void settle();
  void release_idle();
  allocator::Bytes let_go(allocator::Address at);
  void hold(allocator::Address at, allocator::Bytes size);

  SegmentSupply& supply_;
  FencePool& fences_;
  std::map<allocator::Address, allocator::Bytes> held_;
  std::deque<Waiting> waiting_;
  /// By size; the one freed last is taken first.
  std::map<allocator::Bytes, std::vector<allocator::Address>> idle_;
  allocator::StatisticValues values_;
  WholeHistory history_;
};

}  // namespace vramlab::shim
