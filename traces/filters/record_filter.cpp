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

/// Both ends are rounded up: a time in whole units is at or behind one exactly then.
TimeSpanFilter::TimeSpanFilter(const RecordFilter& filter, std::uint64_t unit_ns)
    : from_(in_units(filter.from_ns, unit_ns)), to_(in_units(filter.to_ns, unit_ns)) {}

bool TimeSpanFilter::keeps(std::optional<std::uint64_t> time) {
  if (!first_ && time) first_ = last_ = *time;
  if (time) last_ = *time;
  if (!first_ || last_ < *first_) return !from_;
  const std::uint64_t since_first = last_ - *first_;
  return (!from_ || since_first >= *from_) && (!to_ || since_first < *to_);
}

FilteredSnapshot::FilteredSnapshot(const RecordFilter& filter, SnapshotSink& next)
    : PassingSnapshot(next), filter_(filter), times_(filter, ns_of_a_us) {}

void FilteredSnapshot::segment(const SegmentValue& segment) {
  const bool is_of_stream = !filter_.stream || segment.stream == *filter_.stream;
  if (!filter_.to_ns && is_of_stream && keeps_device(segment.device)) next_.segment(segment);
}

void FilteredSnapshot::trace_entry(DeviceIndex device, const TraceEntry& entry) {
  const bool is_in_span = times_.keeps(time_of(entry));
  const bool is_of_stream = !filter_.stream || entry.stream == *filter_.stream;
  if (is_in_span && is_of_stream && keeps_device(device.value)) next_.trace_entry(device, entry);
}

void FilteredSnapshot::annotation(const AnnotationValue& annotation) {
  const bool is_in_span = times_.keeps(time_of(annotation));
  const bool is_of_device =
      !annotation.keys.has(KnownText::device) || keeps_device(annotation.device);
  if (is_in_span && is_of_device) next_.annotation(annotation);
}

FilteredProgram::FilteredProgram(const RecordFilter& filter, ProgramSink& next)
    : filter_(filter), times_(filter, 1), next_(next) {}

void FilteredProgram::program_event(const ProgramEvent& event) {
  if (keeps(event)) next_.program_event(event);
}

bool FilteredProgram::keeps_place(const ProgramEvent& event) const {
  if (filter_.device && event.device.value != *filter_.device) return false;
  return !filter_.stream || !has_field(event.kind, ProgramField::stream) ||
         event.stream == *filter_.stream;
}

bool FilteredProgram::keeps(const ProgramEvent& event) {
  const bool is_in_span = times_.keeps(event.time_ns);
  switch (event.kind) {
    case ProgramEventKind::malloc:
      if (!is_in_span || !keeps_place(event)) return false;
      live_ids_.insert(event.id);
      return true;
    case ProgramEventKind::use:
    case ProgramEventKind::reads:
    case ProgramEventKind::writes:
      return is_in_span && live_ids_.contains(event.id);
    case ProgramEventKind::free:
      return is_in_span && live_ids_.erase(event.id) != 0;
    default:
      return is_in_span && keeps_place(event);
  }
}

}  // namespace vramlab::traces
