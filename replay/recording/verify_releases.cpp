// The releases of a recorded call: which rule makes them, and what is done for want of one.
#include "replay/recording/verify_run.h"

#include <algorithm>

#include "allocator/options/size_rules.h"
#include "allocator/types/bytes_and_ids.h"

namespace vramlab::replay {

using allocator::ReplayAccess;
using allocator::Search;

namespace {

Bytes sum_of(const std::vector<allocator::PlannedRelease>& releases) {
  Bytes sum;
  for (const allocator::PlannedRelease& one : releases) sum += one.size;
  return sum;
}

}  // namespace

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

/// Whether the next releases are those of an emptied cache; if so it is emptied.
bool VerifyRun::empty_cache_first() {
  const auto pools = rules_.everything_first(expected_releases());
  if (!pools) return false;
  ++fidelity_.inferred.emptied_caches;
  found_.emptied.push_back({device_.expected_releases().front(), false});
  ReplayAccess(engine_).release_everything(*pools);
  return true;
}

/// Whether the next releases are those of a pool that ended; if so they are made.
bool VerifyRun::end_pool_first() {
  const std::vector<PooledRelease> releases = expected_releases();
  const std::size_t count = rules_.ended_pool(releases);
  if (count == 0) return false;
  ++fidelity_.inferred.ended_pools;
  found_.ended_pools[device_.expected_releases().front()] = releases.front().pool;
  ReplayAccess(engine_).release_private(releases.front().pool);
  return true;
}

/// False where what was released is not free to be released.
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

/// As recorded, for want of a rule.
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

/// Whether the releases begin as garbage collection would, had blocks other ages; then that part is
/// done as recorded.
bool VerifyRun::collects_by_shape(const Candidate& candidate) {
  if (!candidate.has_missed) return false;
  const std::size_t count = rules_.garbage_shape(candidate.search, expected_releases(), ending());
  if (count == 0) return false;
  const std::vector<std::size_t> events = device_.expected_releases();
  for (std::size_t i = 0; i < count; ++i) release_as_recorded(events[i]);
  fidelity_.inferred.garbage_shaped += count;
  return explains(candidate);
}

/// What this miss says of the limit: garbage was collected in so many passes and in no more, or not
/// at all. If more was released, nobody knows which part of it was garbage.
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

/// The last attempt to get memory was refused: there was less than what is reserved and what it
/// asked for. A new reservation is refused before anybody asks for memory.
void VerifyRun::note_refusal() {
  const PoolKind kind = allocator::pool_kind_of(call_.search.rounded);
  const Bytes unit = allocator::expandable_unit(kind, engine_.settings());
  const Bytes asked = device_.take_refused().value_or(round_up(call_.search.rounded, unit));
  const Bytes missed = engine_.core().reserved + asked;
  const auto [known, is_new] =
      found_.refusals.try_emplace(explained_.calls[call_.index].first, missed);
  if (!is_new) known->second = std::min(known->second, missed);
}

/// Says when frees complete between the expected releases, and whether the request fails.
ReleaseRules::Ending VerifyRun::ending() const {
  ReleaseRules::Ending ending;
  ending.is_refused = call_.is_out_of_memory;
  ending.had_room = call_.had_room;
  const std::vector<std::size_t> releases = device_.expected_releases();
  for (std::size_t i = 1; i < releases.size() && !ending.completes_after; ++i)
    for (std::size_t event = releases[i - 1]; event < releases[i]; ++event)
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

/// An out-of-memory that released nothing: some pool in which the search missed, and which had
/// nothing oversize to release.
void VerifyRun::run_out_of_memory(std::size_t event) {
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

void VerifyRun::explain_releases() {
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

}  // namespace vramlab::replay
