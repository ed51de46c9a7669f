// ReferenceVersion: what differs between the versions of the reference allocator, as rows of data.
// The algorithm asks a row, never for a version's name.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string_view>

namespace vramlab::allocator {

enum class OptionGrammar : std::uint8_t {
  /// One pass; a separator of the wrong kind is an error.
  single_pass,
  /// Segment size first, then shared options, then the allocator's own; separators are
  /// interchangeable.
  three_passes,
  /// The same with limits of pinned memory, and numbers are read as C does it.
  three_passes_with_limits,
  /// The same with reserves of expandable segments.
  three_passes_with_reserves,
};

/// The slot from which `>` in a rounding list fills.
enum class RestOfListStart : std::uint8_t { last_given_slot, after_last_given_slot };

/// The effect of a memory fraction of 1.0.
enum class WholeFraction : std::uint8_t { limits_to_total, removes_limit };

/// The open capture scope that is asked first.
enum class ScopeOrder : std::uint8_t { oldest_first, newest_first };

/// The sign of a capture, during which no event may be asked about: an open scope of any private
/// pool, or a capture by the stream that is current where the call comes from.
enum class CaptureSign : std::uint8_t { open_scope, current_stream };

/// The effect of empty_cache during a capture.
enum class EmptyCacheInCapture : std::uint8_t { refused, skips_default_pools };

/// The answer to restoring a checkpoint whose expandable segment has grown since.
enum class GrownCheckpoint : std::uint8_t { refused, tolerated };

/// The order of free blocks of one size: the lowest address first; the oldest block first (the
/// front of a split is a new block, and a block that was freed stays itself when it merges); or the
/// lowest address in the segment that was got first.
enum class AmongSameSize : std::uint8_t { lowest_address, oldest_block, oldest_segment };

/// Segments of private pools under expandable_segments: classic as without the option, or as the
/// option says.
enum class PrivateSegments : std::uint8_t { classic, as_option_says };

/// A request that is larger than the addresses of a new expandable segment: they are reserved and
/// mapped as far as the device has room, or the request fails before.
enum class BeyondReservation : std::uint8_t { is_mapped, fails };

struct Release {
  unsigned major = 0;
  unsigned minor = 0;
  auto operator<=>(const Release&) const = default;
};

/// The free block of a bucket of pinned memory that is taken: the one freed last, or the one freed
/// last among those that are large enough.
enum class HostFreeBlock : std::uint8_t { youngest, youngest_large_enough };

/// The way of a request for pinned memory past a miss while a background thread handles events.
enum class HostMiss : std::uint8_t { handles_events_of_its_size, gets_memory };

/// How pinned memory is released: by the option in force then, or in the way it was obtained.
enum class HostRelease : std::uint8_t { by_option, as_obtained };

/// The state after a free of pinned memory whose event cannot be recorded: the block is still used
/// by its streams and not active, or it is active and waits for ever.
enum class HostFailedEvent : std::uint8_t { keeps_streams, keeps_waiting };

/// Whether the capture of a graph takes requests for pinned memory to a pool of the graph.
enum class HostGraphPools : bool { no, yes };

/// The peaks of active pinned memory that are added up: those of all pools' blocks of a bucket
/// together, or each pool's.
enum class HostPeaks : std::uint8_t { of_buckets, of_pools_and_buckets };

/// The rules that differ in the allocator of pinned memory.
struct HostRules {
  HostFreeBlock free_block;
  HostMiss miss;
  HostRelease release;
  HostFailedEvent failed_event;
  HostGraphPools graph_pools;
  HostPeaks peaks;
};

struct ReferenceVersion {
  std::string_view name;
  std::string_view description;
  /// The first release with these rules; 0 where no release selects this row: it is a build between
  /// releases, or another row serves its release.
  Release first;
  OptionGrammar grammar;
  RestOfListStart rest_of_list;
  WholeFraction whole_fraction;
  ScopeOrder scope_order;
  CaptureSign capture_sign;
  EmptyCacheInCapture empty_cache_in_capture;
  GrownCheckpoint grown_checkpoint;
  AmongSameSize among_same_size;
  PrivateSegments private_segments;
  BeyondReservation beyond_reservation;
  HostRules host;
};

/// All rows, oldest first.
std::span<const ReferenceVersion> reference_versions();
/// The row of 2.6.
const ReferenceVersion& default_reference_version();
/// The row of that name, or null.
const ReferenceVersion* find_reference_version(std::string_view name);
/// The row for a release of PyTorch, such as 2.7.1 or 2.12.1+cu130; null for a text that names no
/// release.
const ReferenceVersion* reference_version_of_release(std::string_view release);

}  // namespace vramlab::allocator

/// Every folder speaks of these, so they need no prefix.
namespace vramlab {
using allocator::ReferenceVersion;
}  // namespace vramlab
