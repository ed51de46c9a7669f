#include "replay/run/device_replay.h"

#include <algorithm>

#include "allocator/words/allocator_error.h"
#include "allocator/words/id_names.h"
#include "replay/run/engine_calls.h"
#include "replay/run/replay_report.h"
#include "replay/state/engine_rules.h"
#include "replay/state/stranded_now.h"
#include "streams/device/timed_device.h"

namespace vramlab::replay {

using allocator::Address;
using allocator::AllocatorError;
using allocator::Bytes;
using allocator::MallocOutcome;

const streams::DeviceCosts& costs_of(const DeviceConditions& conditions) {
  return conditions.costs ? *conditions.costs : streams::estimated_costs();
}

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
    : index_(device),
      conditions_(conditions),
      world_(conditions_, device),
      engine_(world_.device(), conditions.version, conditions.settings),
      history_(conditions.scratch),
      request_stacks_(conditions.scratch),
      free_stacks_(conditions.scratch) {
  static_cast<allocator::History&>(engine_.listeners()).set_capacity(conditions.history_capacity);
  if (conditions.memory_fraction) engine_.set_memory_fraction(*conditions.memory_fraction);
}

void DeviceReplay::adopt(const std::vector<StartingSegment>& start) {
  if (start.empty()) return;
  for (const StartingSegment& segment : start) adopt(segment);
  static_cast<allocator::Statistics&>(engine_.listeners()).start_from(engine_.take_snapshot());
  start_is_there();
}

void DeviceReplay::start_is_there() {
  auto& listeners = engine_.listeners();
  static_cast<allocator::History&>(listeners).set_capacity(0);
  static_cast<allocator::History&>(listeners).set_capacity(conditions_.history_capacity);
  static_cast<allocator::Statistics&>(listeners).reset_peak();
  static_cast<allocator::Statistics&>(listeners).reset_accumulated();
  world_.start_is_there();
  requests_ = 0;
  frees_ = 0;
  history_ = traces::LongSequence<allocator::AllocatorEvent>(conditions_.scratch);
  free_stacks_ = traces::LongSequence<traces::StackId>(conditions_.scratch);
  peak_allocated_ = {
      {static_cast<std::uint64_t>(statistics().allocated_bytes.all.current)}, 0, std::nullopt};
  peak_reserved_ = {
      {static_cast<std::uint64_t>(statistics().reserved_bytes.all.current)}, 0, std::nullopt};
  stranded_at_peak_ = stranded_now(engine_);
  curve_ = {};
  curve_.note(0, {peak_allocated_.bytes, peak_reserved_.bytes});
}

void DeviceReplay::adopt(const StartingSegment& start) {
  allocator::GivenSegment segment = start.segment;
  segment.base = world_.adopt(segment);
  engine_.adopt(segment);
  Address address = segment.base;
  for (std::size_t i = 0; i < segment.blocks.size(); ++i) {
    if (start.ids[i] != 0) live_.note(start.ids[i], address);
    if (conditions_.notes_origins == NotesOrigins::yes && start.stacks[i] != traces::StackId{})
      origins_[address] = {start.stacks[i], std::nullopt, std::nullopt};
    address = address + segment.blocks[i].size;
  }
}

bool DeviceReplay::apply(const Event& event, std::uint64_t number, const traces::TextTable& texts) {
  if (conditions_.streams != nullptr && !conditions_.streams->begin(event, number))
    throw streams::EndlessWait("host thread " + std::to_string(event.thread) +
                               " waits for work that never ends");
  if (const auto now_ns = time_of(event))
    static_cast<allocator::History&>(engine_.listeners()).set_time_us(*now_ns / 1000);
  last_event_ = {
      number, event.time_ns ? event.time_ns : (last_event_ ? last_event_->time_ns : std::nullopt)};
  const bool goes_on = make_call(event, number, texts);
  note_level(event, number);
  move_history_out();
  return goes_on;
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
    case Kind::pool_create:
    case Kind::pool_begin:
    case Kind::pool_end:
    case Kind::pool_release:
    case Kind::pool_destroy:
      return change_pool(engine_, world_.streams(), event);
    case Kind::options:
      return set_options(event, texts);
    case Kind::memory_fraction:
      if (!conditions_.keeps_settings) engine_.set_memory_fraction(event.fraction);
      return;
    case Kind::empty_cache:
      return engine_.empty_cache(event.pool);
    case Kind::external:
      return world_.set_external(event.bytes);
    case Kind::checkpoint:
    case Kind::restore:
      return keep_or_restore(event, texts);
    default:
      // What asks for answers, or is there for people, is nothing to a device's streams either.
      return world_.streams().apply(event);
  }
}

bool DeviceReplay::request(const Event& event, std::uint64_t number) {
  ++requests_;
  const allocator::MallocResult result = engine_.malloc(event.bytes, event.stream);
  switch (result.outcome) {
    case MallocOutcome::allocated:
      live_.note(event.id, result.address);
      note_origin(event, number, result.address);
      note_peaks(event, number);
      return true;
    case MallocOutcome::nothing:
      failed_ids_.insert(event.id);
      return true;
    case MallocOutcome::scope_already_open:
      throw AllocatorError("a request in a pool that lends its memory while it is captured to");
    case MallocOutcome::out_of_memory:
    case MallocOutcome::rejected:
      break;
  }
  live_.forget(event.id);
  failed_ids_.insert(event.id);
  failures_.push_back({number, event.time_ns, event.stream, engine_.last_failure()});
  note_peaks(event, number);
  return false;
}

void DeviceReplay::note_origin(const Event& event, std::uint64_t number, Address at) {
  if (conditions_.history_capacity > 0) request_stacks_.push_back(event.stack);
  if (conditions_.notes_origins == NotesOrigins::no) return;
  origins_[at] = {event.stack, number, event.time_ns};
  if (!request_sizes_) request_sizes_.emplace(engine_.settings());
  request_sizes_->add(event.bytes, event.stream);
}

void DeviceReplay::free(const Event& event) {
  if (failed_ids_.erase(event.id) > 0) return;
  ++frees_;
  const Address address = address_of(event, "freed");
  live_.forget(event.id);
  if (conditions_.history_capacity > 0) free_stacks_.push_back(event.stack);
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

void DeviceReplay::set_options(const Event& event, const traces::TextTable& texts) {
  if (conditions_.keeps_settings) {
    ++options_left_out_;
    return;
  }
  replay::set_options(engine_, texts.text(event.text));
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
  live_.restore(engine_.restore_checkpoint(found->second), event.id);
}

/// Peaks are reached in requests only.
void DeviceReplay::note_peaks(const Event& event, std::uint64_t number) {
  const allocator::Statistics& counted = engine_.listeners();
  MemoryLevel reached;
  const auto note = [&](PeakMoment& peak, std::int64_t bytes, Bytes& of_curve) {
    const Bytes now{static_cast<std::uint64_t>(bytes)};
    if (now <= peak.bytes) return;
    peak = {now, number, event.time_ns};
    of_curve = now;
  };
  note(peak_allocated_, counted.peak_allocated_bytes(), reached.allocated);
  note(peak_reserved_, counted.peak_reserved_bytes(), reached.reserved);
  if (reached.reserved > Bytes{}) stranded_at_peak_ = stranded_now(engine_);
  // A peak inside a call may be over when the call is.
  if (reached != MemoryLevel{}) curve_.note(number, reached);
}

void DeviceReplay::note_level(const Event& event, std::uint64_t number) {
  const allocator::Statistics& counted = engine_.listeners();
  curve_.note(number, {{static_cast<std::uint64_t>(counted.current_allocated_bytes())},
                       {static_cast<std::uint64_t>(counted.current_reserved_bytes())}});
  if (!event.time_ns) return;
  if (!begin_ns_) begin_ns_ = event.time_ns;
  end_ns_ = event.time_ns;
}

allocator::StatisticValues DeviceReplay::statistics() const {
  return static_cast<const allocator::Statistics&>(engine_.listeners()).values();
}

/// Of a history that is cut off at its beginning the last ones are there.
traces::LongSequence<traces::StackId> DeviceReplay::history_stacks(
    const traces::LongSequence<allocator::AllocatorEvent>& entries) const {
  std::size_t requests = 0;
  std::size_t frees = 0;
  for (const allocator::AllocatorEvent& entry : entries) {
    if (entry.action == allocator::Action::alloc) ++requests;
    if (entry.action == allocator::Action::free_requested) ++frees;
  }
  LastStacks of_requests(request_stacks_, requests);
  LastStacks of_frees(free_stacks_, frees);
  traces::LongSequence<traces::StackId> stacks(conditions_.scratch);
  for (const allocator::AllocatorEvent& entry : entries)
    stacks.push_back(entry.action == allocator::Action::alloc            ? of_requests.next()
                     : entry.action == allocator::Action::free_requested ? of_frees.next()
                                                                         : traces::StackId{});
  return stacks;
}

/// A history that is kept as a whole does not pile up in memory.
void DeviceReplay::move_history_out() {
  constexpr std::uint64_t most_entries = 65'536;
  const allocator::History& kept = engine_.listeners();
  if (conditions_.history_capacity == unlimited_history &&
      kept.recorded_count() - history_.size() >= most_entries)
    move_entries_out();
}

void DeviceReplay::move_entries_out() {
  allocator::History& kept = engine_.listeners();
  for (const allocator::AllocatorEvent& entry : kept.entries()) history_.push_back(entry);
  kept.set_capacity(0);
  kept.set_capacity(conditions_.history_capacity);
}

traces::LongSequence<allocator::AllocatorEvent> DeviceReplay::take_history() {
  move_entries_out();
  return std::exchange(history_,
                       traces::LongSequence<allocator::AllocatorEvent>(conditions_.scratch));
}

std::vector<allocator::AllocatorEvent> DeviceReplay::history() const {
  return static_cast<const allocator::History&>(engine_.listeners()).entries();
}

DeviceReport DeviceReplay::report() const {
  DeviceReport report;
  report.device = index_;
  report.memory = conditions_.memory;
  report.held_by_others = conditions_.held_by_others;
  report.requests = requests_;
  report.frees = frees_;
  report.peak_allocated = peak_allocated_;
  report.peak_reserved = peak_reserved_;
  report.curve = curve_;
  report.begin_ns = begin_ns_;
  report.end_ns = end_ns_;
  report.statistics = statistics();
  report.device_calls = device_calls();
  if (const streams::MemoryDevice* const simulated = world_.streams().simulated()) {
    report.device_call_tally = world_.call_tally();
    report.device_time_ns = costs_of(conditions_).nanoseconds_of(report.device_call_tally);
    report.same_below = std::min(simulated->same_answers().below, engine_.core().margin.below());
    report.places = simulated->place_book();
  }
  report.stranded_at_peak = stranded_at_peak_;
  report.failures = failures_;
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

}  // namespace vramlab::replay
