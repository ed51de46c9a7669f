// MappedTrace: a binary native trace in a file, its events as they lie in it, for readers that go
// through them many times. All of it is checked when it is opened: afterwards every event is of a
// known kind and refers only to lines that exist.
//
// The runs of events are in the order of the trace. Recorded values other than entries are passed
// over; read_trace() gives them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "traces/model/program_event.h"
#include "traces/model/snapshot_tables.h"
#include "traces/native/native_layout.h"
#include "traces/native/native_text.h"

namespace vramlab::traces {

/// A file's bytes as memory, read by the system when they are looked at. If another program
/// shortens the file meanwhile, this program ends.
class MappedFile {
 public:
  /// Throws InputError.
  explicit MappedFile(const std::string& path);
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::string_view bytes() const { return {begin_, size_}; }

 private:
  const char* begin_ = nullptr;
  std::size_t size_ = 0;
};

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

  /// Texts, frames and stacks; values() has the items that events refer to by number.
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
