// StrippedFrames: a sink that hands everything on without stacks. Events and old history lose the
// keys; segments and blocks keep an empty list, as viewers ask them for one. What is under keys
// that are no part of the format is handed on as it is.
#pragma once

#include "traces/values/program_sink.h"
#include "traces/values/snapshot_sink.h"

namespace vramlab::traces {

class StrippedFrames : public SnapshotSink {
 public:
  /// The next sink must live as long.
  explicit StrippedFrames(SnapshotSink& next) : next_(next) {}

  void bare_list() override { next_.bare_list(); }
  void section(SnapshotSection section) override { next_.section(section); }
  void segment(const SegmentValue& segment) override;
  void device_trace(DeviceIndex device) override { next_.device_trace(device); }
  void trace_entry(DeviceIndex device, const TraceEntry& entry) override;
  void settings(const GenericPointer& settings) override { next_.settings(settings); }
  void annotation(const AnnotationValue& annotation) override { next_.annotation(annotation); }
  void unknown_section(TextId key, const GenericPointer& value) override {
    next_.unknown_section(key, value);
  }

 private:
  SnapshotSink& next_;
};

/// The same for a program's events.
class StrippedProgramFrames : public ProgramSink {
 public:
  /// The next sink must live as long.
  explicit StrippedProgramFrames(ProgramSink& next) : next_(next) {}

  void header(const TraceHeader& header) override { next_.header(header); }
  void program_event(const ProgramEvent& event) override {
    ProgramEvent stripped = event;
    stripped.stack = {};
    next_.program_event(stripped);
  }

 private:
  ProgramSink& next_;
};

}  // namespace vramlab::traces
