#include "replay/recording/snapshot_values_of.h"

#include <algorithm>

#include "replay/recording/recorded_history.h"

namespace vramlab::replay {
namespace {

using traces::KnownText;
using traces::SnapshotSection;
using traces::StackId;
using traces::TextId;
using traces::TraceEntry;

traces::KeySet keys_of(std::initializer_list<KnownText> keys) {
  traces::KeySet set;
  for (const KnownText key : keys) set.add(key);
  return set;
}

KnownText word_of(BlockState state) {
  switch (state) {
    case BlockState::active_allocated:
      return KnownText::active_allocated;
    case BlockState::active_pending_free:
      return KnownText::active_pending_free;
    case BlockState::inactive:
      return KnownText::inactive;
  }
  return KnownText::empty;
}

traces::BlockValue value_of(const SnapshotBlock& block, const DeviceState& state) {
  traces::BlockValue value;
  value.keys = keys_of({KnownText::address, KnownText::size, KnownText::requested_size,
                        KnownText::state, KnownText::frames});
  value.address = block.address;
  value.size = block.size;
  value.requested_size = block.requested;
  value.state = TextId(word_of(block.state));
  const auto origin = state.origins.find(block.address);
  if (block.state != BlockState::inactive && origin != state.origins.end())
    value.stack = origin->second.stack;
  return value;
}

traces::SegmentValue value_of(const SnapshotSegment& segment, const DeviceState& state) {
  traces::SegmentValue value;
  value.keys =
      keys_of({KnownText::device, KnownText::address, KnownText::total_size,
               KnownText::allocated_size, KnownText::active_size, KnownText::requested_size,
               KnownText::stream, KnownText::segment_type, KnownText::segment_pool_id,
               KnownText::is_expandable, KnownText::frames, KnownText::blocks});
  value.device = state.device.value;
  value.address = segment.address;
  value.total_size = segment.total_size;
  value.allocated_size = segment.allocated_size;
  value.active_size = segment.active_size;
  value.requested_size = segment.requested_size;
  value.stream = segment.stream;
  value.segment_type =
      TextId(segment.kind == PoolKind::small ? KnownText::small : KnownText::large);
  value.pool = segment.pool;
  value.is_expandable = segment.is_expandable;
  for (const SnapshotBlock& block : segment.blocks) value.blocks.push_back(value_of(block, state));
  return value;
}

TraceEntry value_of(const AllocatorEvent& event, StackId stack, bool names_pools) {
  TraceEntry entry;
  const bool is_oom = event.action == Action::oom;
  entry.keys = keys_of({KnownText::action, is_oom ? KnownText::device_free : KnownText::addr,
                        KnownText::size, KnownText::stream, KnownText::time_us, KnownText::frames});
  if (names_pools) entry.keys.add(KnownText::pool_id);
  entry.pool = event.pool;
  entry.action = TextId(text_of(event.action));
  if (is_oom)
    entry.device_free = {event.address.value};
  else
    entry.address = event.address;
  entry.size = event.size;
  entry.stream = event.stream;
  entry.time_us = event.time_us;
  entry.stack = stack;
  return entry;
}

void write_history(const DeviceState& state, traces::SnapshotSink& sink) {
  for (std::size_t i = 0; i < state.history.size(); ++i) {
    const StackId stack = i < state.stacks.size() ? state.stacks[i] : StackId{};
    sink.trace_entry(state.device, value_of(state.history[i], stack, state.names_pools));
  }
}

traces::GenericPointer text_value(TextId text) {
  return std::make_shared<traces::GenericValue>(traces::GenericValue{text, 0});
}

}  // namespace

traces::GenericPointer settings_value(const std::string& options, traces::TextTable& texts) {
  traces::GenericDict settings;
  settings.items.emplace_back(text_value(texts.intern("PYTORCH_CUDA_ALLOC_CONF")),
                              text_value(texts.intern(options)));
  return std::make_shared<traces::GenericValue>(traces::GenericValue{settings, 1});
}

void write_states(std::span<const DeviceState> states, const traces::GenericPointer& settings,
                  traces::SnapshotSink& sink) {
  sink.section(SnapshotSection::segments);
  for (const DeviceState& state : states)
    for (const SnapshotSegment& segment : state.snapshot.segments)
      sink.segment(value_of(segment, state));
  sink.section(SnapshotSection::device_traces);
  // The list of traces is by device, so those without a state have an empty one.
  std::uint32_t next = 0;
  for (const DeviceState& state : states) {
    for (; next < state.device.value; ++next) sink.device_trace({next});
    sink.device_trace(state.device);
    next = state.device.value + 1;
    write_history(state, sink);
  }
  if (!settings) return;
  sink.section(SnapshotSection::allocator_settings);
  sink.settings(settings);
}

}  // namespace vramlab::replay
