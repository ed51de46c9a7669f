// Recording: a file that is opened once and read once, whatever its format and whatever is asked of
// it: a program's own events, or the histories of devices with all that the file says beside them.
// How a history came about is explained on demand, once for each device, and kept. Everything that
// is long lies in scratch files, where there is a place for them.
//
// Questions are functions of a recording: states, call sites, lifetimes, comparisons; what other
// conditions would have done is a question to a Replayer (replay/replayer).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "replay/recording/compact_program.h"
#include "replay/recording/explained_history.h"
#include "replay/recording/recorded_history.h"
#include "replay/recording/recording_summary.h"
#include "traces/formats/open_trace.h"
#include "traces/formats/trace_formats.h"
#include "traces/model/program_event.h"

namespace vramlab::replay {

/// How often a program's events are gone through. With one pass they are not kept, so that a long
/// program takes no room.
enum class Passes : std::uint8_t { one, many };

/// Whether reading also makes a summary, which takes time.
enum class Summarizes : bool { no, yes };

struct OpenConditions {
  /// Null: as the file says, or guessed from it.
  const ReferenceVersion* version = nullptr;
  traces::ScratchPlace scratch = {};
  Passes passes = Passes::many;
  Summarizes summarizes = Summarizes::no;
  /// Called when the history of a device was explained.
  std::function<void(std::int64_t device)> explained = {};
  traces::HostAlone host_alone = traces::HostAlone::refused;
};

class Recording {
 public:
  /// Reads the file, but for the events of a program that has one pass. Throws InputError.
  explicit Recording(traces::OpenTrace trace, OpenConditions conditions = {});
  /// A history that was collected elsewhere. `file` is for messages.
  Recording(std::string file, RecordedHistory history,
            std::shared_ptr<traces::SnapshotTables> tables, OpenConditions conditions = {});
  Recording(Recording&&) noexcept;
  ~Recording();

  const std::string& file() const { return file_; }
  traces::TraceFormat format() const { return trace_.format; }
  bool is_program() const { return trace_.kind == traces::TraceKind::program; }
  /// The memory that is shown. For the host, the history is about pinned memory, shown as that of a
  /// device, and a program's memory events are those of pinned memory.
  traces::ShownMemory memory() const { return memory_; }
  /// Texts and stacks of everything here; questions may add texts of their own.
  traces::SnapshotTables& tables() const { return *tables_; }
  const traces::ScratchPlace& scratch() const { return conditions_.scratch; }
  /// The version that was asked for; null where the file decides.
  const ReferenceVersion* asked_version() const { return conditions_.version; }

  // A program.

  /// Gives the header and all events, in order. Requires: it was not passed before, unless there
  /// are many passes. Throws InputError.
  void pass_program(traces::ProgramSink& sink);
  /// Null where the events are not kept.
  const ProgramPart* program() const { return program_ ? &*program_ : nullptr; }
  /// Requires: the program was passed, or is kept.
  const traces::TraceHeader& header() const;

  // A history.

  /// Devices by number; without any for a program.
  const RecordedHistory& history() const { return history_; }
  /// Null if the file says nothing of the device.
  const DeviceHistory* device(std::int64_t number) const;
  /// The version and the settings that it was made under, as the file says, or guessed once.
  const VerifyConditions& rules();
  /// Other settings than the recorded ones. Requires: nothing is explained yet.
  void take_settings(const Settings& settings);
  /// Requires: it is one of history().devices.
  const ExplainedHistory& explained(const DeviceHistory& device);
  /// The history as a walk through its blocks begins with it: without the engine unless options
  /// that decide about sizes may have changed in mid-run. Requires: it is one of them, and has no
  /// impossible part.
  const StartedHistory& started(const DeviceHistory& device);
  /// The same with times; without the engine where nobody needs it: where the file says every pool
  /// and nothing was explained yet. Requires: it is one of them, and has no impossible part.
  const ExplainedHistory& walk(const DeviceHistory& device);
  /// Pinned memory, as far as the file has sections of it: no device, or one.
  RecordedHistory& pinned();
  /// The file's signs of its origin. Requires: a summary was asked for.
  const RecordingSummary& summary() const { return *summary_; }

 private:
  void read_history();
  /// Null where only following the history tells under which rules its blocks were placed.
  std::unique_ptr<StartedHistory> start_alone(const DeviceHistory& device) const;
  std::size_t index_of(const DeviceHistory& device) const;
  void read_program();

  std::string file_;
  OpenConditions conditions_;
  traces::OpenTrace trace_;
  traces::ShownMemory memory_ = traces::ShownMemory::device;
  std::shared_ptr<traces::SnapshotTables> tables_;
  traces::TraceHeader header_;
  std::optional<ProgramPart> program_;
  bool was_passed_ = false;
  RecordedHistory history_;
  std::optional<VerifyConditions> rules_;
  FirstTries tries_;
  /// By device.
  std::vector<std::unique_ptr<ExplainedHistory>> explained_;
  /// By device: those that were walked through and not explained.
  std::vector<std::unique_ptr<ExplainedHistory>> walked_;
  /// By device: those that were walked through alone.
  std::vector<std::unique_ptr<StartedHistory>> started_;
  std::optional<RecordedHistory> pinned_;
  std::optional<RecordingSummary> summary_;
};

}  // namespace vramlab::replay
