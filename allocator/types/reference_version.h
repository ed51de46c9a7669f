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
};

/// Which slot `>` in a rounding list fills from.
enum class RestOfListStart : std::uint8_t { last_given_slot, after_last_given_slot };

/// What a memory fraction of 1.0 does.
enum class WholeFraction : std::uint8_t { limits_to_total, removes_limit };

/// Which open capture scope is asked first.
enum class ScopeOrder : std::uint8_t { oldest_first, newest_first };

/// What is taken for a capture, during which no event may be asked about: an open scope of whatever
/// private pool, or that the stream which is current where the call comes from captures.
enum class CaptureSign : std::uint8_t { open_scope, current_stream };

/// empty_cache during a capture.
enum class EmptyCacheInCapture : std::uint8_t { refused, skips_default_pools };

/// Restoring a checkpoint whose expandable segment has grown since.
enum class GrownCheckpoint : std::uint8_t { refused, tolerated };

/// Which of several free blocks of one size is taken first: that at the lowest address; the oldest
/// (the front of a split is a new block, and a block that was freed stays itself when it merges);
/// or the lowest one in the segment that was got first.
enum class AmongSameSize : std::uint8_t { lowest_address, oldest_block, oldest_segment };

/// What segments of private pools are made of under expandable_segments: of memory of their own as
/// without the option, or as the option says.
enum class PrivateSegments : std::uint8_t { classic, as_option_says };

struct Release {
  unsigned major = 0;
  unsigned minor = 0;
  auto operator<=>(const Release&) const = default;
};

/// Which free block of a bucket of pinned memory is taken: the one freed last, or the one freed
/// last among those that are large enough.
enum class HostFreeBlock : std::uint8_t { youngest, youngest_large_enough };

/// What a request for pinned memory does at a miss while a background thread handles events.
enum class HostMiss : std::uint8_t { handles_events_of_its_size, gets_memory };

/// How pinned memory is released: by the option in force then, or the way it was obtained.
enum class HostRelease : std::uint8_t { by_option, as_obtained };

/// What is left of a free of pinned memory whose event cannot be recorded: a block that is still
/// used by its streams and not active, or one that is active and waits for ever.
enum class HostFailedEvent : std::uint8_t { keeps_streams, keeps_waiting };

/// Whether the capture of a graph takes requests for pinned memory to a pool of the graph.
enum class HostGraphPools : bool { no, yes };

/// What differs in the allocator of pinned memory.
struct HostRules {
  HostFreeBlock free_block;
  HostMiss miss;
  HostRelease release;
  HostFailedEvent failed_event;
  HostGraphPools graph_pools;
};

struct ReferenceVersion {
  std::string_view name;
  std::string_view description;
  /// The first release with these rules; 0 where no release is taken for this row: it is a build
  /// between releases, or the last row serves its release as well.
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
  HostRules host;
};

/// All rows, oldest first.
std::span<const ReferenceVersion> reference_versions();
/// 2.6
const ReferenceVersion& default_reference_version();
/// Null where there is no such row.
const ReferenceVersion* find_reference_version(std::string_view name);
/// The row for a release of PyTorch, such as 2.7.1 or 2.12.1+cu130; null where it names none.
const ReferenceVersion* reference_version_of_release(std::string_view release);

}  // namespace vramlab::allocator

/// Every folder speaks of these, so they need no prefix.
namespace vramlab {
using allocator::ReferenceVersion;
}  // namespace vramlab
