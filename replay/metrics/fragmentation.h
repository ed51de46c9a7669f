// Fragmentation: how much memory a state of an allocator holds, how much of it could be used or
// given back, and which live blocks keep it from being released. Pure functions over a snapshot;
// docs/guide/top_and_snapshot.md defines every figure with an example.
//
// A release of everything cached first waits for other streams. So blocks that wait count as free
// in the figures of a release, and only there.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "allocator/options/settings.h"
#include "allocator/types/snapshot.h"
#include "replay/metrics/metrics.h"
#include "traces/io/long_sequence.h"

namespace vramlab::replay {

/// The sizes that a workload requests on each stream, and how often.
class RequestSizes {
 public:
  /// Sizes are kept as the settings round them.
  explicit RequestSizes(const Settings& settings) : settings_(settings) {}

  void add(Bytes request, StreamId stream);
  /// Adds the requests of a history that were served.
  void add_all(const traces::LongSequence<AllocatorEvent>& history);

  struct Of {
    StreamId stream;
    /// Rounded.
    Bytes size;
    friend auto operator<=>(const Of&, const Of&) = default;
  };
  /// How often each size was requested.
  const std::map<Of, std::uint64_t>& counts() const { return counts_; }

 private:
  Settings settings_;
  std::map<Of, std::uint64_t> counts_;
};

/// The addresses of an expandable segment.
struct Reservation {
  Bytes size;
  /// The size that is mapped and unmapped at once.
  Bytes unit;
};

/// Facts that a snapshot does not say.
struct FragmentationRules {
  /// In force at the moment: sizes of units, limits of splitting.
  Settings settings;
  /// The memory that the device would still give; empty where it is unknown.
  std::optional<Bytes> device_free = {};
  /// The memory that the allocator may hold, where a share of the device limits it. The allocator
  /// can hold more already.
  std::optional<Bytes> allowed = {};
  /// The addresses of a new expandable segment, before they are rounded up to units; empty where no
  /// option bounds them or nobody knows.
  std::optional<Bytes> new_reservation = {};
  /// Private pools that are no longer used, so that a release takes their memory too.
  std::set<PoolId> freeable_pools = {};
  /// By first address, as far as they are known. The units of other reservations are as large as
  /// the settings say, and such reservations have no end.
  std::map<Address, Reservation> reservations = {};
  /// The sizes that the workload requests; empty where they are unknown.
  std::optional<RequestSizes> requests = {};
};

/// Whether a release of everything cached takes the free memory of this pool.
bool is_taken_by_release(PoolId pool, const FragmentationRules& rules);

/// The reservation of a run of mapped memory; null if it is not known.
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
  /// 0 where the figures of a recording contradict each other.
  Bytes rounding_waste() const { return active() > requested ? active() - requested : Bytes{}; }
  Bytes stranded() const { return free + waiting - releasable - pool_held; }
  friend bool operator==(const StateFigures&, const StateFigures&) = default;
};

/// Adds sums up, and takes the larger of two largest values.
StateFigures& operator+=(StateFigures& sum, const StateFigures& part);

/// A stream's part of one half of a pool: the memory that its requests are served from.
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

/// The figures of one device.
Fragmentation find_fragmentation(const Snapshot& snapshot, const FragmentationRules& rules);

/// Sums over lanes: by half of a pool, the small one first, and by stream.
std::map<std::pair<PoolId, PoolKind>, StateFigures> by_pool(const Fragmentation& fragmentation);
std::map<StreamId, StateFigures> by_stream(const Fragmentation& fragmentation);

/// The figures as metrics. The metrics of several devices are made of the sum of their figures.
MetricValues state_metrics(const StateFigures& figures);

/// The part of a segment that goes back to the device as a whole or not at all: all of a classic
/// segment, a unit of an expandable one, or all units that lie in one block, which are alike.
struct ReleasePart {
  Address at;
  Bytes size;
  /// Bytes that are free, or waiting, which a release waits for.
  Bytes idle;
  /// Live blocks that lie in it, also in part.
  std::uint64_t live_blocks = 0;
  /// The blocks that lie in it, also in part: half-open.
  std::size_t first_block = 0;
  std::size_t end_block = 0;
  /// Less than a unit, as some recordings have it: no release gives it back.
  bool is_broken_unit = false;

  bool is_releasable() const { return live_blocks == 0 && !is_broken_unit; }
};

/// All parts of the segment, by ascending address: not more than three for each block, however
/// large the segment is. `unit` counts for an expandable segment only.
std::vector<ReleasePart> release_parts(const SnapshotSegment& segment, Bytes unit);

/// A live block that keeps memory from being released. Memory that is free or waiting in a release
/// part is stranded by the live blocks in that part, in equal shares, so that the shares of all
/// pinners add up to the stranded memory.
struct Pinner {
  LaneName lane;
  bool is_expandable = false;
  /// The segment, or run of mapped memory, that it lies in.
  Address segment;
  Bytes segment_size;
  Address at;
  Bytes size;
  Bytes requested;
  /// Its share of the memory that cannot be released.
  Bytes strands;
  /// How much more a release would give back if only this block were freed.
  Bytes released_alone;
  /// The most other live blocks with which it shares a part.
  std::uint64_t beside = 0;
};

/// The pinners that strand most, at most `limit`; equal ones by address.
std::vector<Pinner> find_pinners(const Snapshot& snapshot, const FragmentationRules& rules,
                                 std::size_t limit);

/// Free blocks of one class of sizes; the classes double.
struct HoleClass {
  PoolKind kind = PoolKind::small;
  /// The least size, a power of two; sizes are below twice as much.
  Bytes from;
  std::uint64_t count = 0;
  Bytes bytes;
  friend bool operator==(const HoleClass&, const HoleClass&) = default;
};

/// The small half first, then by size; classes without holes are left out.
std::vector<HoleClass> holes_by_size(const Snapshot& snapshot);

/// A segment's bytes as a row of letters: `#` in use, `~` waiting to be free, `.` free. Each letter
/// stands for an equal part of the segment, and for the state of most of that part.
std::string occupancy_map(const SnapshotSegment& segment, std::size_t letters);

}  // namespace vramlab::replay
