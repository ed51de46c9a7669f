#include "replay/replayer/replay_source.h"

#include "replay/replayer/program_replay.h"
#include "replay/replayer/recording.h"
#include "traces/formats/trace_formats.h"
#include "traces/io/input_error.h"

namespace vramlab::replay {

ReplaySource::ReplaySource(std::string path, ReplayConditions conditions,
                           traces::ProgressListener listener)
    : path_(std::move(path)),
      conditions_(std::move(conditions)),
      listener_(std::move(listener)),
      tables_(std::make_unique<traces::SnapshotTables>()) {}

ReplaySource::~ReplaySource() = default;

ReplayReport ReplaySource::run(const ReplayWatch& watch) {
  if (recording_) return recording_->run(conditions_, watch);
  if (was_read_ && path_ == "-")
    throw traces::InputError({traces::input_name(path_), "",
                              "a file, as this goes through a program twice", "standard input"});
  was_read_ = true;
  tables_ = std::make_unique<traces::SnapshotTables>();
  return read_and_run(watch);
}

ReplayReport ReplaySource::read_and_run(const ReplayWatch& watch) {
  traces::OpenTrace trace = traces::open_trace(path_, listener_);
  ProgramReplay program(trace.file, *tables_, conditions_, watch);
  HistoryCollector collector(conditions_.scratch);
  traces::read_trace(trace, *tables_, {collector, program});
  if (program.has_events()) return program.finish();
  recording_ =
      std::make_unique<Recording>(trace.file, collector.take(), *tables_, conditions_.version);
  return recording_->run(conditions_, watch);
}

}  // namespace vramlab::replay
