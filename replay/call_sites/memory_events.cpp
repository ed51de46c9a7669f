#include "replay/call_sites/memory_events.h"

#include <algorithm>

#include "allocator/options/size_rules.h"
#include "allocator/pinned/host_pools.h"
#include "traces/filters/host_recording.h"
#include "traces/io/input_error.h"

namespace vramlab::replay {
namespace {

using traces::ProgramEvent;
using traces::ProgramEventKind;

LiveBlock final_block_of(const SnapshotBlock& block, const SnapshotSegment& segment,
                         const DeviceHistory& history) {
  LiveBlock held;
  held.key = block.address.value;
  held.bytes = block.size;
  held.requested = block.requested == Bytes{} ? block.size : block.requested;
  held.stream = segment.stream;
  held.pool = segment.pool;
  const auto stack = history.final_stacks.find(block.address);
  if (stack != history.final_stacks.end()) held.stack = stack->second;
  return held;
}

void pass_events(const DeviceHistory& history, MemoryEventSink& sink) {
  LabelEvents labels(history, sink);
  for (std::size_t i = 0; i < history.events.size(); ++i) {
    labels.pass_until(i);
    sink.memory_event(memory_event(history, i));
  }
  labels.pass_until(history.events.size());
}

MemoryEvent label_event(const DeviceHistory& history, const MemoryLabel& label) {
  MemoryEvent event;
  event.kind = MemoryEventKind::labelled;
  event.device = history.device;
  event.number = label.event_count;
  event.block.key = label.address.value;
  event.block.label = label.text;
  return event;
}

}  // namespace

void apply_restored(const RestoredBlocks& restored, LiveBlocks& blocks) {
  MemoryEvent event = restored.event;
  for (const LiveBlock& block : blocks.in_order()) {
    if (restored.is_live(block.key)) continue;
    event.kind = MemoryEventKind::freed;
    event.block.key = block.key;
    blocks.apply(event);
  }
  for (const LiveBlock& block : restored.created) {
    event.kind = MemoryEventKind::allocated;
    event.block = block;
    blocks.apply(event);
  }
}

void pass_end(const DeviceHistory& history, MemoryEventSink& sink) {
  for (const SnapshotSegment& segment : history.final_segments) {
    sink.final_segment(history.device);
    for (const SnapshotBlock& block : segment.blocks)
      if (block.state == BlockState::active_allocated)
        sink.final_block(history.device, final_block_of(block, segment, history));
  }
}

void LabelEvents::pass_until(std::uint64_t event) {
  for (; next_ < history_.labels.size(); ++next_) {
    const MemoryLabel& label = history_.labels[next_];
    if (label.event_count > event) return;
    sink_.memory_event(label_event(history_, label));
  }
}

void pass_history(const RecordedHistory& history, MemoryEventSink& sink) {
  for (const DeviceHistory& device : history.devices) {
    sink.device_seen(device.device);
    pass_end(device, sink);
    pass_events(device, sink);
  }
  for (const RecordedAnnotation& annotation : history.annotations) sink.annotation(annotation);
}

ProgramMemoryEvents::ProgramMemoryEvents(std::string file, const traces::SnapshotTables& tables,
                                         MemoryEventSink& sink, traces::ShownMemory memory)
    : file_(std::move(file)),
      tables_(tables),
      sink_(sink),
      memory_(memory),
      version_(&allocator::default_reference_version()) {}

void ProgramMemoryEvents::header(const traces::TraceHeader& header) {
  if (!header.reference.empty()) {
    version_ = allocator::find_reference_version(header.reference);
    if (version_ == nullptr)
      throw traces::InputError({file_, "its header", "a version of the reference that is known",
                                "'" + header.reference + "'"});
  }
  settings_ = changed_settings({}, header.settings, "its header");
  for (const traces::TraceDevice& device : header.devices) sink_.device_seen(device.index.value);
}

allocator::Settings ProgramMemoryEvents::changed_settings(const allocator::Settings& in_force,
                                                          std::string_view options,
                                                          const std::string& position) const {
  if (options.empty()) return in_force;
  auto parsed = allocator::parse_settings(in_force, options, *version_);
  if (parsed.error)
    throw traces::InputError({file_, position,
                              "options that PyTorch " + std::string(version_->name) + " takes",
                              parsed.error->message});
  return std::move(parsed.settings);
}

ProgramMemoryEvents::Device& ProgramMemoryEvents::device_of(const ProgramEvent& event) {
  const auto [at, is_new] = devices_.try_emplace(event.device);
  if (is_new) at->second.settings = settings_;
  return at->second;
}

PoolId ProgramMemoryEvents::pool_of(const Device& device, StreamId stream) const {
  const auto takes = [&](const Scope& scope) {
    switch (scope.streams) {
      case traces::ScopeStreams::every_stream:
        return true;
      case traces::ScopeStreams::one_stream:
        return scope.stream == stream;
      case traces::ScopeStreams::capturing_streams:
        return std::ranges::find(device.capturing, stream) != device.capturing.end();
    }
    return false;
  };
  const auto& scopes = device.scopes;
  if (version_->scope_order == allocator::ScopeOrder::oldest_first) {
    const auto oldest = std::find_if(scopes.begin(), scopes.end(), takes);
    return oldest == scopes.end() ? default_pool : oldest->pool;
  }
  const auto newest = std::find_if(scopes.rbegin(), scopes.rend(), takes);
  return newest == scopes.rend() ? default_pool : newest->pool;
}

LiveBlock ProgramMemoryEvents::block_of(const Device& device, const ProgramEvent& event) const {
  LiveBlock block;
  block.key = event.id;
  block.requested = event.bytes;
  block.bytes = memory_ == traces::ShownMemory::host
                    ? round_host_request(event.bytes, device.settings)
                    : rounded(event.bytes, device.settings);
  block.stream = event.stream;
  block.stack = event.stack;
  block.event = next_number_;
  block.time_ns = event.time_ns;
  if (!device.scopes.empty()) block.pool = pool_of(device, event.stream);
  return block;
}

MemoryEventKind ProgramMemoryEvents::note(Device& device, const ProgramEvent& event) {
  switch (event.kind) {
    case ProgramEventKind::malloc:
      return MemoryEventKind::allocated;
    case ProgramEventKind::free:
      return MemoryEventKind::freed;
    case ProgramEventKind::range_begin:
      return MemoryEventKind::range_begin;
    case ProgramEventKind::range_end:
      return MemoryEventKind::range_end;
    case ProgramEventKind::marker:
      return tables_.texts.text(event.text) == traces::failure_marker ? MemoryEventKind::failed
                                                                      : MemoryEventKind::marker;
    case ProgramEventKind::capture_begin:
      device.capturing.push_back(event.stream);
      break;
    case ProgramEventKind::capture_end:
      std::erase(device.capturing, event.stream);
      break;
    case ProgramEventKind::pool_begin:
      device.scopes.push_back({event.pool, event.scope, event.stream});
      break;
    case ProgramEventKind::pool_end:
      std::erase_if(device.scopes, [&](const Scope& scope) { return scope.pool == event.pool; });
      break;
    case ProgramEventKind::options:
      device.settings =
          changed_settings(device.settings, tables_.texts.text(event.text),
                           "event " + std::to_string(next_number_) + " of the program");
      break;
    case ProgramEventKind::restore:
      return MemoryEventKind::restored;
    default:
      break;
  }
  return MemoryEventKind::other;
}

MemoryEvent ProgramMemoryEvents::event_of(const ProgramEvent& event) {
  Device& device = device_of(event);
  MemoryEvent seen;
  seen.kind = note(device, event);
  seen.device = event.device.value;
  seen.number = next_number_;
  seen.time_ns = event.time_ns;
  seen.text = event.text;
  if (seen.kind == MemoryEventKind::allocated)
    seen.block = block_of(device, event);
  else
    seen.block.key = event.id;
  ++next_number_;
  return seen;
}

Bytes rounded(Bytes request, const allocator::Settings& settings) {
  return request < allocator::request_limit ? round_request(request, settings) : request;
}

void pass_memory_events(Recording& recording, MemoryEventSink& sink) {
  if (!recording.is_program()) return pass_history(recording.history(), sink);
  ProgramMemoryEvents events(recording.file(), recording.tables(), sink);
  pass_program(recording, events);
}

void pass_program(Recording& recording, ProgramMemoryEvents& events) {
  if (recording.memory() == traces::ShownMemory::device) return recording.pass_program(events);
  traces::SnapshotSink unused;
  traces::HostRecording pinned(recording.tables(), {unused, events});
  recording.pass_program(pinned);
}

}  // namespace vramlab::replay
