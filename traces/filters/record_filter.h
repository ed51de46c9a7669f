// Sinks that hand on a part of a recording while it is read: a span of time, one device, one
// stream. What is no event keeps its place: sections, settings, the lists of other devices.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_set>

#include "traces/values/program_sink.h"
#include "traces/values/snapshot_sink.h"

namespace vramlab::traces {

/// What is to be kept; all of it where nothing is said.
struct RecordFilter {
  // Counted from the first event in the file that has a time; the end is not part of the span.
  std::optional<std::uint64_t> from_ns;
  std::optional<std::uint64_t> to_ns;
  std::optional<std::uint32_t> device;
  std::optional<allocator::StreamId> stream;
};

/// Whether times are in a span. One without a time is where the last one before it was.
class TimeSpanFilter {
 public:
  /// The times that are asked for are in units of so many nanoseconds.
  TimeSpanFilter(const RecordFilter& filter, std::uint64_t unit_ns);
  bool keeps(std::optional<std::uint64_t> time);

 private:
  std::optional<std::uint64_t> from_;
  std::optional<std::uint64_t> to_;
  std::optional<std::uint64_t> first_;
  std::uint64_t last_ = 0;
};

/// Segments are what was there at the end: they are left out where the span ends before it.
class FilteredSnapshot : public PassingSnapshot {
 public:
  /// The next sink must live as long.
  FilteredSnapshot(const RecordFilter& filter, SnapshotSink& next);

  void segment(const SegmentValue& segment) override;
  void trace_entry(DeviceIndex device, const TraceEntry& entry) override;
  void annotation(const AnnotationValue& annotation) override;

 private:
  bool keeps_device(std::int64_t device) const {
    return !filter_.device || device == std::int64_t{*filter_.device};
  }

  RecordFilter filter_;
  TimeSpanFilter times_;
};

/// What happens to memory goes with its malloc, so no free is left without one.
class FilteredProgram : public ProgramSink {
 public:
  /// The next sink must live as long.
  FilteredProgram(const RecordFilter& filter, ProgramSink& next);

  void header(const TraceHeader& header) override { next_.header(header); }
  void program_event(const ProgramEvent& event) override;

 private:
  bool keeps(const ProgramEvent& event);
  bool keeps_place(const ProgramEvent& event) const;

  RecordFilter filter_;
  TimeSpanFilter times_;
  ProgramSink& next_;
  /// The ids of mallocs that were handed on. Looked up only.
  std::unordered_set<std::uint64_t> live_ids_;
};

}  // namespace vramlab::traces
