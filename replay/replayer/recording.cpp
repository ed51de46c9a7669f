#include "replay/replayer/recording.h"

#include <algorithm>

#include "allocator/types/answers.h"
#include "replay/recording/host_sections.h"
#include "replay/replayer/compact_run.h"
#include "replay/replayer/host_replay.h"
#include "replay/replayer/ordered_device.h"
#include "replay/replayer/program_replay.h"
#include "replay/replayer/replay_options.h"
#include "traces/formats/trace_formats.h"
#include "traces/io/input_error.h"

namespace vramlab::replay {

using traces::InputError;

namespace {

/// Collects a program.
class ProgramCollector : public traces::ProgramSink {
 public:
  ProgramCollector(std::string file, const traces::ScratchPlace& scratch)
      : file_(std::move(file)), writer_(KeepsStacks::no, scratch) {}

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

  bool has_events() const { return position_ > 0; }
  const traces::TraceHeader& header() const { return header_; }
  CompactProgram finish() { return writer_.finish(); }

 private:
  std::string file_;
  traces::TraceHeader header_;
  CompactWriter writer_;
  std::uint64_t position_ = 0;
};

void append(ReplayReport& report, ReplayReport part) {
  report.events += part.events;
  if (part.first_time_ns)
    report.first_time_ns =
        std::min(report.first_time_ns.value_or(*part.first_time_ns), *part.first_time_ns);
  if (part.stopped_at) report.stopped_at = part.stopped_at;
  if (part.host) report.host = std::move(part.host);
  std::ranges::move(part.devices, std::back_inserter(report.devices));
  std::ranges::move(part.notes, std::back_inserter(report.notes));
}

}  // namespace

Recording::Recording(const std::string& path, const OpenConditions& conditions)
    : Recording(traces::open_trace(path, conditions.listener), conditions) {}

Recording::Recording(traces::OpenTrace trace, const OpenConditions& conditions)
    : file_(trace.file), version_(conditions.version) {
  ProgramCollector program(file_, conditions.scratch);
  HistoryCollector collector(conditions.scratch);
  traces::read_trace(trace, *tables_, {collector, program});
  if (program.has_events()) {
    header_ = program.header();
    program_.program = program.finish();
    version_ = setup_of(file_, {.version = version_, .options = ""}, header_).version;
    return;
  }
  const std::unique_ptr<traces::SnapshotTables> of_file =
      std::exchange(tables_, std::make_unique<traces::SnapshotTables>());
  take_history(collector.take(), *of_file, KeepsStacks::no);
}

Recording::Recording(std::string file, const RecordedHistory& history,
                     traces::SnapshotTables& tables, const ReferenceVersion* version)
    : file_(std::move(file)), version_(version) {
  take_history(history, tables, KeepsStacks::yes);
}

void Recording::take_history(const RecordedHistory& history, traces::SnapshotTables& tables,
                             KeepsStacks keeps) {
  const VerifyConditions conditions = verify_conditions(history, tables.texts, version_);
  version_ = &conditions.version;
  recorded_ = conditions.settings;
  histories_.reserve(history.devices.size());
  for (const DeviceHistory& device : history.devices) {
    add_device(device, conditions, keeps);
    if (!histories_.empty() && histories_.back().device.value == device.device)
      histories_.back().has_threads = has_threads(device, tables);
  }
  for (const DeviceHistory& host : host_history_in(history, tables).devices)
    if (!host.events.empty()) host_ = host_history_of(host);
  if (keeps == KeepsStacks::no)
    for (traces::ProgramEvent& event : host_.events) event.stack = {};
  if (histories_.empty())
    throw InputError(
        {file_, "", "a history that can be replayed", "none: the file holds a final state only"});
}

void Recording::add_device(const DeviceHistory& history, const VerifyConditions& conditions,
                           KeepsStacks keeps) {
  const ExplainedHistory explained = explain(history, conditions);
  if (!explained.placements.life_of_event.empty())
    histories_.push_back(program_of(history, explained, keeps, tables_->texts));
  else if (explained.fidelity.label != FidelityLabel::final_state_only)
    throw InputError({file_, "device " + std::to_string(history.device),
                      "a history that an allocator can have made",
                      explained.fidelity.reasons.front()});
}

/// Blocks have the sizes that they were recorded with, whatever the options say of rounding; unless
/// nothing was cached then, as nothing is rounded without a cache.
void Recording::add_host(const ReplayConditions& conditions, const ReplayWatch& watch,
                         ReplayReport& report) const {
  if (host_.events.empty()) return;
  Settings settings = settings_for(conditions);
  const bool knows_requests = recorded_.settings.pinned_max_cached_size == Bytes{};
  if (!knows_requests) settings.pinned_max_round_threshold = {};
  HostConditions host{*version_, settings};
  if (watch.at_host_end) host.keeps = KeepsHostHistory::yes;
  HostReplay replay(host);
  for (std::size_t i = 0; i < host_.events.size(); ++i)
    replay.apply(host_.events[i], i, tables_->texts);
  if (watch.at_host_end) watch.at_host_end(replay);
  report.host = replay.report();
  report.notes.emplace_back(
      knows_requests
          ? "pinned memory: nothing was cached when this was recorded, so the sizes are those of "
            "requests; when frees complete is modelled"
          : "pinned memory is modelled: recordings have the sizes of its blocks, not of requests, "
            "so of the options only pinned_max_cached_size_mb and the reserve segment change it");
  if (host_.blocks_from_before > 0)
    report.notes.push_back("pinned memory: " + std::to_string(host_.blocks_from_before) +
                           " blocks from before the recording are taken for requests at its start");
}

const HistoryProgram* Recording::history(std::int64_t device) const {
  for (const HistoryProgram& history : histories_)
    if (history.device.value == device) return &history;
  return nullptr;
}

std::vector<std::string> Recording::notes() const {
  std::vector<std::string> notes;
  if (!recorded_.doubt.empty()) notes.push_back(recorded_.doubt);
  for (const HistoryProgram& history : histories_) {
    const std::string device = "device " + std::to_string(history.device.value);
    if (history.fidelity.label != FidelityLabel::exact)
      notes.push_back(device + ": following the recording was " +
                      std::string(fidelity_label_name(history.fidelity.label)) +
                      " (vramlab verify says where), so these replays are guessed");
    if (const Bytes there = reserved_in(history.part.start); there > Bytes{})
      notes.push_back(device + ": " + format_bytes(there) +
                      " from before the recording keeps its recorded layout, whatever the setting");
  }
  return notes;
}

std::uint64_t Recording::call_count() const {
  std::uint64_t count = 0;
  for (const ProgramPart* part : parts()) count += part->program.call_count();
  return count;
}

std::vector<const ProgramPart*> Recording::parts() const {
  if (!is_recording()) return {&program_};
  std::vector<const ProgramPart*> parts;
  for (const HistoryProgram& history : histories_) parts.push_back(&history.part);
  return parts;
}

ReplaySetup Recording::setup_for(const ReplayConditions& conditions,
                                 const HistoryProgram* history) const {
  ReplaySetup setup{file_,           conditions, version_, settings_for(conditions),
                    header_.devices, history};
  setup.asked.version = version_;
  if (history != nullptr) setup.places = history->places;
  return setup;
}

Settings Recording::settings_for(const ReplayConditions& conditions) const {
  if (conditions.options) return settings_of(*conditions.options, *version_, "the options");
  return is_recording() ? recorded_.settings : settings_of(header_.settings, *version_, file_);
}

Trust Recording::trust(const ReplayConditions& conditions) const {
  for (const HistoryProgram& history : histories_)
    if (history.fidelity.label != FidelityLabel::exact) return Trust::guessed;
  const HistoryProgram* const first = is_recording() ? &histories_.front() : nullptr;
  const ReplaySetup setup = setup_for(conditions, first);
  if (setup.settings.backend != allocator::Backend::native) return Trust::modelled;
  return setup.timing() == FreeTiming::modelled &&
                 (is_recording() || program_.program.streams_matter() == StreamsMatter::yes)
             ? Trust::modelled
             : Trust::exact;
}

void Recording::refuse_full_devices(const ReplayConditions& conditions) const {
  for (const HistoryProgram& history : histories_)
    refuse_full_device(conditions,
                       choose_memory(history.memory, history.reservation, conditions).memory);
  refuse_full_device(conditions, conditions.memory.value_or(boundless_memory));
  if (conditions.memory) return;
  for (const traces::TraceDevice& known : header_.devices)
    if (known.memory.count != 0) refuse_full_device(conditions, known.memory);
}

ReplayReport Recording::run(const ReplayConditions& conditions, const ReplayWatch& watch) const {
  const auto run_part = [&](const ProgramPart& part, const HistoryProgram* history) {
    ProgramReplay replay(setup_for(conditions, history), tables_->texts, watch);
    replay.run(part);
    return replay.finish();
  };
  if (!is_recording()) return run_part(program_, nullptr);
  ReplayReport report;
  report.reference = version_->name;
  const Settings settings = settings_for(conditions);
  report.options = settings.text;
  if (!recorded_.doubt.empty()) report.notes.push_back(recorded_.doubt);
  if (settings.backend != allocator::Backend::native)
    report.notes.push_back(modelled_backend_note(settings));
  for (const HistoryProgram& history : histories_) {
    std::ranges::move(notes_on(history, conditions, settings), std::back_inserter(report.notes));
    append(report, run_part(history.part, &history));
  }
  add_host(conditions, watch, report);
  return report;
}

ReplayReport Recording::figures(const ReplayConditions& conditions) const {
  ReplayReport report;
  report.reference = version_->name;
  report.options = settings_for(conditions).text;
  const auto add_part = [&](const ProgramPart& part, const HistoryProgram* history) {
    ReplaySetup setup = setup_for(conditions, history);
    if (CompactRun::can_run(part, setup)) {
      CompactRun(part, setup, tables_->texts).run(report);
    } else {
      ProgramReplay replay(std::move(setup), tables_->texts, {});
      replay.run(part);
      append(report, replay.finish());
    }
  };
  if (!is_recording()) add_part(program_, nullptr);
  for (const HistoryProgram& history : histories_) add_part(history.part, &history);
  add_host(conditions, {}, report);
  return report;
}

BoundlessHistories Recording::boundless_histories(const ReplayConditions& conditions) const {
  ReplayConditions all;
  // Whoever chose another allocator gets the blocks of PyTorch's own.
  if (settings().backend != allocator::Backend::native) all.options = "";
  all.memory = boundless_memory;
  all.timing = conditions.timing;
  all.scratch = conditions.scratch;
  all.on_out_of_memory = OnOutOfMemory::skip;
  all.history_capacity = unlimited_history;
  BoundlessHistories histories;
  histories.settings = settings_for(all);
  run(all, watch_keeping(histories.devices));
  return histories;
}

}  // namespace vramlab::replay
