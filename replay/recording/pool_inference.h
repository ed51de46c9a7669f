// PoolInference: which pool each segment is in, where the file does not say. Segments that survive
// say it; placements say which cannot share one; releases of everything say more; and requests
// seldom change pools. The choice with the least cost is sought step by step. A guess that
// explains a recording is a guess all the same, and counted as one.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "replay/recording/fidelity.h"
#include "replay/recording/placement_walk.h"

namespace vramlab::replay {

/// Pools found out that no file names: private ones, numbered from here.
inline constexpr std::uint64_t first_unnamed_pool = std::uint64_t{1} << 32;
constexpr bool is_unnamed(PoolId pool) { return pool.user >= first_unnamed_pool; }

/// Releases that may come before everything is released.
struct ReleasePrelude {
  /// Garbage collection is on: large segments of the device's own pool may go first.
  bool garbage = false;
  /// Segments of at least this size may go one by one from the pool that asks.
  Bytes oversize = allocator::unlimited;
  friend bool operator==(const ReleasePrelude&, const ReleasePrelude&) = default;
};

/// How badly a choice of pools fits one run of releases, taken as a release of everything: what
/// such a release would have taken too, and in what order it goes.
class ReleaseCost {
 public:
  explicit ReleaseCost(const Placements& placements) : placements_(placements) {}

  /// Number of misfits; 0 where the pools explain the run. `pools` by life.
  std::uint64_t of(const ReleaseRun& run, const ReleasePrelude& prelude,
                   const std::vector<PoolId>& pools) const;

 private:
  using Pools = std::vector<PoolId>;
  struct Step;

  Step step_of(const ReleaseRun::Released& released, const Pools& pools) const;
  std::uint64_t everything_from(const ReleaseRun& run, std::size_t first, const Pools& pools) const;
  std::uint64_t order_misfits(const ReleaseRun& run, std::size_t first, const Pools& pools) const;
  std::uint64_t left_misfits(const ReleaseRun& run, const std::vector<PoolId>& released,
                             const Pools& pools) const;

  std::uint64_t ended_first(const ReleaseRun& run, const Pools& pools) const;
  /// How many releases from there on can be just enough oversize ones.
  std::size_t longest_oversize(const ReleaseRun& run, std::size_t first, Bytes limit,
                               const Pools& pools) const;

  const Placements& placements_;
};

inline constexpr unsigned most_pool_rounds = 8;

class PoolInference {
 public:
  PoolInference(const DeviceHistory& history, const Placements& placements,
                const allocator::Settings& settings);

  /// The pool of each life. Unknown pools are the device's own unless something speaks against it.
  const std::vector<PoolId>& solve();
  /// Gives more weight to releases that the last choice left unexplained. False if there is nothing
  /// to choose.
  bool learn(const std::vector<std::size_t>& unexplained_calls);
  void count(Inferences& inferences) const;

 private:
  using Cost = std::int64_t;
  struct Neighbour {
    LifeIndex life;
    Cost count;
  };

  void note_apart(LifeIndex a, LifeIndex b);
  void note_reservations();
  void note_requests();
  void note_runs();
  bool sweep();
  /// Moves lives together that a run of releases shows together.
  bool move_groups();
  bool move_left_alone(const ReleaseRun& run);
  /// Moves all lives of a pool that has no name together.
  bool move_unnamed_pools();
  bool try_moving(const std::vector<LifeIndex>& group);
  std::vector<std::vector<LifeIndex>> groups_of(const ReleaseRun& run) const;
  std::vector<LifeIndex> unknown_among(const std::vector<LifeIndex>& lives) const;
  Cost cost_at(LifeIndex life, PoolId pool) const;
  /// Counts the work of a search, which has a limit; large histories keep the best choice by then.
  bool may_go_on(LifeIndex life) {
    return may_spend(run_work_[life] + apart_[life].size() + follows_[life].size());
  }
  Cost cost_of_run(std::size_t run) const;
  Cost run_cost_of(LifeIndex life) const;
  Cost run_cost() const;
  Cost total_cost() const;
  std::vector<PoolId> choices() const;
  bool may_spend(std::uint64_t work);

  const DeviceHistory& history_;
  const Placements& placements_;
  ReleaseCost release_cost_;
  std::vector<PoolId> pools_;
  std::vector<LifeIndex> unknown_;
  std::vector<std::vector<LifeIndex>> apart_;
  /// How often requests to two lives follow each other.
  std::vector<std::vector<Neighbour>> follows_;
  /// The runs that each life plays a part in.
  std::vector<std::vector<std::size_t>> runs_of_;
  std::vector<Cost> run_weights_;
  /// The prelude that each run may have; empty once it did not explain the run.
  std::vector<ReleasePrelude> preludes_;
  ReleasePrelude prelude_;
  /// The work of looking at the runs of each life.
  std::vector<std::uint64_t> run_work_;
  std::uint64_t work_left_ = 0;
  unsigned left_moves_ = 0;
  /// The work of looking at all runs and lives.
  std::uint64_t whole_work_ = 0;
};

}  // namespace vramlab::replay
