#include "replay/replayer/device_replay.h"

#include <algorithm>

#include "allocator/options/size_rules.h"
#include "allocator/types/answers.h"
#include "allocator/types/bytes_and_ids.h"
#include "replay/metrics/engine_rules.h"
#include "replay/replayer/replay_watch.h"
#include "replay/replayer/stream_program.h"
#include "streams/device/timed_device.h"

namespace vramlab::replay {

namespace {

/// The last stacks of a list, one for each entry; nothing for the first entries where there are
/// more of them.
class LastStacks {
 public:
  LastStacks(const traces::LongSequence<traces::StackId>& stacks, std::size_t entry_count)
      : stacks_(stacks), entry_count_(entry_count) {}

  traces::StackId next() {
    const std::size_t at = stacks_.size() + entry_++;
    return at < entry_count_ ? traces::StackId{} : stacks_[at - entry_count_];
  }

 private:
  const traces::LongSequence<traces::StackId>& stacks_;
  std::size_t entry_count_;
  std::size_t entry_ = 0;
};

}  // namespace

DeviceReplay::DeviceReplay(traces::DeviceIndex device, const DeviceConditions& conditions)
    : EngineReplay(device, conditions),
      history_(asked().scratch),
      request_stacks_(asked().scratch),
      free_stacks_(asked().scratch),
      failure_stacks_(asked().scratch) {
  kept().set_capacity(asked().history_capacity);
}

void DeviceReplay::adopt(const std::vector<StartingSegment>& start) {
  if (start.empty()) return;
  make_start(start, [this](const StartingSegment& given, std::size_t block, Address at) {
    if (given.ids[block] != 0) live_.note(given.ids[block], at);
    const traces::StackId stack = given.stacks[block];
    if (asked().notes_origins == NotesOrigins::yes && stack != traces::StackId{})
      origins_[at] = {stack, std::nullopt, std::nullopt};
  });
  start_is_there();
}

void DeviceReplay::start_is_there() {
  kept().forget();
  count_from_here();
  history_ = traces::LongSequence<AllocatorEvent>(asked().scratch);
  free_stacks_ = traces::LongSequence<traces::StackId>(asked().scratch);
  failure_stacks_ = traces::LongSequence<traces::StackId>(asked().scratch);
  const auto now = [](std::int64_t bytes) {
    return ReachedPeak{{static_cast<std::uint64_t>(bytes)}, 0, std::nullopt};
  };
  peak_allocated_ = now(counted().current_allocated_bytes());
  peak_reserved_ = now(counted().current_reserved_bytes());
  curve_ = {};
  curve_.note(0, {peak_allocated_.bytes, peak_reserved_.bytes});
}

bool DeviceReplay::apply(const Event& event, std::uint64_t number, const traces::TextTable& texts) {
  if (conditions_.streams != nullptr && !conditions_.streams->begin(event, number))
    throw streams::EndlessWait("host thread " + std::to_string(event.thread) +
                               " waits for work that never ends");
  if (const auto now_ns = time_of(event)) kept().set_time_us(*now_ns / 1000);
  last_event_ = {
      number, event.time_ns ? event.time_ns : (last_event_ ? last_event_->time_ns : std::nullopt)};
  follow_releases(number);
  const bool goes_on = make_call(event, number, texts);
  note_level(event, number);
  move_history_out();
  return goes_on;
}

void DeviceReplay::follow_to_the_end(std::uint64_t event_count) {
  follow_releases(event_count);
  curve_.note(last_event_ ? last_event_->event : 0,
              {{static_cast<std::uint64_t>(counted().current_allocated_bytes())},
               {static_cast<std::uint64_t>(counted().current_reserved_bytes())}});
}

bool DeviceReplay::make_call(const Event& event, std::uint64_t number,
                             const traces::TextTable& texts) {
  switch (event.kind) {
    case Kind::malloc:
      return request(event, number);
    case Kind::free:
      free(event);
      return true;
    default:
      apply_other(event, texts);
      return true;
  }
}

/// Streams in virtual time have a time of their own.
std::optional<std::uint64_t> DeviceReplay::time_of(const Event& event) const {
  if (conditions_.streams != nullptr) return conditions_.streams->streams().now().ns;
  return event.time_ns;
}

void DeviceReplay::apply_other(const Event& event, const traces::TextTable& texts) {
  switch (event.kind) {
    case Kind::use:
      return use(event);
    case Kind::checkpoint:
    case Kind::restore:
      return keep_or_restore(event, texts);
    default:
      return apply_rare(event, texts);
  }
}

bool DeviceReplay::request(const Event& event, std::uint64_t number) {
  ++requests_;
  const MallocResult result = allocate(event.bytes, event.stream, number);
  if (result) {
    live_.note(event.id, result.address);
    note_origin(event, number, result.address);
    note_peaks(event, number);
    return true;
  }
  failed_ids_.insert(event.id);
  if (result.outcome == MallocOutcome::nothing) return true;
  live_.forget(event.id);
  // A huge request fails without an entry.
  const bool has_entry =
      result.outcome == MallocOutcome::out_of_memory && event.bytes < allocator::request_limit;
  if (asked().history_capacity > 0 && has_entry) failure_stacks_.push_back(event.stack);
  note_failure(result.outcome, {number, event.time_ns, event.stream, {}, event.stack});
  note_peaks(event, number);
  return false;
}

void DeviceReplay::note_origin(const Event& event, std::uint64_t number, Address at) {
  if (asked().history_capacity > 0) request_stacks_.push_back(event.stack);
  if (asked().notes_origins == NotesOrigins::no) return;
  origins_[at] = {event.stack, number, event.time_ns};
  if (!request_sizes_) request_sizes_.emplace(engine_.settings());
  request_sizes_->add(event.bytes, event.stream);
}

void DeviceReplay::free(const Event& event) {
  if (failed_ids_.erase(event.id) > 0) return;
  ++frees_;
  const Address address = address_of(event, "freed");
  live_.forget(event.id);
  if (asked().history_capacity > 0) free_stacks_.push_back(event.stack);
  engine_.free(address);
}

void DeviceReplay::use(const Event& event) {
  if (failed_ids_.contains(event.id) || conditions_.timing == FreeTiming::eager) return;
  engine_.record_stream(address_of(event, "used"), event.stream);
}

Address DeviceReplay::address_of(const Event& event, const char* purpose) const {
  if (const auto address = live_.find(event.id)) return *address;
  throw AllocatorError("the id " + std::to_string(event.id) + " cannot be " + purpose +
                       ": nothing in use has that name");
}

void DeviceReplay::keep_or_restore(const Event& event, const traces::TextTable& texts) {
  const std::string name(texts.text(event.text));
  if (event.kind == Kind::checkpoint) {
    checkpoints_[name] = engine_.take_checkpoint(event.pool);
    return;
  }
  const auto found = checkpoints_.find(name);
  if (found == checkpoints_.end())
    throw AllocatorError("no checkpoint was taken under the name '" + name + "'");
  const allocator::RestoreResult restored = engine_.restore_checkpoint(found->second);
  restored_count_ = restored.created.size();
  live_.restore(restored, event.id);
}

/// Peaks are reached in requests only.
void DeviceReplay::note_peaks(const Event& event, std::uint64_t number) {
  MemoryLevel reached;
  const auto note = [&](ReachedPeak& peak, std::int64_t bytes, Bytes& of_curve) {
    const Bytes now{static_cast<std::uint64_t>(bytes)};
    if (now <= peak.bytes) return;
    peak = {now, number, event.time_ns};
    of_curve = now;
  };
  note(peak_allocated_, counted().peak_allocated_bytes(), reached.allocated);
  note(peak_reserved_, counted().peak_reserved_bytes(), reached.reserved);
  if (reached.reserved > Bytes{}) note_stranded(number);
  // A peak inside a call may be over when the call is.
  if (reached != MemoryLevel{}) curve_.note(number, reached);
}

void DeviceReplay::note_level(const Event& event, std::uint64_t number) {
  curve_.note(number, {{static_cast<std::uint64_t>(counted().current_allocated_bytes())},
                       {static_cast<std::uint64_t>(counted().current_reserved_bytes())}});
  if (!event.time_ns) return;
  if (!begin_ns_) begin_ns_ = event.time_ns;
  end_ns_ = event.time_ns;
}

/// A history that is cut off at its beginning has the last ones.
traces::LongSequence<traces::StackId> DeviceReplay::history_stacks(
    const traces::LongSequence<AllocatorEvent>& entries) const {
  std::size_t requests = 0;
  std::size_t frees = 0;
  std::size_t failures = 0;
  for (const AllocatorEvent& entry : entries) {
    if (entry.action == Action::alloc) ++requests;
    if (entry.action == Action::oom) ++failures;
    if (entry.action == Action::free_requested) ++frees;
  }
  LastStacks of_requests(request_stacks_, requests);
  LastStacks of_frees(free_stacks_, frees);
  LastStacks of_failures(failure_stacks_, failures);
  traces::LongSequence<traces::StackId> stacks(asked().scratch);
  for (const AllocatorEvent& entry : entries)
    stacks.push_back(entry.action == Action::alloc            ? of_requests.next()
                     : entry.action == Action::free_requested ? of_frees.next()
                     : entry.action == Action::oom            ? of_failures.next()
                                                              : traces::StackId{});
  return stacks;
}

/// A history that is kept as a whole does not pile up in memory.
void DeviceReplay::move_history_out() {
  constexpr std::size_t most_entries = 65'536;
  if (asked().history_capacity == unlimited_history && kept().held_count() >= most_entries)
    move_entries_out();
}

void DeviceReplay::move_entries_out() {
  for (const AllocatorEvent& entry : kept().entries()) history_.push_back(entry);
  kept().forget();
}

void DeviceReplay::forget_history() {
  kept().forget();
  if (!history_.empty()) history_ = traces::LongSequence<AllocatorEvent>(asked().scratch);
}

traces::LongSequence<AllocatorEvent> DeviceReplay::take_history() {
  move_entries_out();
  return std::exchange(history_, traces::LongSequence<AllocatorEvent>(asked().scratch));
}

std::vector<AllocatorEvent> DeviceReplay::history() const { return kept().entries(); }

DeviceReport DeviceReplay::report() const {
  DeviceReport report = counters();
  report.peak_allocated = peak_allocated_;
  report.peak_reserved = peak_reserved_;
  report.curve = curve_;
  report.begin_ns = begin_ns_;
  report.end_ns = end_ns_;
  return report;
}

DeviceState state_of(DeviceReplay& replay) {
  DeviceState state;
  state.device = replay.device();
  // First, as taking a snapshot is an entry, and a snapshot does not show its own.
  state.history = replay.history();
  state.stacks = replay.history_stacks(state.history);
  state.snapshot = replay.take_snapshot();
  state.origins = replay.origins();
  state.rules = rules_of(replay.engine(), replay.device_free());
  state.rules.requests = replay.request_sizes();
  state.moment = replay.last_event();
  return state;
}

DeviceHistory history_of(DeviceReplay& replay) {
  DeviceHistory history;
  history.device = replay.device().value;
  history.traits.names_pools = true;
  history.traits.requests_frees = true;
  history.events = replay.take_history();
  history.stacks = replay.history_stacks(history.events.all());
  history.final_segments = replay.take_snapshot().segments;
  return history;
}

ReplayWatch watch_keeping(std::vector<DeviceHistory>& histories) {
  ReplayWatch watch;
  watch.at_end = [&histories](DeviceReplay& device) { histories.push_back(history_of(device)); };
  return watch;
}

}  // namespace vramlab::replay
