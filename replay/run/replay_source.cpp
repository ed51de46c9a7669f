#include "replay/run/replay_source.h"

#include "replay/run/noted_program.h"
#include "traces/files/input_error.h"
#include "traces/formats/read_snapshot.h"

namespace vramlab::replay {

ReplaySource::ReplaySource(std::string path, ReplayConditions conditions,
                           traces::ProgressListener listener)
    : path_(std::move(path)),
      conditions_(std::move(conditions)),
      listener_(std::move(listener)),
      tables_(std::make_unique<traces::SnapshotTables>()) {}

ReplaySource::~ReplaySource() = default;

ReplayReport ReplaySource::run(const ReplayWatch& watch) {
  if (history_replay_) return history_replay_->run(watch);
  if (was_read_ && path_ == "-")
    throw traces::InputError({traces::input_name(path_), "",
                              "a file, as this goes through a program twice", "standard input"});
  was_read_ = true;
  tables_ = std::make_unique<traces::SnapshotTables>();
  return read_and_run(watch);
}

ReplayReport ReplaySource::read_and_run(const ReplayWatch& watch) {
  traces::OpenTrace trace = traces::open_trace(path_, listener_);
  const std::string name = trace.file;
  ProgramReplay replay(name, *tables_, conditions_, watch);
  NotedProgram program(replay);
  HistoryCollector collector(conditions_.scratch);
  traces::read_trace(trace, *tables_, {collector, program});
  if (program.has_events()) return replay.finish();
  history_ = collector.take();
  history_replay_ = std::make_unique<HistoryReplay>(name, history_, tables_->texts, conditions_);
  return history_replay_->run(watch);
}

}  // namespace vramlab::replay
