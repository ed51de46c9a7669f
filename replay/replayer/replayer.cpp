#include "replay/replayer/replayer.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "allocator/types/answers.h"
#include "allocator/types/check.h"
#include "replay/recording/pinned_history.h"
#include "replay/replayer/compact_run.h"
#include "replay/replayer/ordered_device.h"
#include "replay/replayer/pinned_replay.h"
#include "replay/replayer/program_replay.h"
#include "replay/replayer/recorded_run.h"
#include "replay/replayer/replay_setup.h"
#include "traces/io/input_error.h"

namespace vramlab::replay {

using traces::InputError;

namespace {

void append(ReplayReport& report, ReplayReport part) {
  report.calls += part.calls;
  if (part.first_time_ns)
    report.first_time_ns =
        std::min(report.first_time_ns.value_or(*part.first_time_ns), *part.first_time_ns);
  if (part.stopped_at) report.stopped_at = part.stopped_at;
  if (part.host) report.host = std::move(part.host);
  std::ranges::move(part.devices, std::back_inserter(report.devices));
  std::ranges::move(part.notes, std::back_inserter(report.notes));
}

}  // namespace

struct Replayer::RecordedRuns {
  std::mutex lock;
  std::map<traces::DeviceIndex, RecordedRun> known;
};

Replayer::Replayer(Recording& recording)
    : recording_(recording),
      version_(recording.asked_version()),
      recorded_runs_(std::make_shared<RecordedRuns>()) {
  if (!recording_.is_program())
    take_history();
  else if (recording_.program() != nullptr)
    version_ = setup_of(file(), {.version = version_, .options = ""}, recording_.header()).version;
}

const ReferenceVersion& Replayer::version() const {
  if (version_ != nullptr) return *version_;
  // A program that is gone through once says it on the way.
  return *setup_of(file(), {.version = nullptr, .options = ""}, recording_.header()).version;
}

void Replayer::take_history() {
  version_ = &recording_.rules().version;
  const std::vector<DeviceHistory>& devices = recording_.history().devices;
  histories_.reserve(devices.size());
  for (const DeviceHistory& device : devices) add_device(device);
  for (const DeviceHistory& host : recording_.pinned().devices)
    if (!host.events.empty()) host_ = host_history_of(host);
  if (histories_.empty())
    throw InputError(
        {file(), "", "a history that can be replayed", "none: the file holds a final state only"});
}

void Replayer::add_device(const DeviceHistory& history) {
  const ExplainedHistory& explained = recording_.explained(history);
  if (explained.can_be_replayed()) {
    histories_.push_back(program_of(history, explained, tables().texts));
    histories_.back().has_threads = has_threads(history, tables());
  } else if (explained.fidelity.label != FidelityLabel::final_state_only) {
    throw InputError({file(), "device " + std::to_string(history.device),
                      "a history that an allocator can have made",
                      explained.fidelity.reasons.front()});
  }
}

/// Blocks have the sizes that they were recorded with, whatever the options say of rounding; unless
/// nothing was cached then, as nothing is rounded without a cache.
void Replayer::add_host(const ReplayConditions& conditions, const ReplayWatch& watch,
                        ReplayReport& report) const {
  if (host_.events.empty()) return;
  Settings settings = settings_for(conditions);
  const bool knows_requests =
      recording_.rules().settings.settings.pinned_max_cached_size == Bytes{};
  if (!knows_requests) settings.pinned_max_round_threshold = {};
  HostConditions host{*version_, settings};
  if (watch.at_host_end) host.keeps = KeepsHostHistory::yes;
  HostReplay replay(host);
  for (std::size_t i = 0; i < host_.events.size(); ++i)
    replay.apply(host_.events[i], i, tables().texts);
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

const HistoryProgram* Replayer::history(std::int64_t device) const {
  for (const HistoryProgram& history : histories_)
    if (history.device.value == device) return &history;
  return nullptr;
}

std::vector<std::string> Replayer::kernel_code() const {
  return has_histories() ? recording_.history().kernel_code : std::vector<std::string>();
}

std::vector<std::string> Replayer::notes() const {
  std::vector<std::string> notes;
  if (!has_histories()) return notes;
  if (!recording_.rules().settings.doubt.empty())
    notes.push_back(recording_.rules().settings.doubt);
  for (const HistoryProgram& history : histories_) {
    const std::string device = "device " + std::to_string(history.device.value);
    if (history.fidelity.label != FidelityLabel::exact)
      notes.push_back(device + ": following the recording was " +
                      std::string(fidelity_label_name(history.fidelity.label)) +
                      " (vramlab verify says where), so these replays are guessed");
    for (auto note : {awaited_note(history), threads_note(history)})
      if (note) notes.push_back(*std::move(note));
  }
  return notes;
}

std::vector<std::string> Replayer::short_memory_notes() const {
  std::vector<std::string> notes;
  for (const HistoryProgram& history : histories_)
    if (auto note = short_memory_note(history)) notes.push_back(*std::move(note));
  return notes;
}

std::string late_start_text(const LateStart& start) {
  const std::uint64_t percent =
      start.peak_reserved == Bytes{} ? 0 : start.reserved.count * 100 / start.peak_reserved.count;
  return "device " + std::to_string(start.device.value) + ": " + format_bytes(start.reserved) +
         " of " + format_bytes(start.peak_reserved) + " (" + std::to_string(percent) +
         " %) were reserved before the first event";
}

std::vector<LateStart> Replayer::late_starts() const {
  std::vector<LateStart> late;
  for (const HistoryProgram& history : histories_)
    if (const Bytes there = reserved_in(history.part.start); there > Bytes{})
      late.push_back({history.device, there, history.memory.peak_reserved});
  return late;
}

bool Replayer::start_holds_peaks() const {
  const std::vector<LateStart> late = late_starts();
  return !late.empty() && late.size() == histories_.size() &&
         std::ranges::all_of(late, &LateStart::holds_peak);
}

bool Replayer::has_caught_failures() const {
  return std::ranges::any_of(
      histories_, [](const HistoryProgram& history) { return history.caught_count > 0; });
}

void Replayer::refuse_without_requests() const {
  std::uint64_t requests = host_.events.size();
  for (const ProgramPart* part : parts())
    requests += part->program.request_count() + (part->program.uses_host() ? 1 : 0);
  if (requests > 0) return;
  std::string found = "none";
  for (const LateStart& start : late_starts()) found += "; " + late_start_text(start);
  throw InputError({file(), "", "requests for memory, which tell settings apart", found});
}

const ProgramPart& Replayer::program() const {
  check(recording_.program() != nullptr, "a program is kept where it is asked about");
  return *recording_.program();
}

std::uint64_t Replayer::call_count() const {
  std::uint64_t count = 0;
  for (const ProgramPart* part : parts()) count += part->program.call_count();
  return count;
}

std::vector<const ProgramPart*> Replayer::parts() const {
  if (!has_histories()) return {&program()};
  std::vector<const ProgramPart*> parts;
  for (const HistoryProgram& history : histories_) parts.push_back(&history.part);
  return parts;
}

ReplaySetup Replayer::setup_for(const ReplayConditions& conditions,
                                const HistoryProgram* history) const {
  ReplaySetup setup{
      file(), conditions, version_, settings_for(conditions), recording_.header().devices, history};
  setup.asked.version = version_;
  if (history != nullptr && conditions.starting_memory == StartingMemory::as_recorded &&
      !conditions.segment_order) {
    // Another course has other segments, which the recorded addresses do not suit.
    if (!is_as_recorded(conditions)) setup.drivers_places = history->drivers_places;
    if (!setup.drivers_places) setup.places = history->places;
  }
  if (history != nullptr && is_recorded_replay(conditions, *history))
    if (recorded_run(*history).follows_course) setup.course = &history->course;
  return setup;
}

bool Replayer::is_recorded_replay(const ReplayConditions& conditions,
                                  const HistoryProgram& history) const {
  return is_as_recorded(conditions) && !conditions.make_program_device &&
         conditions.timing.value_or(FreeTiming::recorded) == FreeTiming::recorded &&
         history.fidelity.label == FidelityLabel::exact &&
         settings().backend == allocator::Backend::native && history.has_course();
}

/// Whether a replay as recorded makes other entries than the file has.
bool Replayer::departs(const HistoryProgram& history) const {
  return settings().backend == allocator::Backend::native && history.has_course() &&
         recorded_run(history).departure.has_value();
}

const RecordedRun& Replayer::recorded_run(const HistoryProgram& history) const {
  const std::scoped_lock guard(recorded_runs_->lock);
  const auto known = recorded_runs_->known.find(history.device);
  if (known != recorded_runs_->known.end()) return known->second;
  const DeviceHistory& recorded = *recording_.device(history.device.value);
  RecordedRun run = run_as_recorded(
      recorded, history, recorded_setup(file(), recording_.rules(), history), tables().texts);
  return recorded_runs_->known.emplace(history.device, std::move(run)).first->second;
}

Settings Replayer::settings_for(const ReplayConditions& conditions) const {
  Settings settings;
  if (conditions.options)
    settings = settings_of(*conditions.options, version(), "the options");
  else
    settings = has_histories() ? recording_.rules().settings.settings
                               : settings_of(recording_.header().settings, version(), file());
  if (conditions.backend == ChosenBackend::native) settings.backend = allocator::Backend::native;
  return settings;
}

Trust Replayer::trust(const ReplayConditions& conditions) const {
  for (const HistoryProgram& history : histories_)
    if (history.fidelity.label != FidelityLabel::exact) return Trust::guessed;
  const Settings in_force = settings_for(conditions);
  if (!late_starts().empty() && in_force != settings()) return Trust::modelled;
  if (in_force.backend != allocator::Backend::native) return Trust::modelled;
  if (std::ranges::any_of(histories_, [this](const auto& one) { return departs(one); }))
    return Trust::guessed;
  const bool has_threads = std::ranges::any_of(histories_, &HistoryProgram::has_threads);
  if (has_threads && !is_as_recorded(conditions)) return Trust::guessed;
  const bool awaited = std::ranges::any_of(histories_, [](const HistoryProgram& history) {
    return history.fidelity.inferred.awaited_frees > 0;
  });
  if (awaited && !is_as_recorded(conditions)) return Trust::modelled;
  const FreeTiming usual = has_histories() ? FreeTiming::recorded : FreeTiming::modelled;
  return conditions.timing.value_or(usual) == FreeTiming::modelled &&
                 (has_histories() || program().program.streams_matter() == StreamsMatter::yes)
             ? Trust::modelled
             : Trust::exact;
}

void Replayer::refuse_full_devices(const ReplayConditions& conditions) const {
  for (const HistoryProgram& history : histories_)
    refuse_full_device(conditions,
                       choose_memory(history.memory, history.shown_device, conditions).memory);
  refuse_full_device(conditions, conditions.memory.value_or(boundless_memory));
  if (conditions.memory) return;
  for (const traces::TraceDevice& known : recording_.header().devices)
    if (known.memory.count != 0) refuse_full_device(conditions, known.memory);
}

ReplayReport Replayer::run_program(const ReplayConditions& conditions,
                                   const ReplayWatch& watch) const {
  if (recording_.program() == nullptr) {
    ProgramReplay replay(file(), tables(), conditions, watch);
    recording_.pass_program(replay);
    return replay.finish();
  }
  ProgramReplay replay(setup_for(conditions, nullptr), tables().texts, watch);
  replay.run(program());
  return replay.finish();
}

ReplayReport Replayer::run(const ReplayConditions& conditions, const ReplayWatch& watch) const {
  if (!has_histories()) return run_program(conditions, watch);
  ReplayReport report;
  report.reference = version_->name;
  const Settings settings = settings_for(conditions);
  report.options = settings.text;
  std::ranges::move(ignored_in(settings.text, version()), std::back_inserter(report.notes));
  for (const LateStart& start : late_starts()) report.notes.push_back(late_start_text(start));
  if (!recording_.rules().settings.doubt.empty())
    report.notes.push_back(recording_.rules().settings.doubt);
  if (settings.backend != allocator::Backend::native)
    report.notes.push_back(modelled_backend_note(settings));
  for (const HistoryProgram& history : histories_) {
    std::ranges::move(notes_on(history, conditions, settings), std::back_inserter(report.notes));
    ReplaySetup setup = setup_for(conditions, &history);
    if (setup.course == nullptr)
      std::ranges::move(garbage_notes(history, conditions), std::back_inserter(report.notes));
    else
      report.notes.push_back("device " + std::to_string(history.device.value) +
                             ": when memory was short is taken from the recording, as the limits "
                             "of the recorded run are not known");
    ProgramReplay replay(std::move(setup), tables().texts, watch);
    replay.run(history.part);
    append(report, replay.finish());
  }
  add_host(conditions, watch, report);
  return report;
}

ReplayReport Replayer::figures(const ReplayConditions& conditions) const {
  ReplayReport report;
  report.reference = version_->name;
  report.options = settings_for(conditions).text;
  const auto add_part = [&](const ProgramPart& part, const HistoryProgram* history) {
    ReplaySetup setup = setup_for(conditions, history);
    if (can_run_compact(part, setup)) {
      CompactRun(part, setup, tables().texts).run(report);
    } else {
      ProgramReplay replay(std::move(setup), tables().texts, {});
      replay.run(part);
      append(report, replay.finish());
    }
  };
  if (!has_histories()) add_part(program(), nullptr);
  for (const HistoryProgram& history : histories_) add_part(history.part, &history);
  add_host(conditions, {}, report);
  return report;
}

BoundlessHistories Replayer::boundless_histories(const ReplayConditions& conditions) const {
  ReplayConditions all;
  // If another allocator was chosen, the blocks are those of PyTorch's own.
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
