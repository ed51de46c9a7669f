#include "traces/filters/host_recording.h"

#include "traces/model/generic_text.h"

namespace vramlab::traces {
namespace {

std::uint64_t whole(const GenericValue* value) {
  const WholeNumber* number =
      value == nullptr ? nullptr : std::get_if<WholeNumber>(&value->content);
  return number == nullptr ? 0 : number->bits;
}

TextId text(const GenericValue* value) {
  const TextId* text = value == nullptr ? nullptr : std::get_if<TextId>(&value->content);
  return text == nullptr ? TextId{} : *text;
}

template <typename Value>
void add_keys(Value& value, std::initializer_list<KnownText> keys) {
  for (const KnownText key : keys) value.keys.add(key);
}

/// The kind of event that it is when the host is taken for a device; nothing for what is left out.
std::optional<ProgramEventKind> kind_on_a_device(ProgramEventKind kind) {
  using enum ProgramEventKind;
  switch (kind) {
    case host_malloc:
      return malloc;
    case host_free:
      return free;
    case host_use:
      return use;
    case host_empty_cache:
      return empty_cache;
    case marker:
    case range_begin:
    case range_end:
      return kind;
    default:
      return std::nullopt;
  }
}

}  // namespace

void HostRecording::program_event(const ProgramEvent& event) {
  const auto kind = kind_on_a_device(event.kind);
  if (!kind) return;
  ProgramEvent shown = event;
  shown.kind = *kind;
  shown.device = {};
  shown_.program.program_event(shown);
}

void HostRecording::unknown_section(TextId key, const GenericPointer& value) {
  const std::string_view name = tables_.texts.text(key);
  if (items_of(*value) == nullptr) return;
  if (name == host_segments_key) give_segments(*value);
  if (name == host_traces_key) give_entries(*value);
}

void HostRecording::give_segments(const GenericValue& list) {
  shown_.recorded.section(SnapshotSection::segments);
  for (const GenericPointer& object : *items_of(list)) shown_.recorded.segment(segment_of(*object));
}

void HostRecording::give_entries(const GenericValue& list) {
  shown_.recorded.section(SnapshotSection::device_traces);
  shown_.recorded.device_trace({});
  for (const GenericPointer& object : *items_of(list))
    shown_.recorded.trace_entry({}, entry_of(*object));
}

/// A block is handed out whole, so it is a segment: PyTorch writes each as a segment with one
/// block.
SegmentValue HostRecording::segment_of(const GenericValue& object) {
  const GenericValue* blocks = item(object, "blocks");
  const auto* items = blocks == nullptr ? nullptr : items_of(*blocks);
  const GenericValue& only = items == nullptr || items->empty() ? object : *items->front();
  BlockValue block;
  block.address = {number(object, "address")};
  block.size = {number(object, "total_size")};
  block.requested_size = block.size;
  block.state = text(item(only, "state"));
  block.stack = stack(only);
  add_keys(block, {KnownText::address, KnownText::size, KnownText::requested_size, KnownText::state,
                   KnownText::frames});
  SegmentValue segment;
  segment.address = block.address;
  segment.total_size = block.size;
  const bool is_allocated = block.state == KnownText::active_allocated;
  const bool waits = block.state == KnownText::active_pending_free ||
                     block.state == KnownText::active_awaiting_free;
  if (is_allocated) segment.allocated_size = block.size;
  if (is_allocated || waits) segment.active_size = segment.requested_size = block.size;
  segment.segment_type = KnownText::large;
  segment.pool = pool(object, "segment_pool_id");
  segment.stack = block.stack;
  segment.blocks.push_back(std::move(block));
  add_keys(segment, {KnownText::device, KnownText::address, KnownText::total_size,
                     KnownText::allocated_size, KnownText::active_size, KnownText::requested_size,
                     KnownText::stream, KnownText::segment_type, KnownText::segment_pool_id,
                     KnownText::is_expandable, KnownText::frames, KnownText::blocks});
  return segment;
}

TraceEntry HostRecording::entry_of(const GenericValue& object) {
  TraceEntry entry;
  entry.action = text(item(object, "action"));
  entry.address = {number(object, "addr")};
  entry.size = {number(object, "size")};
  entry.time_us = number(object, "time_us");
  entry.pool = pool(object, "pool_id");
  entry.stack = stack(object);
  add_keys(entry, {KnownText::action, KnownText::addr, KnownText::size, KnownText::stream,
                   KnownText::time_us, KnownText::pool_id});
  if (item(object, "frames") != nullptr) entry.keys.add(KnownText::frames);
  return entry;
}

const GenericValue* HostRecording::item(const GenericValue& object, std::string_view name) const {
  return find_item(object, name, tables_.texts);
}

std::uint64_t HostRecording::number(const GenericValue& object, std::string_view name) const {
  return whole(item(object, name));
}

PoolId HostRecording::pool(const GenericValue& object, std::string_view name) const {
  const GenericValue* found = item(object, name);
  const auto* ids = found == nullptr ? nullptr : items_of(*found);
  if (ids == nullptr || ids->size() != 2) return {};
  return {whole(ids->at(0).get()), whole(ids->at(1).get())};
}

StackId HostRecording::stack(const GenericValue& object) {
  const GenericValue* list = item(object, "frames");
  if (list == nullptr || items_of(*list) == nullptr) return {};
  const auto [known, is_new] = stacks_.try_emplace(list, StackId{});
  if (!is_new) return known->second;
  std::vector<FrameId> frames;
  for (const GenericPointer& one : *items_of(*list)) frames.push_back(frame(*one));
  return known->second = tables_.stacks.intern(frames);
}

FrameId HostRecording::frame(const GenericValue& object) {
  FrameValue frame;
  frame.name = text(item(object, "name"));
  frame.filename = text(item(object, "filename"));
  frame.line = static_cast<std::int64_t>(number(object, "line"));
  add_keys(frame, {KnownText::name, KnownText::filename, KnownText::line});
  return tables_.frames.intern(frame);
}

}  // namespace vramlab::traces
