// The cache of one driver allocation for each block. The allocator's own listeners are told of each
// step, as of one pool with one stream.
#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <vector>

#include "allocator/listeners/statistics.h"
#include "allocator/types/check.h"
#include "tools/preload/shim/block_cache.h"

namespace vramlab::shim {
namespace {

using allocator::Oversize;
using namespace allocator::literals;

/// The driver takes memory from the device in pieces of 2 MiB, at multiples of that. Small blocks
/// may share one, and it goes back to the device when nothing is left in it.
constexpr Bytes aligned_from = 1_MiB;
constexpr Bytes piece = 2_MiB;

class WholeCache final : public BlockCache {
 public:
  WholeCache(SegmentSupply& supply, FencePool& fences, std::size_t history_entries)
      : supply_(supply), fences_(fences), has_history_(history_entries > 0) {
    facts_.set_capacity(history_entries);
    facts_.lane_opened(lane_);
    notes_.set_capacity(history_entries);
  }

  std::optional<Address> allocate(Bytes request) override;
  void free(Address at, Fence& fence) override;
  void free_now(Address at) override;
  bool is_held(Address at) const override { return held_.contains(at); }
  std::optional<HeldBlock> held_around(Address at) const override;
  bool release_segment(Address segment, const std::function<bool(Address)>& may_go) override;
  void release_idle(Bytes to_keep) override {
    settle();
    release_until(to_keep);
  }
  Bytes idle(const std::vector<Address>& freed) const override;
  WaitingBytes waiting() const override {
    return {{static_cast<std::uint64_t>(facts_.current_waiting_bytes())},
            {static_cast<std::uint64_t>(facts_.peak_allocated_bytes())}};
  }
  bool has_waiting_for(Bytes request) const override;
  Snapshot snapshot() override;
  StatisticValues statistics() const override { return facts_.values(); }
  void set_stack(StackNumber stack) override { notes_.go_on_with(stack, facts_.recorded_count()); }
  std::vector<HistoryEntry> history() const override {
    return notes_.beside(facts_.entries(), facts_.recorded_count());
  }

 private:
  struct Waiting {
    Address at;
    Bytes size;
    Fence* fence;
  };
  using Facts = allocator::Listeners<allocator::Statistics, allocator::History>;

  /// The listeners that are told of each step.
  Facts& facts() {
    if (has_history_) note_time(facts_);
    return facts_;
  }
  allocator::BlockFact block(Address at, Bytes size) const { return {at, size, size, lane_}; }

  template <class Look>
  void for_each_unused(const std::vector<Address>& freed, const Look& look) const;
  bool is_held_in(Address start, const std::vector<Address>& freed) const;
  std::optional<Address> take_idle(Bytes size);
  std::optional<Address> get_segment(Bytes size);
  std::optional<Address> ask_supply(Bytes size);
  bool ask_program();
  void settle();
  void release(Address at, Bytes size);
  void release_until(Bytes to_keep);
  Bytes let_go(Address at);

  SegmentSupply& supply_;
  FencePool& fences_;
  std::map<Address, Bytes> held_;
  std::deque<Waiting> waiting_;
  /// By size; the one freed last is taken first.
  std::map<Bytes, std::vector<Address>> idle_;
  allocator::Pool pool_{PoolId{}, PoolKind::large};
  allocator::Lane lane_{owner_stream, pool_};
  const bool has_history_;
  Facts facts_;
  StackNotes notes_;
};

Bytes size_for(Bytes request) {
  return request >= aligned_from ? round_up(request, piece) : request;
}

bool WholeCache::has_waiting_for(Bytes request) const {
  return std::any_of(
      waiting_.begin(), waiting_.end(),
      [size = size_for(request)](const Waiting& waiting) { return waiting.size == size; });
}

std::optional<Address> WholeCache::allocate(Bytes request) {
  const Bytes size = size_for(request);
  settle();
  std::optional<Address> got = take_idle(size);
  if (!got && ask_program()) got = take_idle(size);
  if (!got) got = get_segment(size);
  if (!got) return std::nullopt;
  held_[*got] = size;
  facts().handed_out(block(*got, size), Oversize::no);
  return got;
}

std::optional<Address> WholeCache::ask_supply(Bytes size) {
  // Others may be let in.
  const StackKept kept(notes_, [this] { return facts_.recorded_count(); });
  return supply_.allocate(size);
}

bool WholeCache::ask_program() {
  const StackKept kept(notes_, [this] { return facts_.recorded_count(); });
  if (!supply_.ask_program()) return false;
  settle();
  return true;
}

std::optional<Address> WholeCache::get_segment(Bytes size) {
  std::optional<Address> got = ask_supply(size);
  if (!got) {
    // Everything is waited for by now.
    settle();
    if (!waiting_.empty()) throw DeviceError("the work before a free cannot be waited for");
    release_until(Bytes{0});
    facts().retried();
    got = ask_supply(size);
  }
  // The driver says nothing of what it has left.
  if (got)
    facts().segment_got({*got, size, lane_}, Oversize::no);
  else
    facts().ran_out_of_memory({}, size, lane_);
  return got;
}

Bytes WholeCache::let_go(Address at) {
  const auto found = held_.find(at);
  check(found != held_.end(), "only blocks in use are freed");
  const Bytes size = found->second;
  held_.erase(found);
  return size;
}

std::optional<Address> WholeCache::take_idle(Bytes size) {
  const auto found = idle_.find(size);
  if (found == idle_.end()) return std::nullopt;
  const Address at = found->second.back();
  found->second.pop_back();
  if (found->second.empty()) idle_.erase(found);
  return at;
}

void WholeCache::free(Address at, Fence& fence) {
  const Bytes size = let_go(at);
  waiting_.push_back({at, size, &fence});
  facts().free_requested(block(at, size), Oversize::no);
}

void WholeCache::free_now(Address at) {
  const Bytes size = let_go(at);
  facts().freed_at_once(block(at, size), Oversize::no);
  idle_[size].push_back(at);
}

void WholeCache::settle() {
  while (!waiting_.empty()) {
    const Waiting first = waiting_.front();
    if (poll(*first.fence) != Progress::complete) return;
    waiting_.pop_front();
    facts().free_completed(block(first.at, first.size));
    idle_[first.size].push_back(first.at);
    if (--first.fence->uses == 0) fences_.give(*first.fence);
  }
}

void WholeCache::release(Address at, Bytes size) {
  supply_.release(at);
  facts().segment_released({at, size, lane_}, Oversize::no);
}

void WholeCache::release_until(Bytes to_keep) {
  Bytes kept;
  for (const auto& [size, blocks] : idle_) kept += size * blocks.size();
  // The largest first: it takes the fewest calls.
  while (kept > to_keep) {
    const auto largest = std::prev(idle_.end());
    const Bytes size = largest->first;
    release(largest->second.front(), size);
    largest->second.erase(largest->second.begin());
    if (largest->second.empty()) idle_.erase(largest);
    kept -= size;
  }
}

template <class Look>
void WholeCache::for_each_unused(const std::vector<Address>& freed, const Look& look) const {
  for (const Address at : freed) look(at, held_.at(at));
  for (const Waiting& waiting : waiting_) look(waiting.at, waiting.size);
  for (const auto& [size, blocks] : idle_)
    for (const Address at : blocks) look(at, size);
}

bool WholeCache::is_held_in(Address start, const std::vector<Address>& freed) const {
  for (auto held = held_.lower_bound(start); held != held_.end(); ++held) {
    if (held->first >= start + piece) return false;
    if (!std::binary_search(freed.begin(), freed.end(), held->first)) return true;
  }
  return false;
}

Bytes WholeCache::idle(const std::vector<Address>& freed) const {
  Bytes idle;
  std::set<Address> pieces;
  for_each_unused(freed, [&](Address at, Bytes size) {
    if (size >= piece)
      idle += size;
    else
      pieces.insert({at.value - at.value % piece.count});
  });
  for (const Address start : pieces)
    if (!is_held_in(start, freed)) idle += piece;
  return idle;
}

std::optional<HeldBlock> WholeCache::held_around(Address at) const {
  auto above = held_.upper_bound(at);
  if (above == held_.begin()) return std::nullopt;
  const auto& [address, size] = *std::prev(above);
  if (at >= address + size) return std::nullopt;
  return HeldBlock{address, size, size, address, size};
}

bool WholeCache::release_segment(Address segment, const std::function<bool(Address)>& may_go) {
  if (!is_held(segment) || !may_go(segment)) return false;
  const Bytes size = held_.at(segment);
  free_now(segment);
  take_idle(size);
  release(segment, size);
  return true;
}

Snapshot WholeCache::snapshot() {
  std::map<Address, SnapshotBlock> blocks;
  const auto add = [&](Address at, Bytes size, BlockState state) {
    blocks[at] = {at, size, size, state};
  };
  for (const auto& [at, size] : held_) add(at, size, BlockState::active_allocated);
  for (const Waiting& w : waiting_) add(w.at, w.size, BlockState::active_pending_free);
  for (const auto& [size, idle] : idle_)
    for (const Address at : idle) add(at, size, BlockState::inactive);
  Snapshot snapshot;
  for (const auto& [at, block] : blocks) {
    SnapshotSegment segment;
    segment.address = at;
    segment.total_size = block.size;
    segment.kind = PoolKind::large;
    if (block.state != BlockState::inactive)
      segment.active_size = segment.requested_size = block.size;
    if (block.state == BlockState::active_allocated) segment.allocated_size = block.size;
    segment.blocks.push_back(block);
    snapshot.segments.push_back(std::move(segment));
  }
  return snapshot;
}

}  // namespace

std::unique_ptr<BlockCache> make_whole_cache(SegmentSupply& supply, FencePool& fences,
                                             std::size_t history_entries) {
  return std::make_unique<WholeCache>(supply, fences, history_entries);
}

}  // namespace vramlab::shim
