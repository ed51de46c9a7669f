// Fidelity: how faithfully a recorded history was replayed, as values: the things that were
// compared, how many agreed, all that had to be inferred, and the first difference.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "allocator/options/settings.h"

namespace vramlab::replay {

/// How much memory a fraction allowed a program, both bounds included. Garbage collection shows it:
/// it begins where more than a threshold's share of the allowed memory is reserved, and goes on
/// until less is.
struct AllowedMemory {
  Bytes at_least;
  Bytes at_most;

  /// The share of this device's memory that stands for it in a replay.
  double fraction_of(Bytes device_memory) const;
  friend bool operator==(const AllowedMemory&, const AllowedMemory&) = default;
};

/// Narrows down the limit above which garbage is collected, miss by miss.
class GarbageLimits {
 public:
  /// Notes that no garbage (any more) was collected with this much reserved, although there was
  /// some.
  void was_enough(Bytes reserved);
  /// Notes that garbage was collected with this much reserved.
  void was_too_much(Bytes reserved);

  /// Whether it is known that no garbage is collected with this much reserved.
  bool allows(Bytes reserved) const { return reserved <= at_least_; }
  /// The allowed memory, which held `peak_reserved`. Empty if no garbage was collected, or if no
  /// single limit explains every miss, as when the program changed it.
  std::optional<AllowedMemory> allowed(double threshold, Bytes peak_reserved) const;

 private:
  Bytes at_least_;
  Bytes below_ = allocator::unlimited;
};

struct Agreement {
  std::uint64_t total = 0;
  std::uint64_t exact = 0;
  bool is_full() const { return exact == total; }
};

struct SegmentCallCounts {
  std::uint64_t total = 0;
  /// Calls that a rule makes, at the recorded place in the order.
  std::uint64_t explained = 0;
  /// Releases that no rule explains: done as recorded.
  std::uint64_t taken = 0;
  /// Their kind, address, size or place differs from the recording, or they are not made at all.
  std::uint64_t wrong = 0;
};

/// Findings of the replay that the file does not say.
struct Inferences {
  /// Requests whose private pool was found out, and how many of the segments are private.
  std::uint64_t pool_assumed_allocs = 0;
  std::uint64_t pool_assumed_segments = 0;
  /// Rounds in which pools were sought.
  unsigned pool_rounds = 0;
  /// Releases of everything: by a call of the program, or by a request that could have been either.
  std::uint64_t emptied_caches = 0;
  std::uint64_t ended_pools = 0;
  std::uint64_t release_all_or_empty_cache = 0;
  std::uint64_t garbage_collections = 0;
  /// Releases that look like a garbage collection, while the ages of blocks are not known.
  std::uint64_t garbage_shaped = 0;
  std::uint64_t oversize_releases = 0;
  std::uint64_t assumed_extents = 0;
  std::uint64_t waiting_frees = 0;
  /// Frees among them that a refused request waited for.
  std::uint64_t awaited_frees = 0;
  std::uint64_t out_of_memory = 0;
  /// Out-of-memory entries whose pool is not the device's own.
  std::uint64_t out_of_memory_in_private_pools = 0;
  std::uint64_t mode_changes = 0;
};

/// Labels, each weaker than the one before. A device without a history says nothing against others.
enum class FidelityLabel : std::uint8_t {
  /// Without a history, only the final state was looked at.
  final_state_only,
  /// Every alloc, every segment call and every final block as recorded, and every entry made again
  /// by a replay.
  exact,
  /// The recording does not hold what an exact replay needs.
  approximate,
  /// No allocator can have made the recording, so nothing was replayed.
  not_replayed,
  /// The recording holds what is needed, and the replay differs.
  different,
};
std::string_view fidelity_label_name(FidelityLabel label);

struct ReplayDifference {
  /// Its number in the device's trace.
  std::size_t event = 0;
  /// A sentence with the recorded and the replayed event.
  std::string text;
};

struct DeviceFidelity {
  std::int64_t device = 0;
  std::uint64_t event_count = 0;
  bool starts_empty = false;
  Agreement allocs;
  SegmentCallCounts segment_calls;
  Agreement final_segments;
  Agreement final_blocks;
  /// Calls after which the reserved memory is the sum of the entries up to them.
  Agreement sums;
  /// Entries that a replay under the recorded conditions makes again, up to the first other one;
  /// none where following the history was not exact.
  Agreement replayed;
  Inferences inferred;
  /// Requests at an address that the program named.
  std::uint64_t requests_at_addresses = 0;
  /// Requests that restored a checkpoint of a pool.
  std::uint64_t restored_requests = 0;
  /// The memory that a fraction allowed, where garbage collection shows it.
  std::optional<AllowedMemory> allowed;
  FidelityLabel label = FidelityLabel::exact;
  std::vector<std::string> reasons;
  /// The reasons that tell of options set in mid-run.
  std::vector<std::string> settings_changes;
  std::optional<ReplayDifference> first_difference;
  /// The first event of each call whose releases were taken from the recording.
  std::vector<std::size_t> unexplained_events;
};

/// A sentence about requests whose callers chose the place. Empty where there are none.
std::string placed_requests_text(const DeviceFidelity& fidelity);

struct Fidelity {
  std::string reference;
  bool reference_is_guessed = true;
  std::string options;
  std::vector<DeviceFidelity> devices;
  /// The weakest of its devices.
  FidelityLabel label() const;
};

}  // namespace vramlab::replay
