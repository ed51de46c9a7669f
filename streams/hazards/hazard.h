// Hazard: a mistake that shows in some order in which the program may run, even where it did not in
// this run: the two sides that meet, their memory, and the one call that would fix it.
// docs/guide/streams.md explains each kind.
#pragma once

#include <cstdint>
#include <optional>

#include "allocator/types/bytes_and_ids.h"
#include "streams/memory/free_gaps.h"
#include "streams/stream_model/work.h"

namespace vramlab::streams {

/// A block of memory from the hand-out on. The number grows with each hand-out and is never used
/// again.
struct BlockNumber {
  std::uint64_t value = 0;
  friend constexpr auto operator<=>(BlockNumber, BlockNumber) = default;
};

enum class HazardKind : std::uint8_t {
  /// Work was issued on a block that was freed before.
  use_after_free,
  /// Memory was handed out again, and work on the earlier block may still run.
  reused_too_early,
  /// A read that may come before the write whose result it wants.
  read_before_write,
  /// Two writes in either order.
  write_before_write,
  /// A write that may come before an earlier read.
  write_before_read,
  /// A stream or an event was used after it was destroyed.
  used_after_destroy,
  /// Work, or a thread, waits for something that never happens.
  waits_for_ever,
};

enum class HazardAct : std::uint8_t { work, free, hand_out, destroy, use_of_handle, wait };

/// One of the two sides that meet.
struct HazardSide {
  HazardAct act = HazardAct::work;
  /// For work and graph nodes.
  WorkKind kind = WorkKind::kernel;
  bool reads = false;
  bool writes = false;
  std::uint64_t tag = 0;
  /// The key by which sides are counted: the same for all work of one line of the program.
  std::uint64_t site = 0;
  StreamAt stream{};
  ThreadId thread{};
  /// For work: the watcher's number of the item.
  std::uint64_t number = 0;
  /// For a graph: the stream that it was captured on. `stream` is the one it was launched on.
  bool is_node = false;
  StreamAt captured_on{};
  /// False where the side is so long ago that it is forgotten; then only `act` means something.
  bool is_known = true;
};

enum class FixKind : std::uint8_t {
  /// record_stream(earlier block, stream) before it is freed.
  record_stream,
  /// `stream` waits for an event that is recorded on `awaited` after the first side.
  wait_for_event,
  /// The same, while the graph is captured: its two nodes are not in order.
  wait_in_capture,
  /// The first side happens only after the second was issued.
  free_later,
  destroy_later,
  /// The flag is written.
  write_flag,
};

/// The one call that would fix it.
struct Fix {
  FixKind kind = FixKind::wait_for_event;
  StreamAt stream{};
  StreamAt awaited{};
  std::optional<FlagId> flag{};
};

struct Hazard {
  HazardKind kind = HazardKind::use_after_free;
  HazardSide first{};
  HazardSide second{};
  /// For memory: the block of each side, and the addresses that both have.
  BlockNumber first_block{};
  BlockNumber second_block{};
  AddressRange range{};
  /// For a used_after_destroy.
  std::optional<EventId> event{};
  Fix fix{};
  /// How often these two sites met; all else is of the first time.
  std::uint64_t count = 1;
};

}  // namespace vramlab::streams
