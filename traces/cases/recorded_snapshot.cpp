#include <array>

#include "traces/cases/recorded_parts.h"

namespace vramlab::traces {
namespace {

using namespace allocator;

BlockState read_block_state(const JsonValue& value) {
  for (const BlockState state :
       {BlockState::active_allocated, BlockState::active_pending_free, BlockState::inactive})
    if (value.text() == block_state_name(state)) return state;
  value.fail("active_allocated, active_pending_free or inactive");
}

PoolKind read_pool_kind(const JsonValue& value) {
  for (const PoolKind kind : {PoolKind::small, PoolKind::large})
    if (value.text() == pool_kind_name(kind)) return kind;
  value.fail("small or large");
}

SnapshotBlock read_block(const JsonValue& block, Address at) {
  if (block.array_size() != 3) block.fail("a block: size, requested size, state");
  return {at, {block.at(0).number()}, {block.at(1).number()}, read_block_state(block.at(2))};
}

PoolId read_pool_id(const JsonValue& id) {
  if (id.array_size() != 2) id.fail("a pool id of two numbers");
  return {id.at(0).number(), id.at(1).number()};
}

SnapshotSegment read_segment(const JsonValue& segment) {
  segment.only_keys({"address", "total_size", "stream", "segment_type", "allocated_size",
                     "active_size", "requested_size", "is_expandable", "segment_pool_id",
                     "blocks"});
  SnapshotSegment read;
  read.address = {segment.key("address").number()};
  read.total_size = {segment.key("total_size").number()};
  read.allocated_size = {segment.key("allocated_size").number()};
  read.active_size = {segment.key("active_size").number()};
  read.requested_size = {segment.key("requested_size").number()};
  read.stream = {segment.key("stream").number()};
  read.kind = read_pool_kind(segment.key("segment_type"));
  read.pool = read_pool_id(segment.key("segment_pool_id"));
  read.is_expandable = segment.key("is_expandable").boolean();
  const JsonValue blocks = segment.key("blocks");
  read.blocks.reserve(blocks.array_size());
  Address at = read.address;
  for (std::size_t i = 0; i < blocks.array_size(); ++i) {
    read.blocks.push_back(read_block(blocks.at(i), at));
    at = at + read.blocks.back().size;
  }
  return read;
}

}  // namespace

Snapshot read_recorded_snapshot(const JsonValue& segments) {
  Snapshot snapshot;
  snapshot.segments.reserve(segments.array_size());
  for (std::size_t i = 0; i < segments.array_size(); ++i)
    snapshot.segments.push_back(read_segment(segments.at(i)));
  return snapshot;
}

}  // namespace vramlab::traces
