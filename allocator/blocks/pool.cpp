#include "allocator/blocks/pool.h"

#include <algorithm>

#include "allocator/types/check.h"

namespace vramlab::allocator {
namespace {

auto lane_place(auto& lanes, StreamId stream) {
  return std::lower_bound(lanes.begin(), lanes.end(), stream,
                          [](const auto& lane, StreamId wanted) { return lane->stream < wanted; });
}

auto place_of(auto& entries, Address address) {
  return std::lower_bound(
      entries.begin(), entries.end(), address,
      [](const UnmappedBlocks::Entry& entry, Address wanted) { return entry.address < wanted; });
}

}  // namespace

void UnmappedBlocks::insert(Address address, BlockIndex block) {
  entries_.insert(place_of(entries_, address), {address, block});
}

void UnmappedBlocks::remove(Address address) {
  const auto place = place_of(entries_, address);
  check(place != entries_.end() && place->address == address, "an unmapped block is in its lane");
  entries_.erase(place);
}

Lane::Lane(StreamId stream_id, Pool& of_pool)
    : stream(stream_id), pool(&of_pool), kind(of_pool.kind), is_no_split(of_pool.is_no_split) {}

Lane* Pool::search_lane(StreamId stream) const {
  const auto place = lane_place(lanes, stream);
  if (place == lanes.end() || (*place)->stream != stream) return nullptr;
  return last_found[place_of(stream)] = place->get();
}

Lane& Pool::add_lane(StreamId stream, LaneIndex index) {
  auto lane = std::make_unique<Lane>(stream, *this);
  lane->index = index;
  return **lanes.insert(lane_place(lanes, stream), std::move(lane));
}

void PrivatePool::hand_out_whole() {
  for (Pool* const half : {&small, &large}) {
    half->is_no_split = true;
    for (const auto& lane : half->lanes) lane->is_no_split = true;
  }
}

bool CaptureScopes::is_open(PoolId pool) const {
  return std::ranges::any_of(scopes_,
                             [pool](const Scope& scope) { return scope.pool->id == pool; });
}

void CaptureScopes::open(PrivatePool& pool, StreamFilter filter) {
  pool.has_open_scope = true;
  scopes_.push_back({&pool, std::move(filter)});
}

PrivatePool& CaptureScopes::close(PoolId pool) {
  const auto scope = std::find_if(scopes_.begin(), scopes_.end(), [pool](const Scope& candidate) {
    return candidate.pool->id == pool;
  });
  check(scope != scopes_.end(), "only an open scope is closed");
  PrivatePool& closed = *scope->pool;
  closed.has_open_scope = false;
  scopes_.erase(scope);
  return closed;
}

PrivatePool* CaptureScopes::find(StreamId stream) const {
  const auto accepts = [stream](const Scope& scope) { return scope.accepts(stream); };
  if (order_ == ScopeOrder::oldest_first) {
    const auto scope = std::find_if(scopes_.begin(), scopes_.end(), accepts);
    return scope == scopes_.end() ? nullptr : scope->pool;
  }
  const auto scope = std::find_if(scopes_.rbegin(), scopes_.rend(), accepts);
  return scope == scopes_.rend() ? nullptr : scope->pool;
}

}  // namespace vramlab::allocator
