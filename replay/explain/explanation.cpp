#include "replay/explain/explanation.h"

#include <algorithm>
#include <utility>

#include "allocator/types/check.h"
#include "replay/recording/history_checks.h"
#include "replay/recording/recorded_states.h"
#include "replay/replayer/replayed_states.h"
#include "traces/io/input_error.h"

namespace vramlab::replay {
namespace {

using traces::InputError;

class ExplainRun {
 public:
  ExplainRun(Recording& recording, const ExplainQuestion& question, const SettingsRunner& run,
             const ReplayEffort& effort)
      : recording_(recording), question_(question), run_(run), effort_(effort) {}

  Explanation find() {
    found_.file = recording_.file();
    found_.is_program = recording_.is_program();
    found_.is_replayed = found_.is_program || question_.under;
    if (is_glance_enough()) return std::move(found_);
    open_replayer();
    choose_device(question_.under ? replayed_overviews_of(recording_, *replayer_, conditions())
                                  : overviews_of(recording_, replayer_.get()));
    find_state();
    if (found_.state) look_at_state();
    if (replayer_) note_certainty();
    if (replayer_ && question_.depth != ExplainDepth::quick) find_ways_out();
    return std::move(found_);
  }

 private:
  static std::string failed_request_text(const DeviceOverview& overview);
  void open_replayer();
  bool is_glance_enough();
  void choose_device(const std::vector<DeviceOverview>& all);
  void find_state();
  void find_recorded_state();
  void find_replayed_state();
  void look_at_state();
  void note_holders_in(const DeviceState& state);
  void note_kinds_of(const std::vector<LiveBlock>& blocks);
  void explain_failure();
  void note_certainty();
  void find_ways_out();
  std::optional<SmallestGpu> find_gpu(GpuQuestion question);
  const DeviceHistory& history() const;
  ReplayConditions conditions() const;
  std::uint64_t failure_event() const;

  Recording& recording_;
  const ExplainQuestion& question_;
  const SettingsRunner& run_;
  const ReplayEffort& effort_;
  std::unique_ptr<Replayer> replayer_;
  /// The report on the device, if the recording is a program.
  std::optional<DeviceReport> report_;
  Explanation found_;
};

/// Why nothing can be replayed; empty if something can.
std::string reason_against_replays(const Recording& recording) {
  std::string reason = "the file has no history";
  for (const DeviceHistory& device : recording.history().devices) {
    if (device.events.size() < 2) continue;
    const std::string impossible = impossible_part(device);
    if (impossible.empty()) return {};
    reason = "no allocator can have made this history: " + impossible;
  }
  return reason;
}

/// With the events of those that there are.
std::string ExplainRun::failed_request_text(const DeviceOverview& overview) {
  const std::string text = "a request that failed";
  return overview.failures == 0 ? text : text + " (" + failed_events_text(overview) + ")";
}

void ExplainRun::open_replayer() {
  if (!recording_.is_program()) found_.no_replay = reason_against_replays(recording_);
  if (!found_.no_replay.empty()) {
    if (!question_.under) return;
    throw InputError({recording_.file(), "",
                      "a history that can be replayed under other conditions", found_.no_replay});
  }
  try {
    replayer_ = std::make_unique<Replayer>(recording_);
  } catch (const InputError& error) {
    if (found_.is_replayed) throw;
    found_.no_replay = error.what();
  }
  if (question_.under) replayer_->refuse_full_devices(*question_.under);
}

ReplayConditions ExplainRun::conditions() const {
  ReplayConditions conditions = question_.under.value_or(ReplayConditions{});
  conditions.scratch = effort_.scratch;
  return conditions;
}

bool ExplainRun::is_glance_enough() {
  if (question_.depth != ExplainDepth::glance || found_.is_replayed) return false;
  choose_device(overviews_of(recording_, nullptr, FollowsHistory::quickly));
  return found_.overview.failures == 0;
}

void ExplainRun::choose_device(const std::vector<DeviceOverview>& all) {
  const DeviceOverview* chosen = worst_of(all);
  if (question_.device) {
    const auto named = std::ranges::find(all, *question_.device, &DeviceOverview::device);
    chosen = named == all.end() ? nullptr : &*named;
  }
  if (chosen == nullptr)
    throw InputError({recording_.file(), "",
                      question_.device ? "a device " + std::to_string(*question_.device)
                                       : std::string("a device with memory"),
                      "none"});
  found_.overview = *chosen;
  found_.holders = chosen->holders;
  found_.kinds = chosen->kinds;
  found_.levers = chosen->levers;
  found_.held = chosen->allocated_at_peak;
}

const DeviceHistory& ExplainRun::history() const {
  const DeviceHistory* const history = recording_.device(found_.overview.device);
  check(history != nullptr, "an overview is of a device of the recording");
  return *history;
}

std::uint64_t ExplainRun::failure_event() const {
  return question_.event.value_or(found_.overview.first_failure->event);
}

void ExplainRun::find_state() {
  if (found_.is_replayed)
    find_replayed_state();
  else
    find_recorded_state();
}

void ExplainRun::find_recorded_state() {
  const DeviceHistory& of = history();
  Moment moment{found_.overview.has_history() ? MomentKind::peak_reserved : MomentKind::end};
  const bool is_failure = question_.event || found_.overview.first_failure;
  if (is_failure) moment = {MomentKind::event, failure_event()};
  if (question_.event && (*question_.event >= of.events.size() ||
                          of.events[as_index(*question_.event)].action != Action::oom))
    throw InputError({recording_.file(), "event " + std::to_string(*question_.event),
                      failed_request_text(found_.overview), "none"});
  RecordedStates states = recorded_states(recording_, moment, StateHistory::last_event);
  for (DeviceState& state : states.states)
    if (state.device.value == of.device)
      found_.state = std::make_unique<DeviceState>(std::move(state));
  found_.doubts = std::move(states.doubts);
}

void ExplainRun::find_replayed_state() {
  if (question_.event)
    throw InputError({recording_.file(), "event " + std::to_string(*question_.event),
                      "a recorded failure; of a replay the first is explained", "a replay"});
  ReplayConditions conditions = this->conditions();
  conditions.notes_origins = NotesOrigins::yes;
  const ReplayReport report = replayer_->run(conditions);
  for (const DeviceReport& device : report.devices)
    if (device.device.value == found_.overview.device) report_ = device;
  check(report_.has_value(), "a replay has the devices of the one before");
  Moment moment{MomentKind::peak_reserved};
  if (!report_->failures.empty()) moment = {MomentKind::out_of_memory};
  for (DeviceState& state : states_at(*replayer_, conditions, moment, report))
    if (state.device == report_->device)
      found_.state = std::make_unique<DeviceState>(std::move(state));
  found_.doubts = report.notes;
  found_.depends_from = report_->depends_from;
  if (question_.under && report_->failures.empty())
    for (const DeviceState& state : states_at(*replayer_, conditions, {MomentKind::peak}, report))
      if (state.device == report_->device) note_holders_in(state);
}

/// The blocks of a state that the program holds.
std::vector<LiveBlock> live_blocks_of(const DeviceState& state) {
  std::vector<LiveBlock> blocks;
  for (const SnapshotSegment& segment : state.snapshot.segments)
    for (const SnapshotBlock& block : segment.blocks) {
      if (block.state != BlockState::active_allocated) continue;
      LiveBlock live;
      live.key = block.address.value;
      live.requested = block.requested;
      live.bytes = block.size;
      live.stream = segment.stream;
      live.pool = segment.pool;
      if (const auto origin = state.origins.find(block.address); origin != state.origins.end()) {
        live.stack = origin->second.stack;
        live.event = origin->second.event;
        live.time_ns = origin->second.time_ns;
      }
      blocks.push_back(live);
    }
  return blocks;
}

void ExplainRun::look_at_state() {
  const DeviceState& state = *found_.state;
  found_.figures = find_fragmentation(state.snapshot, state.rules).total;
  found_.stranding = stranding_sites(state, recording_.tables());
  const bool is_failure =
      question_.event || found_.overview.first_failure || (report_ && !report_->failures.empty());
  if (!is_failure) return;
  note_holders_in(state);
  explain_failure();
}

void ExplainRun::note_holders_in(const DeviceState& state) {
  const std::vector<LiveBlock> blocks = live_blocks_of(state);
  found_.holders = group_blocks(blocks, GroupBy::site, recording_.tables());
  found_.held = totals_of(blocks).bytes;
  note_kinds_of(blocks);
}

void ExplainRun::note_kinds_of(const std::vector<LiveBlock>& blocks) {
  found_.kinds.clear();
  found_.levers.clear();
  const RecordingKinds* const kinds = found_.overview.recorded_kinds.get();
  // Events of a replay are not those of the recording.
  if (kinds == nullptr || found_.is_replayed) return;
  const std::int64_t device = found_.overview.device;
  found_.kinds = group_blocks(blocks, GroupBy::kind, recording_.tables(), {{}, kinds, device});
  found_.levers = find_levers(blocks, *kinds->of_device(device), *kinds);
}

void ExplainRun::explain_failure() {
  std::optional<HelpSearch> search;
  if (replayer_ && question_.depth != ExplainDepth::quick)
    search.emplace(HelpSearch{*replayer_, conditions(), run_, effort_});
  const HelpSearch* const asked = search ? &*search : nullptr;
  if (found_.is_replayed)
    found_.failure.emplace(explain_replayed(*found_.state, *report_, recording_.tables(), asked));
  else if (auto explained = explain_recorded(*found_.state, recording_, asked))
    found_.failure.emplace(*std::move(explained));
}

void ExplainRun::note_certainty() {
  found_.trust = replayer_->trust(conditions());
  const Settings in_force = replayer_->settings_for(conditions());
  found_.options = in_force.text;
  found_.keeps_start = !replayer_->late_starts().empty() && in_force != replayer_->settings();
  found_.has_asked_options = question_.under && question_.under->options;
  if (!found_.is_program && !found_.has_asked_options)
    found_.options_doubt = recording_.rules().settings.doubt;
  for (const LateStart& late : replayer_->late_starts())
    if (late.device.value == found_.overview.device) found_.late_start = late;
}

void ExplainRun::find_ways_out() {
  GpuQuestion question{conditions()};
  if (found_.failure) {
    const std::uint64_t event = found_.failure->story.refused.event;
    question.request = {found_.state->device, event};
    if (!found_.is_replayed) question.request->went_on_after = failures_before(history(), event);
    question.least = found_.failure->least_for_any_setting();
  }
  found_.smallest_gpu = find_gpu(std::move(question));
  if (!found_.failure) found_.advice = find_advice(*replayer_, conditions(), run_, effort_);
  found_.is_too_long = event_count_of(*replayer_) >
                       (found_.failure ? effort_.most_events : effort_.most_for_advice());
}

/// A GPU on which a replay runs to its end, as all requests are known; where none is so large, one
/// on which the failed request passes. A recording may tell nothing after that request.
std::optional<SmallestGpu> ExplainRun::find_gpu(GpuQuestion question) {
  if (!found_.is_replayed || !question.request) return smallest_gpu(*replayer_, question, effort_);
  const auto request = std::exchange(question.request, std::nullopt);
  const auto found = smallest_gpu(*replayer_, question, effort_);
  if (!found || found->gpu != nullptr) return found;
  question.request = request;
  return smallest_gpu(*replayer_, question, effort_);
}

}  // namespace

bool Explanation::began_late() const { return late_start && late_start->holds_peak(); }

Explanation explain(Recording& recording, const ExplainQuestion& question,
                    const SettingsRunner& run, const ReplayEffort& effort) {
  return ExplainRun(recording, question, run, effort).find();
}

}  // namespace vramlab::replay
