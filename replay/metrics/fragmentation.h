// Fragmentation: what a state of an allocator holds, and what of it could be used or given back.
// Pure functions over a snapshot; docs/guide/top_and_snapshot.md defines every figure with an
// example.
//
// A release of everything cached first waits for other streams, so blocks that wait count as free
// where it is asked what a release would give back, and only there.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "allocator/options/settings.h"
#include "allocator/types/snapshot.h"
#include "replay/metrics/metrics.h"
#include "traces/io/long_sequence.h"

namespace vramlab::replay {

// RequestSizes: which sizes a workload asks for on which stream, and how often.

class RequestSizes {
 public:
  /// Sizes are kept as the settings round them.
  explicit RequestSizes(const Settings& settings) : settings_(settings) {}

  void add(Bytes request, StreamId stream);
  /// Those of a history that were given something.
  void add_all(const traces::LongSequence<AllocatorEvent>& history);

  struct Of {
    StreamId stream;
    /// Rounded.
    Bytes size;
    friend auto operator<=>(const Of&, const Of&) = default;
  };
  /// How often.
  const std::map<Of, std::uint64_t>& counts() const { return counts_; }

 private:
  Settings settings_;
  std::map<Of, std::uint64_t> counts_;
};

/// The addresses of an expandable segment.
struct Reservation {
  Bytes size;
  /// What is mapped and unmapped at once.
  Bytes unit;
};

/// What a snapshot does not say of itself.
struct FragmentationRules {
  /// In force at the moment: sizes of units, limits of splitting.
  Settings settings;
  /// What the device would still give; nothing where nobody knows.
  std::optional<Bytes> device_free = {};
  /// All that the allocator may hold, where a share of the device limits it. It can hold more
  /// already.
  std::optional<Bytes> allowed = {};
  /// Private pools that nobody uses any more, so that a release takes their memory too.
  std::set<PoolId> freeable_pools = {};
  /// By first address, where they are known; the units of others are as large as the settings say,
  /// and they end nowhere.
  std::map<Address, Reservation> reservations = {};
  /// What the workload asks for; nothing where nobody knows.
  std::optional<RequestSizes> requests = {};
};

/// Whether a release of everything cached takes what is free in this pool.
bool is_taken_by_release(PoolId pool, const FragmentationRules& rules);

/// For a run of mapped memory; null if it is not known.
const std::pair<const Address, Reservation>* reservation_of(const SnapshotSegment& run,
                                                            const FragmentationRules& rules);
Bytes unit_of(const SnapshotSegment& run, const FragmentationRules& rules);

struct StateFigures {
  Bytes allocated;
  Bytes waiting;
  Bytes requested;
  Bytes reserved;
  Bytes free;
  Bytes inactive_split;
  Bytes releasable;
  Bytes pool_held;
  Bytes largest_free;
  Bytes largest_cached;
  std::optional<Bytes> largest_possible;
  /// Part of `free`.
  std::optional<Bytes> usable;
  std::uint64_t segments = 0;
  std::uint64_t blocks = 0;
  std::uint64_t live_blocks = 0;
  std::uint64_t holes = 0;

  Bytes active() const { return allocated + waiting; }
  /// A recording's figures may contradict each other.
  Bytes rounding_waste() const { return active() > requested ? active() - requested : Bytes{}; }
  Bytes stranded() const { return free + waiting - releasable - pool_held; }
  friend bool operator==(const StateFigures&, const StateFigures&) = default;
};

/// Adds up what adds up; of what is largest, the larger one.
StateFigures& operator+=(StateFigures& sum, const StateFigures& part);

/// A stream's part of one half of a pool: what requests are served from.
struct LaneName {
  PoolId pool;
  PoolKind kind = PoolKind::small;
  StreamId stream;
  friend auto operator<=>(const LaneName&, const LaneName&) = default;
};

struct LaneFigures {
  LaneName lane;
  StateFigures figures;
};

struct Fragmentation {
  StateFigures total;
  /// Sorted by lane. Sums over a pool or a stream are sums of these.
  std::vector<LaneFigures> lanes;
};

/// For one device.
Fragmentation find_fragmentation(const Snapshot& snapshot, const FragmentationRules& rules);

/// Sums over lanes: by half of a pool, the small one first, and by stream.
std::map<std::pair<PoolId, PoolKind>, StateFigures> by_pool(const Fragmentation& fragmentation);
std::map<StreamId, StateFigures> by_stream(const Fragmentation& fragmentation);

/// As metrics. For several devices: of the sum of their figures.
MetricValues state_metrics(const StateFigures& figures);

}  // namespace vramlab::replay
