#include "replay/recording/pool_inference.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace vramlab::replay {
namespace {

constexpr std::int64_t apart_cost = 100000;
constexpr std::int64_t misfit_cost = 60;
constexpr std::int64_t switch_cost = 4;
constexpr std::int64_t same_stack_weight = 3;
constexpr std::int64_t private_cost = 3;
constexpr std::int64_t unnamed_cost = 5;
constexpr unsigned most_sweeps = 40;
/// Few such runs need it, and each costs a search.
constexpr unsigned most_left_moves = 16;
/// Releases and pairs looked at in one search: some seconds at most, and less for a short history.
constexpr std::uint64_t most_work = 400'000'000;
constexpr std::uint64_t least_work = 20'000'000;
constexpr std::uint64_t work_of_an_event = 2'000;
/// Reservations of the start told apart.
constexpr std::size_t most_reservation_pairs = 1'000'000;

}  // namespace

PoolInference::PoolInference(const DeviceHistory& history, const Placements& placements,
                             const allocator::Settings& settings)
    : history_(history),
      placements_(placements),
      release_cost_(placements),
      prelude_{settings.garbage_collection_threshold > 0, settings.max_split_size} {
  const std::size_t count = placements.lives.size();
  apart_.resize(count);
  follows_.resize(count);
  runs_of_.resize(count);
  run_work_.assign(count, 1);
  for (LifeIndex i = 0; i < count; ++i) {
    pools_.push_back(placements.lives[i].pool.value_or(default_pool));
    if (!placements.lives[i].pool) unknown_.push_back(i);
  }
  for (const auto& [a, b] : placements.apart) note_apart(a, b);
  note_reservations();
  note_requests();
  note_runs();
  for (LifeIndex i = 0; i < count; ++i)
    whole_work_ += run_work_[i] + apart_[i].size() + follows_[i].size();
}

/// Two pools that are known say it themselves.
void PoolInference::note_apart(LifeIndex a, LifeIndex b) {
  if (placements_.lives[a].pool && placements_.lives[b].pool) return;
  apart_[a].push_back(b);
  apart_[b].push_back(a);
}

/// A stream has one reservation in each half of a pool as a rule; the state at the start does not
/// show whether there was a reason for a second one.
void PoolInference::note_reservations() {
  std::map<std::pair<StreamId, PoolKind>, std::vector<LifeIndex>> at_start;
  const auto& lives = placements_.lives;
  std::size_t pairs = 0;
  for (LifeIndex b = 0; b < lives.size(); ++b) {
    if (!lives[b].is_expandable || lives[b].begin > 0) continue;
    std::vector<LifeIndex>& before = at_start[{lives[b].stream, lives[b].kind}];
    for (const LifeIndex a : before)
      if (++pairs <= most_reservation_pairs) note_apart(a, b);
    before.push_back(b);
  }
}

/// Requests with the same stack come from the same place of the program, which asks in the same
/// pool as a rule; those that merely follow each other often do.
void PoolInference::note_requests() {
  if (unknown_.empty()) return;
  const auto number_of = [](LifeIndex a, LifeIndex b) {
    return std::uint64_t{std::min(a, b)} << 32U | std::max(a, b);
  };
  std::unordered_map<std::uint64_t, Cost> counts;
  const auto add = [&](LifeIndex a, LifeIndex b, Cost weight) {
    if (a != b) counts[number_of(a, b)] += weight;
  };
  LifeIndex before = no_life;
  // By stack.
  std::vector<LifeIndex> last_of;
  for (std::size_t i = 0; i < history_.events.size(); ++i) {
    if (history_.events[i].action != Action::alloc) continue;
    const LifeIndex life = placements_.life_of_event[i];
    if (life == no_life) continue;
    if (before != no_life) add(life, before, 1);
    before = life;
    const traces::StackId stack = stack_of(history_, i);
    if (stack == traces::StackId{}) continue;
    if (last_of.size() <= stack.value) last_of.resize(stack.value + std::size_t{1}, no_life);
    const LifeIndex last = std::exchange(last_of[stack.value], life);
    if (last != no_life) add(life, last, same_stack_weight);
  }
  const std::map<std::uint64_t, Cost> in_order(counts.begin(), counts.end());
  for (const auto& [pair, count] : in_order) {
    const auto a = static_cast<LifeIndex>(pair >> 32U);
    const auto b = static_cast<LifeIndex>(pair);
    follows_[a].push_back({b, count});
    follows_[b].push_back({a, count});
  }
}

void PoolInference::note_runs() {
  run_weights_.assign(placements_.releases.size(), misfit_cost);
  preludes_.assign(placements_.releases.size(), prelude_);
  for (std::size_t run = 0; run < placements_.releases.size(); ++run) {
    for (const auto& released : placements_.releases[run].released)
      runs_of_[released.life].push_back(run);
    for (const LifeIndex life : placements_.releases[run].left) runs_of_[life].push_back(run);
  }
  for (auto& runs : runs_of_) {
    std::sort(runs.begin(), runs.end());
    runs.erase(std::unique(runs.begin(), runs.end()), runs.end());
    for (const std::size_t run : runs)
      run_work_[static_cast<std::size_t>(&runs - runs_of_.data())] +=
          placements_.releases[run].released.size() + placements_.releases[run].left.size();
  }
}

std::vector<PoolId> PoolInference::choices() const {
  std::set<PoolId> pools(pools_.begin(), pools_.end());
  pools.insert(default_pool);
  std::uint64_t unnamed = first_unnamed_pool;
  while (pools.contains({0, unnamed})) ++unnamed;
  pools.insert({0, unnamed});
  return {pools.begin(), pools.end()};
}

auto PoolInference::cost_at(LifeIndex life, PoolId pool) const -> Cost {
  Cost cost = 0;
  for (const LifeIndex other : apart_[life])
    if (pools_[other] == pool) cost += apart_cost;
  for (const Neighbour& neighbour : follows_[life])
    if (pools_[neighbour.life] != pool) cost += switch_cost * neighbour.count;
  if (pool != default_pool) cost += is_unnamed(pool) ? unnamed_cost : private_cost;
  return cost;
}

auto PoolInference::cost_of_run(std::size_t run) const -> Cost {
  return run_weights_[run] *
         static_cast<Cost>(release_cost_.of(placements_.releases[run], preludes_[run], pools_));
}

auto PoolInference::run_cost_of(LifeIndex life) const -> Cost {
  Cost cost = 0;
  for (const std::size_t run : runs_of_[life]) cost += cost_of_run(run);
  return cost;
}

auto PoolInference::run_cost() const -> Cost {
  Cost cost = 0;
  for (std::size_t run = 0; run < run_weights_.size(); ++run) cost += cost_of_run(run);
  return cost;
}

auto PoolInference::total_cost() const -> Cost {
  Cost cost = run_cost();
  for (LifeIndex life = 0; life < pools_.size(); ++life) cost += cost_at(life, pools_[life]);
  return cost;
}

bool PoolInference::may_spend(std::uint64_t work) {
  if (work > work_left_) return false;
  work_left_ -= work;
  return true;
}

/// Moves each life by itself to the pool in which it costs least. False if none moved.
bool PoolInference::sweep() {
  bool any = false;
  std::vector<PoolId> candidates = choices();
  for (const LifeIndex life : unknown_) {
    const PoolId before = pools_[life];
    PoolId best = before;
    Cost least = cost_at(life, before) + run_cost_of(life);
    if (least == 0) continue;
    for (const PoolId pool : candidates) {
      if (pool == before || !may_go_on(life)) continue;
      pools_[life] = pool;
      const Cost cost = cost_at(life, pool) + run_cost_of(life);
      if (cost < least) {
        least = cost;
        best = pool;
      }
    }
    pools_[life] = best;
    if (best == before) continue;
    any = true;
    if (!may_spend(pools_.size())) return any;
    candidates = choices();
  }
  return any;
}

std::vector<LifeIndex> PoolInference::unknown_among(const std::vector<LifeIndex>& lives) const {
  std::vector<LifeIndex> unknown;
  for (const LifeIndex life : lives)
    if (!placements_.lives[life].pool) unknown.push_back(life);
  return unknown;
}

/// Stretches in which the order of a release does not break, pairs of neighbouring stretches, and
/// the lives that were left behind.
std::vector<std::vector<LifeIndex>> PoolInference::groups_of(const ReleaseRun& run) const {
  std::vector<std::vector<LifeIndex>> stretches;
  const auto key = [&](const ReleaseRun::Released& one) {
    const SegmentLife& life = placements_.lives[one.life];
    return std::tuple(one.is_unmap, life.stream, one.is_unmap ? Bytes{} : one.size,
                      one.is_unmap ? Address{} : one.address);
  };
  const ReleaseRun::Released* before = nullptr;
  for (const ReleaseRun::Released& one : run.released) {
    const bool goes_on = before != nullptr &&
                         placements_.lives[before->life].kind == placements_.lives[one.life].kind &&
                         (key(*before) < key(one) || one.is_unmap);
    if (!goes_on) stretches.emplace_back();
    stretches.back().push_back(one.life);
    before = &one;
  }
  std::vector<std::vector<LifeIndex>> groups = stretches;
  for (std::size_t i = 1; i < stretches.size(); ++i) {
    std::vector<LifeIndex> pair = stretches[i - 1];
    pair.insert(pair.end(), stretches[i].begin(), stretches[i].end());
    groups.push_back(std::move(pair));
  }
  groups.push_back(run.left);
  for (auto& group : groups) group = unknown_among(group);
  return groups;
}

bool PoolInference::try_moving(const std::vector<LifeIndex>& group) {
  if (group.empty() || !may_go_on(group.front())) return false;
  const std::vector<PoolId> before = pools_;
  const Cost cost_before = total_cost();
  std::vector<PoolId> best = before;
  Cost least = cost_before;
  for (const PoolId pool : choices()) {
    if (!may_spend(whole_work_)) break;
    for (const LifeIndex life : group) pools_[life] = pool;
    sweep();
    if (const Cost cost = total_cost(); cost < least) {
      least = cost;
      best = pools_;
    }
    pools_ = before;
  }
  pools_ = best;
  return least < cost_before;
}

bool PoolInference::move_groups() {
  bool any = false;
  for (std::size_t run = 0; run < placements_.releases.size(); ++run) {
    if (cost_of_run(run) == 0) {
      any = move_left_alone(placements_.releases[run]) || any;
      continue;
    }
    for (const auto& group : groups_of(placements_.releases[run])) any = try_moving(group) || any;
  }
  return any;
}

/// A run may be explained by a pool that ended, as the device's own pool was left alone. What was
/// left may be another pool's just as well.
bool PoolInference::move_left_alone(const ReleaseRun& run) {
  std::vector<LifeIndex> group = unknown_among(run.left);
  std::erase_if(group, [this](LifeIndex life) { return pools_[life] != default_pool; });
  if (group.empty() || left_moves_ == most_left_moves) return false;
  ++left_moves_;
  return try_moving(group);
}

/// A pool that was made up while something else was wrong may be needed no more, although none of
/// its lives can leave it alone.
bool PoolInference::move_unnamed_pools() {
  std::map<PoolId, std::vector<LifeIndex>> groups;
  for (const LifeIndex life : unknown_)
    if (is_unnamed(pools_[life])) groups[pools_[life]].push_back(life);
  bool any = false;
  for (const auto& [pool, group] : groups) any = try_moving(group) || any;
  return any;
}

const std::vector<PoolId>& PoolInference::solve() {
  left_moves_ = 0;
  work_left_ = std::min(most_work, least_work + work_of_an_event * history_.events.size());
  for (unsigned i = 0; i < most_sweeps; ++i)
    if (!sweep() && !move_groups() && !move_unnamed_pools()) break;
  return pools_;
}

bool PoolInference::learn(const std::vector<std::size_t>& unexplained_calls) {
  if (unknown_.empty()) return false;
  for (std::size_t run = 0; run < run_weights_.size(); ++run) {
    if (std::ranges::find(unexplained_calls, placements_.releases[run].call) ==
        unexplained_calls.end())
      continue;
    run_weights_[run] *= 3;
    if (cost_of_run(run) == 0)
      preludes_[run] = preludes_[run] == prelude_ ? ReleasePrelude{} : prelude_;
  }
  return !unexplained_calls.empty();
}

void PoolInference::count(Inferences& inferences) const {
  for (const LifeIndex life : unknown_) {
    if (pools_[life] == default_pool) continue;
    ++inferences.pool_assumed_segments;
    inferences.pool_assumed_allocs += placements_.lives[life].request_count;
  }
}

/// A release, with the keys that decide its place in the order.
struct ReleaseCost::Step {
  PoolId pool;
  PoolKind kind;
  bool is_unmap;
  StreamId stream;
  Bytes size;
  Address address;
  /// Whether the file tells the pool.
  bool is_told;

  bool is_same_half(const Step& other) const { return pool == other.pool && kind == other.kind; }
  /// Unmapping goes by the size of the block, which the range does not show.
  bool comes_after(const Step& other) const {
    if (is_unmap || other.is_unmap) return is_unmap >= other.is_unmap;
    return std::tuple(stream, size, address) > std::tuple(other.stream, other.size, other.address);
  }
  /// Whether this half of a pool may follow that one directly. A hash table decides the order of
  /// private pools; where one of them is a guess, their numbers most often go up.
  bool may_follow_half(const Step& before) const {
    if (pool == before.pool)
      return pool == default_pool ? kind == PoolKind::small : kind == PoolKind::large;
    if (pool == default_pool) return false;
    return before.pool == default_pool || is_unnamed(pool) || is_unnamed(before.pool) ||
           pool > before.pool || (is_told && before.is_told);
  }
};

auto ReleaseCost::step_of(const ReleaseRun::Released& released, const Pools& pools) const -> Step {
  const SegmentLife& life = placements_.lives[released.life];
  return {pools[released.life], life.kind,        released.is_unmap,    life.stream,
          released.size,        released.address, life.pool.has_value()};
}

std::uint64_t ReleaseCost::order_misfits(const ReleaseRun& run, std::size_t first,
                                         const Pools& pools) const {
  std::uint64_t misfits = 0;
  std::vector<PoolId> passed;
  for (std::size_t i = first; i < run.released.size(); ++i) {
    const Step step = step_of(run.released[i], pools);
    if (i > first) {
      const Step before = step_of(run.released[i - 1], pools);
      if (step.is_same_half(before)) {
        if (!step.comes_after(before)) ++misfits;
        continue;
      }
      if (!step.may_follow_half(before)) ++misfits;
      if (step.pool == before.pool) continue;
      passed.push_back(before.pool);
    }
    if (std::ranges::find(passed, step.pool) != passed.end()) ++misfits;
  }
  return misfits;
}

std::uint64_t ReleaseCost::left_misfits(const ReleaseRun& run, const std::vector<PoolId>& released,
                                        const Pools& pools) const {
  std::uint64_t misfits = 0;
  for (const LifeIndex life : run.left)
    if (pools[life] == default_pool || std::ranges::find(released, pools[life]) != released.end())
      ++misfits;
  return misfits;
}

std::uint64_t ReleaseCost::everything_from(const ReleaseRun& run, std::size_t first,
                                           const Pools& pools) const {
  std::vector<PoolId> released;
  for (std::size_t i = first; i < run.released.size(); ++i) {
    const PoolId pool = pools[run.released[i].life];
    if (std::ranges::find(released, pool) == released.end()) released.push_back(pool);
  }
  return order_misfits(run, first, pools) + left_misfits(run, released, pools);
}

/// Oversize releases are of one stream in one pool, the largest first.
std::size_t ReleaseCost::longest_oversize(const ReleaseRun& run, std::size_t first, Bytes limit,
                                          const Pools& pools) const {
  std::size_t end = first;
  for (; end < run.released.size(); ++end) {
    const Step step = step_of(run.released[end], pools);
    if (step.is_unmap || step.size < limit) break;
    if (end == first) continue;
    const Step before = step_of(run.released[end - 1], pools);
    if (!step.is_same_half(before) || step.stream != before.stream || step.comes_after(before))
      break;
  }
  return end - first;
}

/// Pools that ended one after another, and then perhaps a release of everything.
std::uint64_t ReleaseCost::ended_first(const ReleaseRun& run, const Pools& pools) const {
  std::uint64_t misfits = 0;
  std::size_t first = 0;
  while (first < run.released.size()) {
    const PoolId ended = pools[run.released[first].life];
    if (ended == default_pool) break;
    ReleaseRun of_pool;
    for (; first < run.released.size() && pools[run.released[first].life] == ended; ++first)
      of_pool.released.push_back(run.released[first]);
    misfits += order_misfits(of_pool, 0, pools);
    const auto is_of_pool = [&](LifeIndex life) { return pools[life] == ended; };
    misfits += static_cast<std::uint64_t>(std::ranges::count_if(run.left, is_of_pool));
    for (std::size_t later = first; later < run.released.size(); ++later)
      if (is_of_pool(run.released[later].life)) ++misfits;
  }
  return misfits + (first == run.released.size() ? 0 : everything_from(run, first, pools));
}

std::uint64_t ReleaseCost::of(const ReleaseRun& run, const ReleasePrelude& prelude,
                              const Pools& pools) const {
  const std::size_t count = run.released.size();
  std::uint64_t least = everything_from(run, 0, pools);
  if (run.is_own_call) least = std::min(least, ended_first(run, pools));
  std::uint64_t outside = 0;
  for (std::size_t collected = 0; collected <= count && least > 0; ++collected) {
    if (collected > 0) {
      const Step step = step_of(run.released[collected - 1], pools);
      if (!prelude.garbage || step.is_unmap || step.kind == PoolKind::small) break;
      if (step.pool != default_pool) ++outside;
    }
    const std::size_t oversize = longest_oversize(run, collected, prelude.oversize, pools);
    for (std::size_t first = collected; first <= collected + oversize; ++first)
      least = std::min(least, outside + (first == count ? 0 : everything_from(run, first, pools)));
  }
  return least;
}

}  // namespace vramlab::replay
