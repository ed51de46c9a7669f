#include "traces/filters/record_filter.h"

#include <algorithm>
#include <iterator>

#include "traces/model/dry_run_notes.h"
#include "traces/model/kinds_notes.h"

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

void KeptPlaces::add(DeviceIndex device, bool is_kept) {
  Entries& entries = entries_[device];
  if (entries.runs.empty() || entries.runs.back().is_kept != is_kept)
    entries.runs.push_back({entries.count, entries.kept, is_kept});
  ++entries.count;
  if (is_kept) ++entries.kept;
}

std::uint64_t KeptPlaces::kept_before(DeviceIndex device, std::uint64_t before) const {
  const auto found = entries_.find(device);
  if (found == entries_.end()) return 0;
  const std::vector<Run>& runs = found->second.runs;
  const auto next = std::ranges::upper_bound(runs, before, {}, &Run::first);
  const Run& run = *std::prev(next);
  return run.kept_before + (run.is_kept ? before - run.first : 0);
}

bool KeptPlaces::is_behind_last(DeviceIndex device, std::uint64_t before) const {
  const auto found = entries_.find(device);
  if (found == entries_.end()) return false;
  const Run& last = found->second.runs.back();
  return !last.is_kept && before > last.first;
}

FilteredRecording::FilteredRecording(const RecordFilter& filter, std::string file, TextTable& texts,
                                     NativeSinks next)
    : PassingSinks(next),
      filter_(filter),
      file_(std::move(file)),
      texts_(texts),
      recorded_times_(filter, ns_of_a_us),
      program_times_(filter, 1) {}

void FilteredRecording::segment(const SegmentValue& segment) {
  if (!filter_.to_ns && keeps_stream(segment.stream) && keeps_device(segment.device))
    recorded_.segment(segment);
}

void FilteredRecording::trace_entry(DeviceIndex device, const TraceEntry& entry) {
  const bool is_in_span = recorded_times_.keeps(time_of(entry));
  const bool is_kept = is_in_span && keeps_stream(entry.stream) && keeps_device(device.value);
  places_.add(device, is_kept);
  if (is_kept) recorded_.trace_entry(device, entry);
}

void FilteredRecording::section(SnapshotSection section) {
  had_traces_ = had_traces_ || section == SnapshotSection::device_traces;
  PassingSinks::section(section);
}

void FilteredRecording::unknown_section(TextId key, const GenericPointer& value) {
  const std::string_view name = texts_.text(key);
  if (name == dry_run_key) return PassingSinks::unknown_section(key, kept_notes(value));
  if (name != kinds_key) return PassingSinks::unknown_section(key, value);
  // Before the entries nobody knows which of them will be left.
  if (had_traces_) PassingSinks::unknown_section(key, kept_kinds(value));
}

GenericPointer FilteredRecording::kept_kinds(const GenericPointer& notes) const {
  return moved_kinds_notes(
      notes, texts_,
      [this](DeviceIndex device, std::uint64_t before) {
        return places_.kept_before(device, before);
      },
      file_);
}

/// A cache that held nothing before the first entry that is kept may hold something there. If notes
/// come before the entries, nobody knows yet where their calls will be.
GenericPointer FilteredRecording::kept_notes(const GenericPointer& notes) const {
  if (!had_traces_) return notes_without_calls(notes, texts_);
  const bool keeps_end = !filter_.to_ns;
  return moved_notes(notes, texts_,
                     [&](std::string_view call, DeviceIndex device,
                         std::uint64_t before) -> std::optional<std::uint64_t> {
                       const std::uint64_t place = places_.kept_before(device, before);
                       const bool is_lost =
                           place == 0 && before > 0 &&
                           call == program_event_name(ProgramEventKind::empty_cache);
                       if (is_lost || !keeps_device(device.value)) return std::nullopt;
                       if (!keeps_end && places_.is_behind_last(device, before))
                         return std::nullopt;
                       return place;
                     });
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
