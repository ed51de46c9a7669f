// ReleaseRules: which rule of the allocator makes exactly the releases that a recording shows:
// garbage collection, just enough oversize blocks, everything. Planned on the engine's state,
// before anything is done.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "allocator/replay_access.h"
#include "replay/recording/recorded_history.h"

namespace vramlab::replay {

using ReplayEngine = allocator::BareAllocator;

/// A release as recorded, with the pool that it came from.
struct PooledRelease {
  allocator::PlannedRelease release;
  PoolId pool;
};

/// The way past a miss that makes the recorded releases.
struct LadderPlan {
  unsigned garbage_passes = 0;
  bool has_oversize = false;
};

class ReleaseRules {
 public:
  explicit ReleaseRules(const ReplayEngine& engine) : engine_(engine) {}

  struct Ending {
    /// The number of releases after which frees complete, if any do. Everything is released from
    /// there on, and the extent of that cannot be foreseen.
    std::optional<std::size_t> completes_after;
    /// The request failed in the end.
    bool is_refused = false;
    /// The device had no reason to refuse, so only garbage was released.
    bool had_room = false;
    /// Garbage is collected where that alone explains the releases, too.
    bool prefers_garbage = false;
  };
  std::optional<LadderPlan> ladder(const allocator::Search& search,
                                   std::span<const PooledRelease> recorded, Ending ending) const;
  /// The private pools, in order, with which a release of everything gives exactly this.
  std::optional<std::vector<PoolId>> everything(std::span<const PooledRelease> recorded) const;
  /// The same for the beginning of the releases, as long a part of it as possible: an empty_cache
  /// that came before a request, or before another one.
  std::optional<std::vector<PoolId>> everything_first(
      std::span<const PooledRelease> recorded) const;
  /// How many of the first releases a private pool makes that ends; 0 if it would make others.
  std::size_t ended_pool(std::span<const PooledRelease> recorded) const;
  /// How many of the first releases some passes of garbage collection could have made if ages are
  /// ignored, so that the ladder explains the rest; 0 if there is no such number.
  std::size_t garbage_shape(const allocator::Search& search,
                            std::span<const PooledRelease> recorded, Ending ending) const;

 private:
  using Plan = std::vector<allocator::PlannedRelease>;

  Plan plan_everything(std::span<const PoolId> pools) const;
  std::optional<LadderPlan> garbage_alone(std::span<const PooledRelease> recorded) const;
  std::optional<LadderPlan> after_garbage(const allocator::Search& search,
                                          std::span<const PooledRelease> rest, const Plan& garbage,
                                          Ending ending) const;

  const ReplayEngine& engine_;
};

}  // namespace vramlab::replay
