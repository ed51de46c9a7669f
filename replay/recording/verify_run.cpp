#include "replay/recording/verify_run.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "allocator/options/size_rules.h"
#include "allocator/types/bytes_and_ids.h"

namespace vramlab::replay {

using allocator::ReplayAccess;
using allocator::Search;

namespace {

/// A pool in which nothing is cached.
constexpr PoolId empty_pool{0, ~std::uint64_t{0}};

Bytes sum_of(const std::vector<allocator::PlannedRelease>& releases) {
  Bytes sum;
  for (const allocator::PlannedRelease& one : releases) sum += one.size;
  return sum;
}

using SegmentTraits = std::tuple<Bytes, StreamId, PoolKind, bool>;

std::map<Address, SegmentTraits> by_address(const std::vector<SnapshotSegment>& segments) {
  std::map<Address, SegmentTraits> found;
  for (const SnapshotSegment& one : segments)
    found[one.address] = {one.total_size, one.stream, one.kind, one.is_expandable};
  return found;
}

}  // namespace

VerifyRun::VerifyRun(const DeviceHistory& history, const ExplainedHistory& explained,
                     const VerifyConditions& conditions)
    : history_(history),
      explained_(explained),
      in_time_(explained.in_time),
      version_(conditions.version),
      device_(history,
              explained.shown_device().value_or(*allocator::device_total_for(unknown_reservation))),
      engine_(device_, conditions.version, in_time_.at(0)),
      rules_(engine_),
      recorded_reserved_(explained.room.reserved_at_start) {
  if (garbage_threshold() > 0) ReplayAccess(engine_).count_ages();
  for (const PoolId pool : explained.whole_pools) ReplayAccess(engine_).never_split(pool);
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
  follow_noted_up_to(history_.events.size());
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

/// Calls that a dry run noted before the end of a recorded call. An emptied cache held nothing to
/// release: if something is cached here, a scope held it back.
void VerifyRun::follow_noted_up_to(std::size_t last) {
  const std::vector<traces::NotedCall>& calls = history_.noted_calls;
  for (; next_noted_ < calls.size() && calls[next_noted_].before <= last; ++next_noted_) {
    const traces::NotedCall& call = calls[next_noted_];
    if (call.kind == traces::ProgramEventKind::empty_cache && !rules_.everything({}))
      found_.held_back.insert(next_noted_);
    if (call.kind == traces::ProgramEventKind::memory_fraction) allow_share(call);
  }
}

/// A request that the share forbids is refused before the device is asked.
void VerifyRun::allow_share(const traces::NotedCall& call) {
  const bool is_limit =
      call.fraction < 1 || version_.whole_fraction != allocator::WholeFraction::removes_limit;
  std::optional<Bytes> allowed;
  if (is_limit) allowed = allocator::share_of(call.fraction, call.device_memory);
  if (!is_limit && garbage_threshold() > 0) allowed = allocator::unlimited;
  ReplayAccess(engine_).allow(allowed);
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
  follow_noted_up_to(call.end - 1);
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

/// The highest threshold of all phases.
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
  // The size of a failed request is rounded already, unless the file was written by hand.
  const Bytes rounded = round_request(event.size, engine_.settings());
  if (event.action == Action::alloc) return {{pool_of(index), event.stream, rounded}};
  std::vector<Search> searches{{default_pool, event.stream, rounded}};
  if (const auto pool = told_pool(history_, index)) {
    searches.front().pool = *pool;
    return searches;
  }
  for (const auto& [id, pool] : engine_.core().private_pools)
    searches.push_back({id, event.stream, rounded});
  searches.push_back({empty_pool, event.stream, rounded});
  return searches;
}

/// Completes the frees at the head of the call, and sees which searches missed on the way. Those
/// that the request waited for, once it was refused, are left.
void VerifyRun::complete_head() {
  const std::size_t end = first_segment_call();
  candidates_.clear();
  for (const Search& search : searches_of(call_.end - 1)) candidates_.push_back({search});
  note_misses();
  call_.missed_at_first = candidates_.front().has_missed;
  for (std::size_t i = call_.next_completion; i < end; ++i) {
    if (completes_late(i)) return;
    complete_until(i + 1);
    note_misses();
  }
}

/// Frees that completed before a refused request released all that was cached, so that none waits
/// any more: the request waited for them, as it does for all. They may as well have completed just
/// before it; nothing tells.
void VerifyRun::note_waiting_at_head() {
  const RecordedCall& recorded = explained_.calls[call_.index];
  const bool is_own = recorded.origin == ReleaseOrigin::by_stacks || call_.is_out_of_memory;
  const bool waited = is_own && call_.releases_all && call_.missed_at_first &&
                      !call_.cache_emptied && call_.garbage_passes == 0 &&
                      !allocator::ReplayView(engine_).holds_any();
  if (!waited) return;
  for (std::size_t i = recorded.first; i < first_segment_call(); ++i)
    if (history_.events[i].action == Action::free_completed) found_.awaited.insert(i);
  fidelity_.inferred.awaited_frees = found_.awaited.size();
}

/// Whether the free completes after the search of its request: its block would have served a
/// request that took no free block.
bool VerifyRun::completes_late(std::size_t event) const {
  const AllocatorEvent& completed = history_.events[event];
  if (completed.action != Action::free_completed) return false;
  if (!device_.next() && !call_.is_out_of_memory) return false;
  const auto moved = moved_.find(completed.address);
  const Address at = moved == moved_.end() ? completed.address : moved->second;
  const Search& search = candidates_.front().search;
  const allocator::ReplayView view(engine_);
  return view.is_held(at) && !view.best_fit(search) && view.would_serve(at, search);
}

/// Completes the frees before an event for which the refused request waits.
void VerifyRun::await(std::size_t event) {
  for (std::size_t i = call_.next_completion; i < event; ++i)
    if (history_.events[i].action == Action::free_completed) found_.awaited.insert(i);
  complete_until(event);
  fidelity_.inferred.awaited_frees = found_.awaited.size();
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
  if (call_.cache_emptied)
    complete_until(last);
  else
    await(last);
  note_waiting_at_head();
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

/// If releases follow, the device refuses the attempt before them. If only the failure follows,
/// nobody knows what refused it.
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
  await(*next);
  const auto found = rules_.everything(expected_releases());
  if (!found) {
    take_releases();
    return false;
  }
  ++fidelity_.inferred.release_all_or_empty_cache;
  call_.releases_all = true;
  found_.retried.insert(explained_.calls[call_.index].first);
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
  if (has_chosen_place(history_, index) &&
      ReplayAccess(engine_).malloc_at(event.address, event.size, call_.search)) {
    ++fidelity_.allocs.exact;
    return;
  }
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

// The releases of a recorded call: which rule makes them, and the recorded ones if none does.

std::vector<PooledRelease> VerifyRun::expected_releases() const {
  std::vector<PooledRelease> releases;
  for (const std::size_t i : device_.expected_releases()) {
    const AllocatorEvent& event = history_.events[i];
    releases.push_back(
        {{event.address, event.size, event.stream, event.action == Action::segment_unmap},
         pool_of(i)});
  }
  return releases;
}

/// Empties the cache if the next releases are those of an emptied cache, and says whether they are.
bool VerifyRun::empty_cache_first() {
  const auto pools = rules_.everything_first(expected_releases());
  if (!pools) return false;
  ++fidelity_.inferred.emptied_caches;
  found_.emptied.push_back({device_.expected_releases().front(), false});
  ReplayAccess(engine_).release_everything(*pools);
  return true;
}

/// Makes the next releases if they are those of a pool that ended, and says whether they are.
bool VerifyRun::end_pool_first() {
  const std::vector<PooledRelease> releases = expected_releases();
  const std::size_t count = rules_.ended_pool(releases);
  if (count == 0) return false;
  ++fidelity_.inferred.ended_pools;
  found_.ended_pools[device_.expected_releases().front()] = releases.front().pool;
  ReplayAccess(engine_).release_private(releases.front().pool);
  return true;
}

/// Makes a recorded release; false if the memory is not free to be released.
bool VerifyRun::release_as_recorded(std::size_t index) {
  const AllocatorEvent& event = history_.events[index];
  const bool is_unmap = event.action == Action::segment_unmap;
  if (is_unmap ? ReplayAccess(engine_).can_unmap_named(event.address)
               : ReplayAccess(engine_).can_release_named(event.address)) {
    if (is_unmap)
      ReplayAccess(engine_).unmap_named(event.address);
    else
      ReplayAccess(engine_).release_named(event.address);
    return true;
  }
  note(index, "recorded " + event_text(event) + ", which is not free to be released");
  ++fidelity_.segment_calls.wrong;
  device_.skip();
  return false;
}

/// Makes the releases as recorded, as no rule explains them.
void VerifyRun::take_releases() {
  bool any = false;
  for (const std::size_t i : device_.expected_releases()) {
    complete_until(i);
    if (!release_as_recorded(i)) continue;
    any = true;
    ++fidelity_.segment_calls.taken;
  }
  if (!any) return;
  unexplained_calls_.push_back(call_.index);
  fidelity_.unexplained_events.push_back(explained_.calls[call_.index].first);
}

/// Ages are counted in searches: those before the recording are unknown, and so are those of
/// failed requests whose pool is not known.
bool VerifyRun::ages_are_known() const {
  return fidelity_.starts_empty &&
         (history_.traits.names_pools || fidelity_.inferred.out_of_memory == 0);
}

/// Whether the releases begin as garbage collection would if blocks had other ages. Such a
/// beginning is done as recorded.
bool VerifyRun::collects_by_shape(const Candidate& candidate) {
  if (!candidate.has_missed) return false;
  const std::size_t count = rules_.garbage_shape(candidate.search, expected_releases(), ending());
  if (count == 0) return false;
  const std::vector<std::size_t> events = device_.expected_releases();
  for (std::size_t i = 0; i < count; ++i) release_as_recorded(events[i]);
  fidelity_.inferred.garbage_shaped += count;
  return explains(candidate);
}

/// Notes where this miss shows the limit to be: garbage was collected in so many passes and in no
/// more, or not at all. If more was released, nobody knows which part of it was garbage.
void VerifyRun::note_garbage_limit() {
  const unsigned passes = call_.garbage_passes;
  const auto garbage_in = [this](unsigned count) {
    return sum_of(ReplayAccess(engine_).plan_garbage(count));
  };
  const bool is_all =
      expected_releases().size() == ReplayAccess(engine_).plan_garbage(passes).size();
  if (!is_all) return;
  const Bytes reserved = engine_.core().reserved;
  if (passes > 0) {
    found_.garbage_calls.insert(explained_.calls[call_.index].first);
    garbage_limits_.was_too_much(reserved - (ages_are_known() ? garbage_in(passes - 1) : Bytes{}));
  }
  if (garbage_in(passes + 1) > garbage_in(passes))
    garbage_limits_.was_enough(reserved - garbage_in(passes));
}

/// The last attempt to get memory was refused: the device had less than the reserved memory and
/// the amount asked for. A new reservation is refused before anybody asks for memory.
void VerifyRun::note_refusal() {
  if (explained_.exceeds_reserve(call_.search.rounded, engine_.settings())) return;
  const PoolKind kind = allocator::pool_kind_of(call_.search.rounded);
  const Bytes unit = allocator::expandable_unit(kind, engine_.settings());
  const Bytes asked = device_.take_refused().value_or(round_up(call_.search.rounded, unit));
  const Bytes missed = engine_.core().reserved + asked;
  const auto [known, is_new] =
      found_.refusals.try_emplace(explained_.calls[call_.index].first, missed);
  if (!is_new) known->second = std::min(known->second, missed);
}

/// Whether a memory fraction is known to be in force, under which garbage is collected before the
/// device is asked; or a free still waits behind this call, which a release of everything would
/// have waited for.
bool VerifyRun::prefers_garbage() const {
  if (garbage_limits_.allows(engine_.core().reserved)) return false;
  if (explained_.room.was_limited || !found_.garbage_calls.empty()) return true;
  if (engine_.settings().per_process_memory_fraction < 1) return true;
  std::size_t waiting = allocator::ReplayView(engine_).held_count();
  for (std::size_t i = call_.next_completion; i < call_.end; ++i)
    if (history_.events[i].action == Action::free_completed && waiting > 0) --waiting;
  return waiting > 0;
}

/// Says when frees complete between the expected releases, and whether the request fails.
ReleaseRules::Ending VerifyRun::ending() const {
  ReleaseRules::Ending ending;
  ending.is_refused = call_.is_out_of_memory;
  ending.had_room = call_.had_room;
  ending.prefers_garbage = prefers_garbage();
  const std::vector<std::size_t> releases = device_.expected_releases();
  std::size_t event = call_.next_completion;
  for (std::size_t i = 0; i < releases.size() && !ending.completes_after; ++i)
    for (; event < releases[i]; ++event)
      if (history_.events[event].action == Action::free_completed) ending.completes_after = i;
  return ending;
}

/// Whether this search missed, and its way past the miss makes the recorded releases.
bool VerifyRun::explains(const Candidate& candidate) {
  call_.search = candidate.search;
  call_.has_missed = candidate.has_missed;
  if (!call_.has_missed) return false;
  const std::vector<PooledRelease> releases = expected_releases();
  const auto plan = rules_.ladder(candidate.search, releases, ending());
  if (!plan) return false;
  call_.garbage_passes = plan->garbage_passes;
  if (plan->has_oversize) ++fidelity_.inferred.oversize_releases;
  return true;
}

/// Whether the device had less free memory than a request to this pool would have asked it for.
bool VerifyRun::device_was_full_for(const Search& search, std::size_t event) const {
  return allocator::ReplayView(engine_).memory_for(search) >
         Bytes{history_.events[event].address.value};
}

/// An out-of-memory that released nothing: some pool in which the search missed, and which had
/// nothing oversize to release. One for which the device had too little memory comes first.
void VerifyRun::run_out_of_memory(std::size_t event) {
  if (!history_.traits.lacks_device_free)
    std::ranges::stable_partition(
        candidates_, [&](const Candidate& one) { return device_was_full_for(one.search, event); });
  for (const Candidate& candidate : candidates_)
    if (explains(candidate)) return;
  note(event,
       "recorded " + event_text(history_.events[event]) + ", replayed a block that was found");
}

bool VerifyRun::gets_new_memory() const {
  for (std::size_t i = explained_.calls[call_.index].first; i < call_.end; ++i) {
    const Action action = history_.events[i].action;
    if (action == Action::segment_alloc || action == Action::segment_map) return true;
  }
  return false;
}

/// A cache that was emptied before the request: its search begins anew.
bool VerifyRun::empty_cache_before_request() {
  if (!empty_cache_first()) return false;
  call_.cache_emptied = true;
  for (Candidate& candidate : candidates_) candidate.has_missed = false;
  note_misses();
  return true;
}

bool VerifyRun::has_completions_at_head() const {
  for (std::size_t i = explained_.calls[call_.index].first; i < first_segment_call(); ++i)
    if (history_.events[i].action == Action::free_completed) return true;
  return false;
}

/// Makes the releases if they are those of everything for which no oversize block went first, as
/// none was free before the request waited. False if they are not.
bool VerifyRun::retry_after_waiting() {
  if (!call_.releases_all || !call_.missed_at_first || !has_completions_at_head()) return false;
  const auto pools = rules_.everything(expected_releases());
  ++fidelity_.inferred.release_all_or_empty_cache;
  found_.retried.insert(explained_.calls[call_.index].first);
  note_refusal();
  ReplayAccess(engine_).release_everything(*pools);
  call_.search = candidates_.front().search;
  call_.has_missed = true;
  return true;
}

void VerifyRun::explain_releases() {
  call_.releases_all = rules_.everything(expected_releases()).has_value();
  const bool is_own = explained_.calls[call_.index].origin == ReleaseOrigin::by_stacks;
  const auto is_explained = [this] {
    return std::ranges::any_of(candidates_, [this](const auto& one) { return explains(one); });
  };
  // A request that released everything gets new memory, or fails.
  if (!is_own && !gets_new_memory() && !call_.is_out_of_memory && empty_cache_before_request() &&
      device_.expected_releases().empty())
    return void(explains(candidates_.front()));
  if (is_explained()) return;
  if (!ages_are_known())
    for (const Candidate& candidate : candidates_)
      if (collects_by_shape(candidate)) return;
  if ((is_own || call_.is_out_of_memory) && retry_after_waiting()) return;
  // Then there was less room than later, when others held less or a fraction allowed more.
  if (is_own) call_.had_room = false;
  if (is_own && is_explained()) return;
  if (empty_cache_before_request()) {
    if (is_explained()) return;
    if (device_.expected_releases().empty()) return void(explains(candidates_.front()));
  }
  // There may have been less room at times, when others held more or a fraction allowed less.
  call_.had_room = false;
  if (is_explained()) return;
  call_.search = candidates_.front().search;
  call_.has_missed = candidates_.front().has_missed;
  take_releases();
}

// The end of a history, compared with the state that the engine came to.

void VerifyRun::count_segment_calls() {
  SegmentCallCounts& counts = fidelity_.segment_calls;
  for (const std::size_t event : history_.events.rare())
    if (is_segment_call(history_.events[event].action)) ++counts.total;
  counts.wrong += device_.wrong_count();
  const std::uint64_t others = counts.taken + counts.wrong;
  counts.explained = counts.total > others ? counts.total - others : 0;
}

/// Compares all but the pools, whose names the file and the replay choose differently.
void VerifyRun::compare_final_segments(const std::vector<SnapshotSegment>& replayed) {
  const auto recorded = by_address(history_.final_segments);
  const auto made = by_address(replayed);
  fidelity_.final_segments.total = std::max(recorded.size(), made.size());
  for (const auto& [address, traits] : recorded) {
    const auto same = made.find(address);
    if (same != made.end() && same->second == traits)
      ++fidelity_.final_segments.exact;
    else
      note(history_.events.size(), "the final segment at " + name_of(address) + " differs");
  }
  if (made.size() > recorded.size())
    note(history_.events.size(), "the replay ends with " + std::to_string(made.size()) +
                                     " segments, the recording with " +
                                     std::to_string(recorded.size()));
}

void VerifyRun::compare_final_blocks() {
  std::map<Address, SnapshotBlock> replayed;
  const std::vector<SnapshotSegment> segments = engine_.take_snapshot().segments;
  compare_final_segments(segments);
  for (const SnapshotSegment& segment : segments)
    for (const SnapshotBlock& block : segment.blocks) replayed[block.address] = block;
  for (const SnapshotSegment& segment : history_.final_segments) {
    for (const SnapshotBlock& block : segment.blocks) {
      ++fidelity_.final_blocks.total;
      const auto found = replayed.find(block.address);
      const bool is_same =
          found != replayed.end() && found->second.size == block.size &&
          found->second.state == block.state &&
          (block.state == BlockState::inactive || found->second.requested == block.requested);
      if (is_same)
        ++fidelity_.final_blocks.exact;
      else
        note(history_.events.size(), "the final block of " + format_bytes(block.size) + " at " +
                                         name_of(block.address) + " differs");
      if (found != replayed.end()) replayed.erase(found);
    }
  }
  fidelity_.final_blocks.total += replayed.size();
  for (const auto& [address, block] : replayed)
    note(history_.events.size(), "the replay ends with a block of " + format_bytes(block.size) +
                                     " at " + name_of(address) + " that was not recorded");
}

}  // namespace vramlab::replay
