// MappedTrace: a binary native trace in a file, its events as they lie there, for who goes through
// them many times. All of it is checked when it is opened: afterwards every event is of a kind that
// there is and refers only to what there is.
//
// The runs of events are in the order of the trace. What was recorded besides entries is passed
// over; read_trace() gives that.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "traces/io/mapped_file.h"
#include "traces/model/program_sink.h"
#include "traces/model/snapshot_tables.h"
#include "traces/native/native_layout.h"
#include "traces/native/native_record_reader.h"

namespace vramlab::traces {

class MappedTrace {
 public:
  using Run = std::span<const NativeEvent>;

  /// Throws InputError.
  explicit MappedTrace(const std::string& path);
  MappedTrace(const MappedTrace&) = delete;
  MappedTrace& operator=(const MappedTrace&) = delete;

  std::span<const Run> runs() const { return runs_; }
  std::uint64_t event_count() const { return event_count_; }
  const TraceHeader& header() const { return header_.kept; }

  /// Texts, frames and stacks; what an event refers to by number is in values().
  const SnapshotTables& tables() const { return tables_; }
  const NativeValueReader& values() const { return records_.values(); }

 private:
  struct KeptHeader : ProgramSink {
    void header(const TraceHeader& header) override { kept = header; }
    void program_event(const ProgramEvent&) override {}
    TraceHeader kept;
  };

  MappedFile file_;
  SnapshotTables tables_;
  SnapshotSink unused_;
  KeptHeader header_;
  NativeRecordReader records_;
  std::vector<Run> runs_;
  std::uint64_t event_count_ = 0;
};

}  // namespace vramlab::traces
