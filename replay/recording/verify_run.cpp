#include "replay/recording/verify_run.h"

#include <algorithm>
#include <tuple>

#include "allocator/options/size_rules.h"
#include "allocator/types/bytes_and_ids.h"

namespace vramlab::replay {

using allocator::ReplayAccess;
using allocator::Search;

namespace {

/// In a pool of its own nothing is cached.
constexpr PoolId empty_pool{0, ~std::uint64_t{0}};

}  // namespace

VerifyRun::VerifyRun(const DeviceHistory& history, const ExplainedHistory& explained,
                     const VerifyConditions& conditions)
    : history_(history),
      explained_(explained),
      in_time_(history, explained.calls, explained.phases, explained.private_segments),
      device_(history, allocator::device_total_for(explained.placements.reservation)),
      engine_(device_, conditions.version, in_time_.at(0)),
      rules_(engine_),
      recorded_reserved_(explained.room.reserved_at_start) {
  if (garbage_threshold() > 0) ReplayAccess(engine_).count_ages();
  adopt_start();
}

VerifyRun::~VerifyRun() = default;

void VerifyRun::adopt_start() {
  for (std::size_t i = 0; i < explained_.start.segments.size(); ++i) {
    GivenSegment given = explained_.start.segments[i];
    given.pool = explained_.pools[i];
    ReplayAccess(engine_).adopt(given);
    const GivenBlock& last = given.blocks.back();
    const bool ends_unmapped = last.use == GivenUse::unmapped;
    device_.adopt(given.base, given.size() - (ends_unmapped ? last.size : Bytes{}));
  }
}

PoolId VerifyRun::pool_of(std::size_t event) const {
  const LifeIndex life = explained_.placements.life_of_event[event];
  return life == no_life ? default_pool : explained_.pools[life];
}

void VerifyRun::note(std::size_t event, const std::string& text) {
  if (!fidelity_.first_difference) fidelity_.first_difference = ReplayDifference{event, text};
}

DeviceFidelity VerifyRun::run() {
  fidelity_.device = history_.device;
  fidelity_.event_count = history_.events.size();
  fidelity_.starts_empty = explained_.start.segments.empty();
  fidelity_.inferred.assumed_extents = explained_.start.assumed_extent_count;
  for (std::size_t i = 0; i < explained_.calls.size(); ++i) follow(i);
  compare_final_blocks();
  count_segment_calls();
  fidelity_.allowed = garbage_limits_.allowed(garbage_threshold(), explained_.room.peak_reserved);
  return std::move(fidelity_);
}

Snapshot VerifyRun::state_after(std::size_t event_count) {
  for (std::size_t i = 0; i < explained_.calls.size() && explained_.calls[i].first < event_count;
       ++i)
    follow(i);
  return engine_.take_snapshot();
}

bool VerifyRun::caches_nothing_before(const std::vector<std::size_t>& calls) {
  for (std::size_t i = 0; i < explained_.calls.size(); ++i) {
    if (std::ranges::binary_search(calls, explained_.calls[i].first) && !rules_.everything({}))
      return false;
    follow(i);
  }
  return true;
}

void VerifyRun::follow(std::size_t index) {
  const RecordedCall& call = explained_.calls[index];
  set_settings(index);
  if (call.kind == RecordedCallKind::release)
    follow_release(index);
  else if (call.kind == RecordedCallKind::request)
    follow_request(index);
  else
    follow_free(call);
  compare_sums(call);
}

/// Every peak of reserved memory is one of these sums.
void VerifyRun::compare_sums(const RecordedCall& call) {
  for (std::size_t i = call.first; i < call.end; ++i) {
    const AllocatorEvent& event = history_.events[i];
    if (is_release(event.action))
      recorded_reserved_ = recorded_reserved_ - event.size;
    else if (is_segment_call(event.action))
      recorded_reserved_ += event.size;
  }
  ++fidelity_.sums.total;
  const Bytes reserved = engine_.core().reserved;
  if (reserved == recorded_reserved_)
    ++fidelity_.sums.exact;
  else
    note(call.end - 1, "the recorded entries add up to " + format_bytes(recorded_reserved_) +
                           " reserved, the replay has " + format_bytes(reserved));
}

void VerifyRun::set_settings(std::size_t index) {
  const allocator::Settings& settings = in_time_.at(index);
  if (engine_.settings() == settings) return;
  if (engine_.settings().expandable_segments != settings.expandable_segments)
    ++fidelity_.inferred.mode_changes;
  ReplayAccess(engine_).replace_settings(settings);
}

/// The highest of all phases.
double VerifyRun::garbage_threshold() const {
  double highest = 0;
  for (const SettingsPhase& phase : explained_.phases)
    highest = std::max(highest, phase.settings.garbage_collection_threshold);
  return highest;
}

void VerifyRun::follow_free(const RecordedCall& call) {
  Address at = history_.events[call.first].address;
  if (const auto moved = moved_.find(at); moved != moved_.end()) at = moved->second;
  if (!engine_.is_live(at)) return note(call.first, "no block to free is at " + name_of(at));
  compare_request(call.first, ReplayAccess(engine_).requested_at(at));
  if (call.kind == RecordedCallKind::free) {
    engine_.free(at);
    moved_.erase(history_.events[call.first].address);
    return;
  }
  ReplayAccess(engine_).hold(at);
  ++fidelity_.inferred.waiting_frees;
}

void VerifyRun::compare_request(std::size_t index, Bytes requested) {
  const AllocatorEvent& event = history_.events[index];
  if (event.size != requested)
    note(index, "recorded " + event_text(event) + ", replayed a block of " +
                    format_bytes(requested) + " there");
}

/// Completes the waiting frees of these events, and no others.
void VerifyRun::complete_frees_of(std::size_t first, std::size_t end) {
  for (std::size_t i = first; i < end; ++i) {
    const AllocatorEvent& event = history_.events[i];
    if (event.action != Action::free_completed) continue;
    Address at = event.address;
    if (const auto moved = moved_.find(at); moved != moved_.end()) at = moved->second;
    if (ReplayAccess(engine_).is_held(at))
      ReplayAccess(engine_).complete_held(at);
    else
      note(i, "no block that waits is at " + name_of(at));
    moved_.erase(event.address);
  }
}

void VerifyRun::complete_until(std::size_t event) {
  complete_frees_of(call_.next_completion, event);
  call_.next_completion = std::max(call_.next_completion, event);
}

void VerifyRun::begin_call(std::size_t index) {
  call_ = {};
  call_.index = index;
  call_.end = explained_.calls[index].end;
  call_.next_completion = explained_.calls[index].first;
  call_.had_room = explained_.calls[index].had_room;
}

/// A release that no request asked for: the cache was emptied, perhaps more than once.
void VerifyRun::follow_release(std::size_t index) {
  const RecordedCall& recorded = explained_.calls[index];
  begin_call(index);
  std::size_t first = recorded.first;
  while (first < recorded.end) {
    std::size_t end = first;
    while (end < recorded.end && !is_segment_call(history_.events[end].action)) ++end;
    complete_until(end);
    first = end;
    while (end < recorded.end && is_segment_call(history_.events[end].action)) ++end;
    device_.expect(first, end);
    while (!device_.expected_releases().empty() && (empty_cache_first() || end_pool_first())) {
    }
    take_releases();
    compare_segment_calls();
    first = end;
  }
}

std::size_t VerifyRun::first_segment_call() const {
  std::size_t at = explained_.calls[call_.index].first;
  while (at + 1 < call_.end && !is_segment_call(history_.events[at].action)) ++at;
  return at;
}

void VerifyRun::note_misses() {
  for (Candidate& candidate : candidates_)
    candidate.has_missed =
        candidate.has_missed || !ReplayAccess(engine_).best_fit(candidate.search);
}

std::vector<Search> VerifyRun::searches_of(std::size_t index) const {
  const AllocatorEvent& event = history_.events[index];
  // That of a failed request is rounded already, unless somebody wrote the file by hand.
  const Bytes rounded = round_request(event.size, engine_.settings());
  if (event.action == Action::alloc) return {{pool_of(index), event.stream, rounded}};
  std::vector<Search> searches{{default_pool, event.stream, rounded}};
  if (history_.traits.names_pools) {
    searches.front().pool = event.pool;
    return searches;
  }
  for (const auto& [id, pool] : engine_.core().private_pools)
    searches.push_back({id, event.stream, rounded});
  searches.push_back({empty_pool, event.stream, rounded});
  return searches;
}

/// Completes the frees at the head of the call, and sees which searches missed on the way.
void VerifyRun::complete_head() {
  const std::size_t end = first_segment_call();
  candidates_.clear();
  for (const Search& search : searches_of(call_.end - 1)) candidates_.push_back({search});
  note_misses();
  for (std::size_t i = call_.next_completion; i < end; ++i) {
    complete_until(i + 1);
    note_misses();
  }
}

void VerifyRun::follow_request(std::size_t index) {
  const RecordedCall& recorded = explained_.calls[index];
  begin_call(index);
  const std::size_t last = recorded.end - 1;
  call_.is_out_of_memory = history_.events[last].action == Action::oom;
  device_.expect(recorded.first, last);
  complete_head();
  if (!device_.expected_releases().empty())
    explain_releases();
  else if (call_.is_out_of_memory)
    run_out_of_memory(last);
  else
    explains(candidates_.front());
  request_memory(last);
  complete_until(last);
  compare_segment_calls();
}

bool VerifyRun::search_has_failed() {
  const bool gets_memory = device_.next().has_value() || call_.is_out_of_memory;
  return call_.has_missed && !call_.cache_emptied && gets_memory;
}

unsigned VerifyRun::garbage_passes() {
  if (call_.garbage_passes > 0) ++fidelity_.inferred.garbage_collections;
  if (engine_.settings().garbage_collection_threshold > 0) note_garbage_limit();
  return call_.garbage_passes;
}

/// If releases follow, the device refuses the attempt before them; if only the failure follows,
/// nobody knows what did.
bool VerifyRun::may_attempt() { return device_.next().has_value() || !call_.is_out_of_memory; }

bool VerifyRun::goes_on() {
  if (!device_.next()) return false;
  note_refusal();
  return true;
}

bool VerifyRun::releases_everything(std::vector<PoolId>& pools) {
  const auto next = device_.next();
  if (!next) return false;
  note_refusal();
  complete_until(*next);
  const auto found = rules_.everything(expected_releases());
  if (!found) {
    take_releases();
    return false;
  }
  ++fidelity_.inferred.release_all_or_empty_cache;
  if (explained_.calls[call_.index].origin == ReleaseOrigin::guessed)
    found_.emptied.push_back({*next, true});
  pools = *found;
  return true;
}

void VerifyRun::request_memory(std::size_t index) {
  const AllocatorEvent& event = history_.events[index];
  if (call_.is_out_of_memory) {
    ++fidelity_.inferred.out_of_memory;
    if (device_.expected_releases().empty() && !rules_.everything({}))
      found_.captured_failures.insert(index);
    if (call_.search.pool != default_pool) ++fidelity_.inferred.out_of_memory_in_private_pools;
    found_.failed_pools[index] = call_.search.pool;
    device_.set_free({event.address.value});
    if (!call_.has_missed) return;
    const auto result =
        ReplayAccess(engine_).malloc_directed(event.size, event.stream, call_.search.pool, *this);
    if (result) note(index, "recorded " + event_text(event) + ", replayed a block");
    if (result) engine_.free(result.address);
    return;
  }
  ++fidelity_.allocs.total;
  const auto result =
      ReplayAccess(engine_).malloc_directed(event.size, event.stream, call_.search.pool, *this);
  if (result && result.address == event.address) {
    ++fidelity_.allocs.exact;
    return;
  }
  note_device_difference();
  note(index, "recorded " + event_text(event) + ", replayed " +
                  (result ? "it at " + name_of(result.address) : std::string("out of memory")));
  if (result) moved_[event.address] = result.address;
}

void VerifyRun::compare_segment_calls() {
  for (auto missed = device_.next(); missed; missed = device_.next()) {
    note(*missed,
         "recorded " + event_text(history_.events[*missed]) + ", which the replay does not make");
    ++fidelity_.segment_calls.wrong;
    device_.skip();
  }
  note_device_difference();
}

void VerifyRun::note_device_difference() {
  if (const std::string text = device_.take_difference(); !text.empty()) note(call_.end - 1, text);
}

}  // namespace vramlab::replay
