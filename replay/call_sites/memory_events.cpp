#include "replay/call_sites/memory_events.h"

#include <algorithm>

#include "allocator/options/size_rules.h"
#include "traces/formats/trace_formats.h"
#include "traces/io/input_error.h"

namespace vramlab::replay {
namespace {

using traces::KnownText;
using traces::ProgramEvent;
using traces::ProgramEventKind;
using traces::TextId;

/// Old formats say what the block was asked for last.
LiveBlock final_block_of(const traces::BlockValue& block, const traces::SegmentValue& segment) {
  LiveBlock held;
  held.key = block.address.value;
  held.bytes = block.size;
  held.requested = block.size;
  held.stream = segment.stream;
  held.pool = segment.pool;
  held.stack = block.stack;
  if (block.keys.has(KnownText::requested_size)) {
    held.requested = block.requested_size;
  } else if (!block.history.empty()) {
    held.requested = block.history.back().real_size;
  }
  if (held.stack == traces::StackId{} && !block.history.empty())
    held.stack = block.history.back().stack;
  return held;
}

}  // namespace

void RecordedMemoryEvents::segment(const traces::SegmentValue& segment) {
  sink_.final_segment(segment.device);
  for (const traces::BlockValue& block : segment.blocks)
    if (block.state == TextId(KnownText::active_allocated))
      sink_.final_block(segment.device, final_block_of(block, segment));
}

void RecordedMemoryEvents::trace_entry(traces::DeviceIndex index, const traces::TraceEntry& entry) {
  const std::uint64_t number = next_number_[index.value]++;
  MemoryEvent event;
  event.number = number;
  if (const auto action = action_of(entry.action)) event.kind = kind_of(*action);
  if (entry.action == TextId(KnownText::annotate)) event.kind = MemoryEventKind::labelled;
  event.device = index.value;
  if (entry.keys.has(KnownText::time_us)) event.time_ns = entry.time_us * ns_per_us;
  event.block = {.key = entry.address.value,
                 .requested = entry.size,
                 .bytes = entry.size,
                 .stream = entry.stream,
                 .pool = entry.pool,
                 .stack = entry.stack,
                 .label = entry.user_metadata,
                 .event = number,
                 .time_ns = event.time_ns,
                 .freed = {}};
  sink_.memory_event(event);
}

ProgramMemoryEvents::ProgramMemoryEvents(std::string file, const traces::SnapshotTables& tables,
                                         MemoryEventSink& sink)
    : file_(std::move(file)),
      tables_(tables),
      sink_(sink),
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
                              "options that version " + std::string(version_->name) + " takes",
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
  block.bytes = rounded(event.bytes, device.settings);
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
      ++restore_count_;
      return MemoryEventKind::restored;
    default:
      break;
  }
  return MemoryEventKind::other;
}

void ProgramMemoryEvents::program_event(const ProgramEvent& event) {
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
  sink_.memory_event(seen);
}

Bytes rounded(Bytes request, const allocator::Settings& settings) {
  return request < allocator::request_limit ? round_request(request, settings) : request;
}

bool read_memory_events(traces::OpenTrace& trace, traces::SnapshotTables& tables,
                        MemoryEventSink& recorded, MemoryEventSink& program) {
  RecordedMemoryEvents recorded_events(recorded);
  ProgramMemoryEvents program_events(trace.file, tables, program);
  traces::read_trace(trace, tables, {recorded_events, program_events});
  return program_events.event_count() > 0;
}

}  // namespace vramlab::replay
