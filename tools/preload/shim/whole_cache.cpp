#include "tools/preload/shim/whole_cache.h"

#include <algorithm>
#include <set>

#include "allocator/words/check.h"

namespace vramlab::shim {

using allocator::Address;
using allocator::Bytes;
using allocator::DeviceError;
using allocator::PooledStatistic;
using allocator::SnapshotBlock;
using allocator::SnapshotSegment;
using allocator::StatisticValue;
using namespace allocator::literals;

namespace {

/// The driver takes memory from the device in pieces of 2 MiB, at multiples of that. Small blocks
/// may share one, and it goes back to the device when nothing is left in it.
constexpr Bytes aligned_from = 1_MiB;
constexpr Bytes piece = 2_MiB;

void change(PooledStatistic& statistic, std::int64_t by) {
  for (StatisticValue* value : {&statistic.all, &statistic.large_pool}) {
    value->current += by;
    value->peak = std::max(value->peak, value->current);
    (by > 0 ? value->allocated : value->freed) += by > 0 ? by : -by;
  }
}

std::int64_t signed_of(Bytes size) { return static_cast<std::int64_t>(size.count); }

}  // namespace

std::optional<Address> WholeCache::allocate(Bytes request) {
  const Bytes size = request >= aligned_from ? round_up(request, piece) : request;
  settle();
  std::optional<Address> got = take_idle(size);
  if (!got) {
    got = supply_.allocate(size);
    if (!got) {
      // Everything is waited for by now.
      settle();
      if (!waiting_.empty()) throw DeviceError("the work before a free cannot be waited for");
      release_idle();
      ++values_.num_alloc_retries;
      got = supply_.allocate(size);
    }
    if (!got) {
      ++values_.num_ooms;
      history_.ran_out_of_memory(size);
      return std::nullopt;
    }
    history_.segment_got(*got, size);
    ++values_.num_device_alloc;
    change(values_.segment, 1);
    change(values_.reserved_bytes, signed_of(size));
  }
  hold(*got, size);
  return got;
}

void WholeCache::hold(Address at, Bytes size) {
  held_[at] = size;
  history_.handed_out(at, size);
  for (PooledStatistic* count : {&values_.allocation, &values_.active}) change(*count, 1);
  for (PooledStatistic* bytes :
       {&values_.allocated_bytes, &values_.active_bytes, &values_.requested_bytes})
    change(*bytes, signed_of(size));
}

Bytes WholeCache::let_go(Address at) {
  const auto found = held_.find(at);
  check(found != held_.end(), "only blocks in use are freed");
  const Bytes size = found->second;
  held_.erase(found);
  change(values_.allocation, -1);
  change(values_.allocated_bytes, -signed_of(size));
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
  waiting_.push_back({at, let_go(at), &fence});
  history_.free_requested(at, waiting_.back().size);
}

void WholeCache::free_now(Address at) {
  const Bytes size = let_go(at);
  history_.freed_at_once(at, size);
  change(values_.active, -1);
  for (PooledStatistic* bytes : {&values_.active_bytes, &values_.requested_bytes})
    change(*bytes, -signed_of(size));
  idle_[size].push_back(at);
}

void WholeCache::settle() {
  while (!waiting_.empty()) {
    const Waiting first = waiting_.front();
    if (poll(*first.fence) != Progress::complete) return;
    waiting_.pop_front();
    history_.free_completed(first.at, first.size);
    change(values_.active, -1);
    for (PooledStatistic* bytes : {&values_.active_bytes, &values_.requested_bytes})
      change(*bytes, -signed_of(first.size));
    idle_[first.size].push_back(first.at);
    if (--first.fence->uses == 0) fences_.give(*first.fence);
  }
}

void WholeCache::release_idle() {
  for (const auto& [size, blocks] : idle_) {
    for (const Address at : blocks) {
      supply_.release(at);
      history_.segment_released(at, size);
      ++values_.num_device_free;
      change(values_.segment, -1);
      change(values_.reserved_bytes, -signed_of(size));
    }
  }
  idle_.clear();
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
  return HeldBlock{address, size, address, size};
}

bool WholeCache::release_segment(Address segment, const std::function<bool(Address)>& may_go) {
  if (!is_held(segment) || !may_go(segment)) return false;
  free_now(segment);
  const auto found = std::find_if(idle_.begin(), idle_.end(), [&](const auto& entry) {
    return entry.second.back() == segment;
  });
  const Bytes size = found->first;
  take_idle(size);
  supply_.release(segment);
  history_.segment_released(segment, size);
  ++values_.num_device_free;
  change(values_.segment, -1);
  change(values_.reserved_bytes, -signed_of(size));
  return true;
}

allocator::Snapshot WholeCache::snapshot() {
  std::map<Address, SnapshotBlock> blocks;
  const auto add = [&](Address at, Bytes size, allocator::BlockState state) {
    blocks[at] = {at, size, size, state};
  };
  for (const auto& [at, size] : held_) add(at, size, allocator::BlockState::active_allocated);
  for (const Waiting& w : waiting_) add(w.at, w.size, allocator::BlockState::active_pending_free);
  for (const auto& [size, idle] : idle_)
    for (const Address at : idle) add(at, size, allocator::BlockState::inactive);
  allocator::Snapshot snapshot;
  for (const auto& [at, block] : blocks) {
    SnapshotSegment segment;
    segment.address = at;
    segment.total_size = block.size;
    segment.kind = allocator::PoolKind::large;
    if (block.state != allocator::BlockState::inactive)
      segment.active_size = segment.requested_size = block.size;
    if (block.state == allocator::BlockState::active_allocated) segment.allocated_size = block.size;
    segment.blocks.push_back(block);
    snapshot.segments.push_back(std::move(segment));
  }
  return snapshot;
}

allocator::StatisticValues WholeCache::statistics() const { return values_; }

}  // namespace vramlab::shim
