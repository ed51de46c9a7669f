// ProgramSink: who takes the header and the program's events of a native trace, in the order of the
// file. What a snapshot recorded goes to a SnapshotSink beside it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "traces/model/program_event.h"

namespace vramlab::traces {

struct TraceDevice {
  DeviceIndex index;
  /// 0 where it is not known.
  Bytes memory;
  std::string name;
  friend bool operator==(const TraceDevice&, const TraceDevice&) = default;
};

/// What a native trace says about itself. Anything may be empty.
struct TraceHeader {
  /// What it is from, in a word or two: `snapshot`, `workload training`.
  std::string origin;
  /// The option string in force at the start.
  std::string settings;
  /// The reference's version, such as `2.6`.
  std::string reference;
  /// Those that something is known about; events may name others.
  std::vector<TraceDevice> devices;
  /// The version of the native trace: 2 for whoever writes events about pinned host memory.
  std::uint32_t version = 1;
  friend bool operator==(const TraceHeader&, const TraceHeader&) = default;
};

class ProgramSink {
 public:
  ProgramSink() = default;
  ProgramSink(const ProgramSink&) = delete;
  ProgramSink& operator=(const ProgramSink&) = delete;
  virtual ~ProgramSink() = default;

  /// Once, before everything else of the file.
  virtual void header(const TraceHeader&) {}
  virtual void program_event(const ProgramEvent& event) = 0;
};

/// Who takes a whole native trace.
struct NativeSinks {
  SnapshotSink& recorded;
  ProgramSink& program;
};

/// Writes what a reader finds, in one format, at once. A format without a place for a program's own
/// events refuses them, so that none is lost unseen.
class TraceWriter {
 public:
  TraceWriter() = default;
  TraceWriter(const TraceWriter&) = delete;
  TraceWriter& operator=(const TraceWriter&) = delete;
  virtual ~TraceWriter() = default;

  virtual NativeSinks sinks() = 0;
  /// After the last record: without it, the end is missing.
  virtual void finish() = 0;
};

/// For what has no place for a program's events: refuses the first one.
class RefusedProgram : public ProgramSink {
 public:
  /// Both are for the message: the input's name, and what takes no program, such as `a pickle`.
  RefusedProgram(std::string file, std::string taker);
  void program_event(const ProgramEvent& event) override;

 private:
  std::string file_;
  std::string taker_;
};

struct ProgramTimes {
  std::uint64_t first_ns = 0;
  std::uint64_t last_ns = 0;
};

/// What a program did, counted while a native trace is read.
struct ProgramSummary {
  TraceHeader header;
  /// By kind.
  std::array<std::uint64_t, program_event_kind_count> counts{};
  /// All mallocs together.
  Bytes requested;
  /// Null if no event has a time.
  std::optional<ProgramTimes> times;

  std::uint64_t event_count() const;
};

class ProgramCounter : public ProgramSink {
 public:
  void header(const TraceHeader& header) override { summary_.header = header; }
  void program_event(const ProgramEvent& event) override;
  const ProgramSummary& summary() const { return summary_; }

 private:
  ProgramSummary summary_;
};

}  // namespace vramlab::traces
