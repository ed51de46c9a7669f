#include "replay/replayer/recorded_run.h"

#include <algorithm>
#include <utility>

#include "allocator/types/answers.h"
#include "replay/recording/recorded_calls.h"
#include "replay/replayer/compact_run.h"
#include "traces/io/input_error.h"

namespace vramlab::replay {

namespace {

bool is_same(const AllocatorEvent& recorded, const AllocatorEvent& made) {
  const bool says_place = recorded.action != Action::oom;
  return recorded.action == made.action && recorded.size == made.size &&
         recorded.stream == made.stream && (!says_place || recorded.address == made.address);
}

std::string difference_text(const AllocatorEvent* recorded, const AllocatorEvent* made) {
  if (made == nullptr)
    return "recorded " + event_text(*recorded) + ", which the replay as recorded does not make";
  const std::string text = "the replay as recorded makes " + event_text(*made);
  return recorded == nullptr ? text + ", which was not recorded"
                             : "recorded " + event_text(*recorded) + ", " + text;
}

}  // namespace

EntryComparison::EntryComparison(const DeviceHistory& recorded)
    : recorded_(recorded.events.all()),
      recorded_count_(recorded.events.size()),
      requests_frees_(recorded.traits.requests_frees) {
  if (!requests_frees_ || recorded_count_ < 2) return;
  const AllocatorEvent first = recorded_[0];
  if (first.action != Action::free_completed || recorded_[1].action != Action::free_requested)
    return;
  begun_free_ = first;
  at_ = 1;
}

/// A free that the recording shows half of waits in the replay, which completes it in a request.
void EntryComparison::take_begun_free() {
  const auto made = std::ranges::find(completed_, begun_free_->address, &AllocatorEvent::address);
  if (made == completed_.end()) return;
  completed_.erase(made);
  begun_free_.reset();
  ++agreement_.exact;
}

/// The next entry of the recording, which is not taken yet; null after the last.
const AllocatorEvent* EntryComparison::next() {
  while (at_ < recorded_count_) {
    const AllocatorEvent& event = recorded_[at_];
    if (event.action != Action::snapshot) return &event;
    ++at_;
  }
  return nullptr;
}

void EntryComparison::compare(const AllocatorEvent* recorded, const AllocatorEvent* made) {
  if (recorded != nullptr && made != nullptr && is_same(*recorded, *made)) {
    ++agreement_.exact;
    return;
  }
  if (!difference_) difference_ = ReplayDifference{at_, difference_text(recorded, made)};
}

void EntryComparison::compare_completed() {
  const auto is_completed = [this] {
    const AllocatorEvent* const recorded = next();
    return recorded != nullptr && recorded->action == Action::free_completed;
  };
  if (begun_free_) take_begun_free();
  if (completed_.empty() && !is_completed()) return;
  std::vector<AllocatorEvent> recorded;
  const std::size_t first = at_;
  for (; is_completed(); ++at_) recorded.push_back(recorded_[at_]);
  const std::size_t end = std::exchange(at_, first);
  std::ranges::sort(recorded, {}, &AllocatorEvent::address);
  std::ranges::sort(completed_, {}, &AllocatorEvent::address);
  for (std::size_t i = 0; i < std::max(recorded.size(), completed_.size()); ++i)
    compare(i < recorded.size() ? &recorded[i] : nullptr,
            i < completed_.size() ? &completed_[i] : nullptr);
  at_ = end;
  completed_.clear();
}

void EntryComparison::add_one(const AllocatorEvent& made) {
  if (made.action == Action::snapshot) return;
  if (made.action == Action::free_requested && !requests_frees_) return;
  if (made.action == Action::free_completed) return completed_.push_back(made);
  compare_completed();
  if (difference_) return;
  compare(next(), &made);
  ++at_;
}

void EntryComparison::add(std::span<const AllocatorEvent> made) {
  for (const AllocatorEvent& entry : made) {
    if (difference_) return;
    add_one(entry);
  }
}

void EntryComparison::finish() {
  if (!difference_) compare_completed();
  if (begun_free_ && !difference_)
    difference_ = ReplayDifference{0, difference_text(&*begun_free_, nullptr)};
  agreement_.total = agreement_.exact;
  if (difference_) at_ = std::min<std::size_t>(difference_->event, recorded_count_);
  for (; next() != nullptr; ++at_) {
    if (!difference_) compare(next(), nullptr);
    ++agreement_.total;
  }
}

namespace {

RecordedRun run_once(const DeviceHistory& recorded, const HistoryProgram& program,
                     ReplaySetup setup, const traces::TextTable& texts) {
  EntryComparison comparison(recorded);
  ReplayReport report;
  RecordedRun run;
  run.follows_course = setup.course != nullptr;
  try {
    CompactRecordingRun(program.part, setup, texts, [&](std::span<const AllocatorEvent> entries) {
      comparison.add(entries);
    }).run(report);
  } catch (const traces::InputError& error) {
    run.departure = ReplayDifference{0, error.what()};
  }
  comparison.finish();
  run.entries = comparison.agreement();
  if (!run.departure) run.departure = comparison.difference();
  return run;
}

}  // namespace

RecordedRun run_as_recorded(const DeviceHistory& recorded, const HistoryProgram& program,
                            const ReplaySetup& setup, const traces::TextTable& texts) {
  RecordedRun run = run_once(recorded, program, setup, texts);
  if (!run.departure || !program.has_course()) return run;
  ReplaySetup followed = setup;
  followed.course = &program.course;
  RecordedRun with_course = run_once(recorded, program, std::move(followed), texts);
  return with_course.entries.exact >= run.entries.exact ? with_course : run;
}

ReplaySetup recorded_setup(const std::string& file, const VerifyConditions& rules,
                           const HistoryProgram& program) {
  ReplayConditions conditions;
  conditions.version = &rules.version;
  return {file, conditions, &rules.version, rules.settings.settings, {}, &program, program.places};
}

namespace {

DeviceFidelity fidelity_of(Recording& recording, const DeviceHistory& device) {
  const ExplainedHistory& explained = recording.explained(device);
  DeviceFidelity fidelity = explained.fidelity;
  const VerifyConditions& rules = recording.rules();
  const bool is_native = rules.settings.settings.backend == allocator::Backend::native;
  if (fidelity.label != FidelityLabel::exact || device.events.empty() || !is_native)
    return fidelity;
  const HistoryProgram program = program_of(device, explained, recording.tables().texts);
  const RecordedRun run = run_as_recorded(
      device, program, recorded_setup(recording.file(), rules, program), recording.tables().texts);
  fidelity.replayed = run.entries;
  if (!run.departure) return fidelity;
  fidelity.label = FidelityLabel::approximate;
  fidelity.reasons.push_back("its replay as recorded departs from it");
  fidelity.first_difference = run.departure;
  return fidelity;
}

}  // namespace

Fidelity verify(Recording& recording) {
  Fidelity fidelity;
  const VerifyConditions& rules = recording.rules();
  fidelity.reference = rules.version.name;
  fidelity.reference_is_guessed = rules.version_is_guessed;
  fidelity.options = rules.settings.settings.text;
  for (const DeviceHistory& device : recording.history().devices)
    fidelity.devices.push_back(fidelity_of(recording, device));
  return fidelity;
}

}  // namespace vramlab::replay
