// PoolInference: which pool each segment is in, where the file does not say. Segments that survive
// say it; placements say which cannot share one; releases of everything say more; and requests
// seldom change pools. The choice with the least cost is sought step by step. A guess that
// explains a recording is a guess all the same, and counted as one.
#pragma once

#include <set>
#include <utility>
#include <vector>

#include "replay/recording/fidelity.h"
#include "replay/recording/placement_walk.h"
#include "replay/recording/release_cost.h"

namespace vramlab::replay {

inline constexpr unsigned most_pool_rounds = 8;

class PoolInference {
 public:
  PoolInference(const DeviceHistory& history, const Placements& placements,
                const allocator::Settings& settings);

  /// By life. Unknown pools are the device's own unless something speaks against it.
  const std::vector<PoolId>& solve();
  /// Releases that the last choice left unexplained weigh more from now on. False where there is
  /// nothing to choose.
  bool learn(const std::vector<std::size_t>& unexplained_calls);
  void count(Inferences& inferences) const;

 private:
  using Cost = std::int64_t;
  struct Neighbour {
    LifeIndex life;
    Cost count;
  };

  void note_apart(const std::set<std::pair<LifeIndex, LifeIndex>>& pairs);
  void note_reservations();
  void note_requests();
  void note_runs();
  bool sweep();
  /// Lives that a run of releases shows together, moved together.
  bool move_groups();
  /// All lives of a pool that has no name, moved together.
  bool move_unnamed_pools();
  bool try_moving(const std::vector<LifeIndex>& group);
  std::vector<std::vector<LifeIndex>> groups_of(const ReleaseRun& run) const;
  std::vector<LifeIndex> unknown_among(const std::vector<LifeIndex>& lives) const;
  Cost cost_at(LifeIndex life, PoolId pool) const;
  /// Counts against what a search may cost; large histories keep what was found by then.
  bool may_go_on(LifeIndex life);
  Cost cost_of_run(std::size_t run) const;
  Cost run_cost_of(LifeIndex life) const;
  Cost run_cost() const;
  Cost total_cost() const;
  std::vector<PoolId> choices() const;

  const DeviceHistory& history_;
  const Placements& placements_;
  ReleaseCost release_cost_;
  std::vector<PoolId> pools_;
  std::vector<LifeIndex> unknown_;
  std::vector<std::vector<LifeIndex>> apart_;
  /// How often requests to two lives follow each other.
  std::vector<std::vector<Neighbour>> follows_;
  /// Which runs a life plays a part in.
  std::vector<std::vector<std::size_t>> runs_of_;
  std::vector<Cost> run_weights_;
  /// What may come before a release of everything, by run; nothing once that did not explain it.
  std::vector<ReleasePrelude> preludes_;
  ReleasePrelude prelude_;
  /// How much work it is to look at the runs of a life.
  std::vector<std::uint64_t> run_work_;
  std::uint64_t work_left_ = 0;
};

}  // namespace vramlab::replay
