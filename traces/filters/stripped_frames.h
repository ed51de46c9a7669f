// StrippedFrames: a sink that hands everything on without stacks. Events and old history lose the
// keys; segments and blocks keep an empty list, as viewers ask them for one. What is under keys
// that are no part of the format is handed on as it is.
#pragma once

#include "traces/values/program_sink.h"
#include "traces/values/snapshot_sink.h"

namespace vramlab::traces {

class StrippedFrames : public PassingSnapshot {
 public:
  /// The next sink must live as long.
  explicit StrippedFrames(SnapshotSink& next) : PassingSnapshot(next) {}

  void segment(const SegmentValue& segment) override {
    SegmentValue stripped = segment;
    stripped.stack = {};
    for (BlockValue& block : stripped.blocks) {
      block.stack = {};
      for (HistoryEntry& entry : block.history) entry.keys.remove(KnownText::frames);
    }
    next_.segment(stripped);
  }
  void trace_entry(DeviceIndex device, const TraceEntry& entry) override {
    TraceEntry stripped = entry;
    stripped.keys.remove(KnownText::frames);
    stripped.keys.remove(KnownText::forward_frames);
    next_.trace_entry(device, stripped);
  }
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
