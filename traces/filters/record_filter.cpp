#include "traces/filters/record_filter.h"

namespace vramlab::traces {
namespace {

constexpr std::uint64_t ns_of_a_us = 1000;

std::optional<std::uint64_t> in_units(std::optional<std::uint64_t> time_ns, std::uint64_t unit_ns) {
  if (!time_ns) return std::nullopt;
  return *time_ns / unit_ns + (*time_ns % unit_ns != 0 ? 1 : 0);
}

template <typename Value>
std::optional<std::uint64_t> time_of(const Value& value) {
  if (!value.keys.has(KnownText::time_us)) return std::nullopt;
  return value.time_us;
}

}  // namespace

/// Both ends are rounded up: a time in whole units is at or behind an end exactly if it is at or
/// behind the rounded end.
TimeSpanFilter::TimeSpanFilter(const RecordFilter& filter, std::uint64_t unit_ns)
    : from_(in_units(filter.from_ns, unit_ns)), to_(in_units(filter.to_ns, unit_ns)) {}

bool TimeSpanFilter::keeps(std::optional<std::uint64_t> time) {
  if (!first_ && time) first_ = last_ = *time;
  if (time) last_ = *time;
  if (!first_ || last_ < *first_) return !from_;
  const std::uint64_t since_first = last_ - *first_;
  return (!from_ || since_first >= *from_) && (!to_ || since_first < *to_);
}

FilteredRecording::FilteredRecording(const RecordFilter& filter, NativeSinks next)
    : PassingSinks(next),
      filter_(filter),
      recorded_times_(filter, ns_of_a_us),
      program_times_(filter, 1) {}

void FilteredRecording::segment(const SegmentValue& segment) {
  if (!filter_.to_ns && keeps_stream(segment.stream) && keeps_device(segment.device))
    recorded_.segment(segment);
}

void FilteredRecording::trace_entry(DeviceIndex device, const TraceEntry& entry) {
  const bool is_in_span = recorded_times_.keeps(time_of(entry));
  if (is_in_span && keeps_stream(entry.stream) && keeps_device(device.value))
    recorded_.trace_entry(device, entry);
}

void FilteredRecording::annotation(const AnnotationValue& annotation) {
  const bool is_in_span = recorded_times_.keeps(time_of(annotation));
  const bool is_of_device =
      !annotation.keys.has(KnownText::device) || keeps_device(annotation.device);
  if (is_in_span && is_of_device) recorded_.annotation(annotation);
}

void FilteredRecording::program_event(const ProgramEvent& event) {
  if (keeps(event)) program_.program_event(event);
}

bool FilteredRecording::keeps(const ProgramEvent& event) {
  if (!program_times_.keeps(event.time_ns)) return false;
  const bool keeps_place =
      keeps_device(event.device.value) &&
      (!has_field(event.kind, ProgramField::stream) || keeps_stream(event.stream));
  switch (event.kind) {
    case ProgramEventKind::malloc:
      if (keeps_place) live_ids_.insert(event.id);
      return keeps_place;
    case ProgramEventKind::use:
    case ProgramEventKind::reads:
    case ProgramEventKind::writes:
      return live_ids_.contains(event.id);
    case ProgramEventKind::free:
      return live_ids_.erase(event.id) != 0;
    case ProgramEventKind::host_malloc:
      if (keeps_place) live_host_ids_.insert(event.id);
      return keeps_place;
    case ProgramEventKind::host_use:
      return live_host_ids_.contains(event.id);
    case ProgramEventKind::host_free:
      return live_host_ids_.erase(event.id) != 0;
    default:
      return keeps_place;
  }
}

void StrippedFrames::segment(const SegmentValue& segment) {
  SegmentValue stripped = segment;
  stripped.stack = {};
  for (BlockValue& block : stripped.blocks) {
    block.stack = {};
    for (HistoryEntry& entry : block.history) entry.keys.remove(KnownText::frames);
  }
  recorded_.segment(stripped);
}

void StrippedFrames::trace_entry(DeviceIndex device, const TraceEntry& entry) {
  TraceEntry stripped = entry;
  stripped.keys.remove(KnownText::frames);
  stripped.keys.remove(KnownText::forward_frames);
  recorded_.trace_entry(device, stripped);
}

void StrippedFrames::program_event(const ProgramEvent& event) {
  ProgramEvent stripped = event;
  stripped.stack = {};
  program_.program_event(stripped);
}

}  // namespace vramlab::traces
