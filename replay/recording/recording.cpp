#include "replay/recording/recording.h"

#include <utility>

#include "allocator/types/answers.h"
#include "allocator/types/check.h"
#include "replay/recording/pinned_history.h"
#include "traces/io/input_error.h"

namespace vramlab::replay {
namespace {

using traces::InputError;

/// Keeps a program's events.
class ProgramCollector : public traces::ProgramSink {
 public:
  ProgramCollector(std::string file, const traces::ScratchPlace& scratch)
      : file_(std::move(file)), writer_(scratch, KeepsIds::always) {}

  void header(const traces::TraceHeader& header) override { header_ = header; }
  void program_event(const traces::ProgramEvent& event) override {
    try {
      writer_.add(event, position_);
    } catch (const AllocatorError& error) {
      throw InputError({file_, "event " + std::to_string(position_) + " of the program",
                        "a call that may be made then", error.what()});
    }
    ++position_;
  }

  const traces::TraceHeader& header() const { return header_; }
  CompactProgram finish() { return writer_.finish(); }

 private:
  std::string file_;
  traces::TraceHeader header_;
  CompactWriter writer_;
  std::uint64_t position_ = 0;
};

/// Passes a program on and keeps its header.
class HeaderKeeper : public traces::ProgramSink {
 public:
  HeaderKeeper(traces::ProgramSink& next, traces::TraceHeader& kept) : next_(next), kept_(kept) {}

  void header(const traces::TraceHeader& header) override {
    kept_ = header;
    next_.header(header);
  }
  void program_event(const traces::ProgramEvent& event) override { next_.program_event(event); }

 private:
  traces::ProgramSink& next_;
  traces::TraceHeader& kept_;
};

/// A program's events in a file that is a history by its first records. A header is none.
class ProgramBesideHistory : public traces::RefusedProgram {
 public:
  explicit ProgramBesideHistory(const std::string& file)
      : RefusedProgram(file, "a trace that begins as a recording") {}
};

/// A recording in a file that is a program by its first records.
class RecordingBesideProgram final : public traces::SnapshotSink {
 public:
  explicit RecordingBesideProgram(std::string file) : file_(std::move(file)) {}
  void segment(const traces::SegmentValue&) override { refuse("a segment"); }
  void trace_entry(traces::DeviceIndex, const traces::TraceEntry&) override { refuse("an entry"); }

 private:
  [[noreturn]] void refuse(const char* found) const {
    throw InputError(
        {file_, "", "a program without a recording, as the trace begins as a program", found});
  }

  std::string file_;
};

/// Tells two sinks of a snapshot.
class SinkAndSummary final : public traces::SnapshotSink {
 public:
  SinkAndSummary(traces::SnapshotSink& first, RecordingSummarizer& second)
      : first_(first), second_(second) {}

  void bare_list() override {
    both([](auto& sink) { sink.bare_list(); });
  }
  void section(traces::SnapshotSection section) override {
    both([&](auto& sink) { sink.section(section); });
  }
  void segment(const traces::SegmentValue& segment) override {
    both([&](auto& sink) { sink.segment(segment); });
  }
  void device_trace(traces::DeviceIndex device) override {
    both([&](auto& sink) { sink.device_trace(device); });
  }
  void trace_entry(traces::DeviceIndex index, const traces::TraceEntry& entry) override {
    both([&](auto& sink) { sink.trace_entry(index, entry); });
  }
  void settings(const traces::GenericPointer& settings) override {
    both([&](auto& sink) { sink.settings(settings); });
  }
  void annotation(const traces::AnnotationValue& annotation) override {
    both([&](auto& sink) { sink.annotation(annotation); });
  }
  void unknown_section(traces::TextId key, const traces::GenericPointer& value) override {
    both([&](auto& sink) { sink.unknown_section(key, value); });
  }

 private:
  template <class Tell>
  void both(const Tell& tell) {
    tell(first_);
    tell(second_);
  }

  traces::SnapshotSink& first_;
  RecordingSummarizer& second_;
};

}  // namespace

Recording::Recording(traces::OpenTrace trace, OpenConditions conditions)
    : file_(trace.file),
      conditions_(std::move(conditions)),
      trace_(std::move(trace)),
      memory_(trace_.memory),
      tables_(std::make_shared<traces::SnapshotTables>()) {
  // A replay needs all of a program.
  if (is_program()) trace_.memory = traces::ShownMemory::device;
  if (!is_program())
    read_history();
  else if (conditions_.passes == Passes::many)
    read_program();
}

Recording::Recording(std::string file, RecordedHistory history,
                     std::shared_ptr<traces::SnapshotTables> tables, OpenConditions conditions)
    : file_(std::move(file)),
      conditions_(std::move(conditions)),
      tables_(std::move(tables)),
      history_(std::move(history)),
      explained_(history_.devices.size()) {
  take_notes(history_, tables_->texts, file_);
  find_restored_checkpoints(history_, *tables_);
}

Recording::Recording(Recording&&) noexcept = default;
Recording::~Recording() = default;

void Recording::read_history() {
  HistoryCollector collector(conditions_.scratch);
  ProgramBesideHistory program(file_);
  if (conditions_.summarizes == Summarizes::yes) {
    RecordingSummarizer summarizer(*tables_);
    SinkAndSummary both(collector, summarizer);
    traces::read_trace(trace_, *tables_, {both, program}, conditions_.host_alone);
    summary_ = summarizer.finish();
  } else {
    traces::read_trace(trace_, *tables_, {collector, program}, conditions_.host_alone);
  }
  history_ = collector.take();
  take_notes(history_, tables_->texts, file_);
  find_restored_checkpoints(history_, *tables_);
  if (memory() == traces::ShownMemory::host) take_as_host(history_);
  explained_.resize(history_.devices.size());
}

void Recording::read_program() {
  ProgramCollector collector(file_, conditions_.scratch);
  pass_program(collector);
  header_ = collector.header();
  program_.emplace().program = collector.finish();
}

void Recording::pass_program(traces::ProgramSink& sink) {
  if (program_) {
    sink.header(header_);
    CompactReader reader(program_->program);
    for (std::size_t i = 0; i < program_->program.event_count(); ++i)
      sink.program_event(reader.event_at(i));
    return;
  }
  check(!std::exchange(was_passed_, true), "a program that is not kept is gone through once");
  RecordingBesideProgram recorded(file_);
  HeaderKeeper keeper(sink, header_);
  traces::read_trace(trace_, *tables_, {recorded, keeper});
}

const traces::TraceHeader& Recording::header() const {
  check(!is_program() || program_ || was_passed_, "a program's header is known once it was passed");
  return header_;
}

const DeviceHistory* Recording::device(std::int64_t number) const {
  for (const DeviceHistory& device : history_.devices)
    if (device.device == number) return &device;
  return nullptr;
}

const VerifyConditions& Recording::rules() {
  if (!rules_) {
    GuessedConditions guessed = guess_conditions(history_, tables_->texts, conditions_.version);
    rules_.emplace(std::move(guessed.conditions));
    tries_ = std::move(guessed.tries);
  }
  return *rules_;
}

void Recording::take_settings(const Settings& settings) {
  rules();
  for (const auto& explained : explained_)
    check(explained == nullptr, "settings are taken before a history is explained");
  tries_.clear();
  rules_->settings = {settings, {}};
}

std::size_t Recording::index_of(const DeviceHistory& device) const {
  const auto index = static_cast<std::size_t>(&device - history_.devices.data());
  check(index < explained_.size(), "a device of this recording is explained");
  return index;
}

std::unique_ptr<StartedHistory> Recording::start_alone(const DeviceHistory& device) const {
  if (rules_) return start_by_rules(device, *rules_);
  // Whatever version is guessed in the end: if all that are possible agree, none has to be.
  std::vector<const ReferenceVersion*> possible = {conditions_.version};
  if (conditions_.version == nullptr) possible = possible_references(history_, tables_->texts);
  const ReferenceVersion& first = *possible.front();
  const SettingsInForce settings = recorded_settings(history_, tables_->texts, first);
  for (const ReferenceVersion* other : possible)
    if (other->private_segments != first.private_segments ||
        recorded_settings(history_, tables_->texts, *other).settings != settings.settings)
      return nullptr;
  return start_by_rules(device, {first, true, settings, true});
}

const StartedHistory& Recording::started(const DeviceHistory& device) {
  const std::size_t index = index_of(device);
  walked_.resize(explained_.size());
  started_.resize(explained_.size());
  if (explained_[index]) return *explained_[index];
  if (walked_[index]) return *walked_[index];
  if (!started_[index]) started_[index] = start_alone(device);
  if (started_[index]) return *started_[index];
  return explained(device);
}

const ExplainedHistory& Recording::walk(const DeviceHistory& device) {
  const std::size_t index = index_of(device);
  walked_.resize(explained_.size());
  if (!explained_[index] && !walked_[index])
    if (auto walk = walk_by_told_pools(device, rules()))
      walked_[index] = std::make_unique<ExplainedHistory>(*std::move(walk));
  if (!explained_[index] && walked_[index]) return *walked_[index];
  explained(device);
  ExplainedHistory& whole = *explained_[index];
  if (whole.times_us.empty()) find_times(device, whole);
  return whole;
}

const ExplainedHistory& Recording::explained(const DeviceHistory& device) {
  const std::size_t index = index_of(device);
  if (!explained_[index]) {
    const VerifyConditions& conditions = rules();
    std::optional<ExplainedHistory> first_try;
    if (index < tries_.size()) first_try = std::exchange(tries_[index], std::nullopt);
    explained_[index] =
        std::make_unique<ExplainedHistory>(explain(device, conditions, std::move(first_try)));
    if (conditions_.explained) conditions_.explained(device.device);
  }
  return *explained_[index];
}

RecordedHistory& Recording::pinned() {
  if (!pinned_) pinned_ = host_history_in(history_, *tables_);
  return *pinned_;
}

}  // namespace vramlab::replay
