// Sinks that hand a recording on while it is read, or a part of it: a span of time, one device, one
// stream, all but the stacks. Values that are no events keep their places: sections, settings, the
// lists of other devices.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "traces/model/program_event.h"
#include "traces/model/snapshot_tables.h"
#include "traces/model/snapshot_values.h"

namespace vramlab::traces {

/// Hands everything on to other sinks, which must live as long; a filter overrides what it changes.
class PassingSinks : public SnapshotSink, public ProgramSink {
 public:
  explicit PassingSinks(NativeSinks next) : recorded_(next.recorded), program_(next.program) {}

  NativeSinks sinks() { return {*this, *this}; }

  void bare_list() override { recorded_.bare_list(); }
  void section(SnapshotSection section) override { recorded_.section(section); }
  void segment(const SegmentValue& segment) override { recorded_.segment(segment); }
  void device_trace(DeviceIndex device) override { recorded_.device_trace(device); }
  void trace_entry(DeviceIndex device, const TraceEntry& entry) override {
    recorded_.trace_entry(device, entry);
  }
  void settings(const GenericPointer& settings) override { recorded_.settings(settings); }
  void annotation(const AnnotationValue& annotation) override { recorded_.annotation(annotation); }
  void unknown_section(TextId key, const GenericPointer& value) override {
    recorded_.unknown_section(key, value);
  }
  void header(const TraceHeader& header) override { program_.header(header); }
  void program_event(const ProgramEvent& event) override { program_.program_event(event); }

 protected:
  SnapshotSink& recorded_;
  ProgramSink& program_;
};

/// The part of a recording to keep; a member that is not set keeps everything.
struct RecordFilter {
  // Counted from the first event in the file that has a time; the end is not part of the span.
  std::optional<std::uint64_t> from_ns;
  std::optional<std::uint64_t> to_ns;
  std::optional<std::uint32_t> device;
  std::optional<StreamId> stream;
};

/// Says whether events are in a span of time. An event without a time is where the last event
/// before it was.
class TimeSpanFilter {
 public:
  /// The times that are asked about are in units of `unit_ns` nanoseconds.
  TimeSpanFilter(const RecordFilter& filter, std::uint64_t unit_ns);
  bool keeps(std::optional<std::uint64_t> time);

 private:
  std::optional<std::uint64_t> from_;
  std::optional<std::uint64_t> to_;
  std::optional<std::uint64_t> first_;
  std::uint64_t last_ = 0;
};

/// The places of entries among those of a device that are kept.
class KeptPlaces {
 public:
  void add(DeviceIndex device, bool is_kept);
  /// How many of the device's first `before` entries were kept.
  std::uint64_t kept_before(DeviceIndex device, std::uint64_t before) const;
  /// Whether an entry behind the last one that was kept comes before the place.
  bool is_behind_last(DeviceIndex device, std::uint64_t before) const;

 private:
  /// Entries in a row that were all kept or all left out.
  struct Run {
    std::uint64_t first = 0;
    std::uint64_t kept_before = 0;
    bool is_kept = false;
  };
  struct Entries {
    std::uint64_t count = 0;
    std::uint64_t kept = 0;
    std::vector<Run> runs;
  };
  std::map<DeviceIndex, Entries> entries_;
};

/// Segments are the state at the end: they are left out where the span ends before it. The events
/// of a program's memory go with its malloc, so no free is left without a malloc. Notes of a dry
/// run move with the entries around them.
class FilteredRecording : public PassingSinks {
 public:
  /// `file` is for messages. The texts must outlive it.
  FilteredRecording(const RecordFilter& filter, std::string file, TextTable& texts,
                    NativeSinks next);

  void segment(const SegmentValue& segment) override;
  void trace_entry(DeviceIndex device, const TraceEntry& entry) override;
  void annotation(const AnnotationValue& annotation) override;
  void section(SnapshotSection section) override;
  void unknown_section(TextId key, const GenericPointer& value) override;
  void program_event(const ProgramEvent& event) override;

 private:
  GenericPointer kept_notes(const GenericPointer& notes) const;
  GenericPointer kept_kinds(const GenericPointer& notes) const;
  bool keeps_device(std::int64_t device) const {
    return !filter_.device || device == std::int64_t{*filter_.device};
  }
  bool keeps_stream(StreamId stream) const { return !filter_.stream || stream == *filter_.stream; }
  bool keeps(const ProgramEvent& event);

  RecordFilter filter_;
  std::string file_;
  TextTable& texts_;
  KeptPlaces places_;
  bool had_traces_ = false;
  TimeSpanFilter recorded_times_;
  TimeSpanFilter program_times_;
  /// The ids of mallocs that were handed on. Looked up only.
  std::unordered_set<std::uint64_t> live_ids_;
  std::unordered_set<std::uint64_t> live_host_ids_;
};

/// Hands a recording on without stacks. Events and old history lose the keys; segments and blocks
/// keep an empty list, as viewers ask them for a list. Values under keys that are no part of the
/// format are handed on as they are.
class StrippedFrames : public PassingSinks {
 public:
  using PassingSinks::PassingSinks;

  void segment(const SegmentValue& segment) override;
  void trace_entry(DeviceIndex device, const TraceEntry& entry) override;
  void program_event(const ProgramEvent& event) override;
};

}  // namespace vramlab::traces
