#include "replay/replay_source.h"

#include "replay/program_replay.h"
#include "traces/input_error.h"
#include "traces/read_snapshot.h"

namespace vramlab::replay {
namespace {

/// Knows whether there was a program at all.
class CountedProgram : public traces::ProgramSink {
 public:
  explicit CountedProgram(ProgramReplay& replay) : replay_(replay) {}
  void header(const traces::TraceHeader& header) override { replay_.header(header); }
  void program_event(const traces::ProgramEvent& event) override {
    has_events_ = true;
    replay_.program_event(event);
  }
  bool has_events() const { return has_events_; }

 private:
  ProgramReplay& replay_;
  bool has_events_ = false;
};

}  // namespace

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
  CountedProgram program(replay);
  HistoryCollector collector(conditions_.scratch);
  traces::read_trace(trace, *tables_, {collector, program});
  if (program.has_events()) return replay.finish();
  history_ = collector.take();
  history_replay_ = std::make_unique<HistoryReplay>(name, history_, tables_->texts, conditions_);
  return history_replay_->run(watch);
}

}  // namespace vramlab::replay
