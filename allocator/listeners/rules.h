// The rules of the reference that an allocator announces when they decide something, by name. A
// rule is a row of the page of rules, docs/reference/fidelity.md, by its number, such as 6.2; the
// build reads the constants below and fails where a rule has no row there, or is announced nowhere.
#pragma once

#include <compare>
#include <cstdint>

namespace vramlab::allocator {

struct Rule {
  std::uint8_t section = 0;
  std::uint8_t number = 0;
  auto operator<=>(const Rule&) const = default;
};

namespace rules {

// Requests and sizes.
/// Blocks are multiples of 512 bytes, 512 at least.
inline constexpr Rule sizes_are_multiples_of_512{1, 1};
/// Rounded sizes up to 1 MiB are small, all others large.
inline constexpr Rule small_up_to_1_mib{1, 2};
/// A miss asks for 2 MiB, 20 MiB, or the size in steps of 2 MiB.
inline constexpr Rule miss_asks_for_a_segment{1, 3};
/// A request of 0 bytes gives a null pointer.
inline constexpr Rule zero_bytes_leave_no_trace{1, 4};
/// A request of 2^60 bytes or more is not searched, recorded or counted.
inline constexpr Rule huge_request_fails_at_once{1, 5};
/// A size is rounded up to equal steps between two powers of two.
inline constexpr Rule size_is_rounded_to_divisions{1, 6};
/// Slot k begins at 2^k MiB; the first and the last are open-ended.
inline constexpr Rule divisions_have_16_slots{1, 7};

// The option string.
/// Split limit, divisions and collection threshold are reset.
inline constexpr Rule new_options_reset_three{2, 2};
/// Options that are set in mid-run apply from the next call on.
inline constexpr Rule options_apply_from_next_call{2, 5};

// State.
/// A fraction allows its share of the device, rounded down.
inline constexpr Rule fraction_limits_to_its_share{3, 6};

// A request, step by step.
/// Outside captures, completed events are processed first.
inline constexpr Rule events_are_processed_first{4, 1};
/// The first open scope that accepts the stream gives its pool.
inline constexpr Rule open_scope_gives_its_pool{4, 2};
/// A miss collects garbage, then gets a new segment.
inline constexpr Rule miss_collects_then_gets_segment{4, 3};
/// Just enough oversize blocks are released next.
inline constexpr Rule oversize_is_released_next{4, 4};
/// Outside captures, all cached blocks are released last.
inline constexpr Rule all_cached_is_released_last{4, 5};
/// The limit refuses without asking the device.
inline constexpr Rule limit_refuses_before_device{4, 6};
/// A failure leaves an `oom` entry and one count.
inline constexpr Rule failure_is_recorded_and_counted{4, 7};
/// Callbacks are asked on a miss; if one freed, the search is repeated.
inline constexpr Rule callbacks_may_free_memory{4, 9};

// Best fit.
/// With a fraction and a threshold, each search ages free blocks.
inline constexpr Rule search_counts_one_lookup{5, 1};
/// The first block of the stream at or after (size, lowest address).
inline constexpr Rule best_fit_is_taken{5, 2};
/// With expandable on, on to blocks that reach less far.
inline constexpr Rule search_moves_on_to_shorter_reach{5, 3};
/// With expandable off, expandable blocks are skipped.
inline constexpr Rule search_skips_expandable{5, 4};
/// A request below the split limit takes no block at or above it.
inline constexpr Rule oversize_block_is_kept_apart{5, 5};
/// An oversize request takes no block that is much larger.
inline constexpr Rule oversize_request_wastes_little{5, 6};

// Splitting.
/// Small pools, and all while expandable is on, split from 512 bytes.
inline constexpr Rule any_remainder_is_split{6, 1};
/// Otherwise below the split limit, above a remainder of 1 MiB.
inline constexpr Rule large_remainder_is_split{6, 2};
/// The front is handed out; the rest keeps its identity.
inline constexpr Rule front_is_handed_out{6, 3};

// Frees and events.
/// Without uses on other streams a free completes at once.
inline constexpr Rule free_completes_at_once{7, 2};
/// Each other stream that used the block gets one event.
inline constexpr Rule other_streams_get_events{7, 3};
/// During a capture a free is deferred, without events.
inline constexpr Rule free_in_capture_is_deferred{7, 4};
/// A use on the block's own stream has no effect.
inline constexpr Rule use_on_own_stream_is_ignored{7, 5};
/// Uses recorded during a capture stay noted until the block is free.
inline constexpr Rule uses_in_capture_are_remembered{7, 6};
/// After the capture, deferred frees are handled in order.
inline constexpr Rule deferred_frees_are_handled{7, 7};
/// Each stream's events are processed up to the first incomplete one.
inline constexpr Rule events_complete_by_stream{7, 8};
/// Synchronising waits for every event in order.
inline constexpr Rule synchronising_waits_for_all{7, 9};
/// A completed free merges with its free neighbours.
inline constexpr Rule free_neighbours_merge{7, 10};

// Expandable segments.
/// Expandable segments have units of 2 MiB (small) and 20 MiB (large).
inline constexpr Rule units_are_2_and_20_mib{8, 1};
/// A reservation is nine eighths of the device in whole units.
inline constexpr Rule reservation_is_nine_eighths{8, 2};
/// Growth takes the first run of blocks that is long enough.
inline constexpr Rule growth_starts_at_first_run{8, 3};
/// Pieces are mapped until the block is large enough.
inline constexpr Rule growth_maps_piece_by_piece{8, 4};
/// Memory that was mapped before a failure stays mapped and free.
inline constexpr Rule mapped_before_failure_stays{8, 5};
/// A map without room returns its units.
inline constexpr Rule map_without_room_leaves_nothing{8, 6};
/// Only whole units inside a free block are unmapped.
inline constexpr Rule whole_units_are_unmapped{8, 9};
/// The unmapped middle joins its unmapped neighbours.
inline constexpr Rule unmapped_middle_joins{8, 10};
/// The limit is compared with the size of a classic segment.
inline constexpr Rule limit_compares_classic_size{8, 11};

// Garbage collection.
/// Collection runs above the threshold's share of the limit.
inline constexpr Rule garbage_is_collected_above_share{9, 1};
/// A pass releases every whole block as old as the average.
inline constexpr Rule garbage_pass_takes_all_old{9, 3};
/// Passes go on until enough is released or one releases nothing.
inline constexpr Rule garbage_passes_go_on{9, 4};

// Releasing cached memory.
/// A released segment is recorded, counted and returned.
inline constexpr Rule segment_goes_to_device{10, 1};
/// The first oversize block that is large enough is released.
inline constexpr Rule one_oversize_block_is_enough{10, 2};
/// Oversize blocks are released from the largest down.
inline constexpr Rule oversize_goes_from_largest_down{10, 3};
/// Large pool, small pool, then pools without users by id.
inline constexpr Rule everything_goes_large_then_small{10, 5};
/// Whole classic blocks are released, expandable ones unmapped.
inline constexpr Rule pool_goes_classic_then_expandable{10, 6};

// Private pools.
/// Beginning a scope creates the pool or adds one use.
inline constexpr Rule scope_creates_or_uses_pool{11, 1};
/// Ending a scope leaves the blocks in their pool.
inline constexpr Rule scope_end_leaves_blocks{11, 3};
/// A pool without uses may lose its cached memory.
inline constexpr Rule unused_pool_may_be_released{11, 4};
/// A pool without memory and without uses is forgotten.
inline constexpr Rule empty_pool_is_forgotten{11, 5};

// Checkpoints.
/// A checkpoint notes every block of the pool in order.
inline constexpr Rule checkpoint_notes_all_blocks{12, 1};
/// Restoring frees every live block of the pool.
inline constexpr Rule restoring_frees_live_blocks{12, 2};
/// Restoring cuts each segment as it was noted.
inline constexpr Rule restoring_cuts_as_noted{12, 3};

// Other versions than 2.6.
/// A fraction of 1.0 removes the limit.
inline constexpr Rule whole_fraction_removes_limit{17, 4};
/// A fraction in the options is a limit from the start.
inline constexpr Rule option_fraction_is_limit_at_start{17, 7};
/// A request above the configured share is rejected.
inline constexpr Rule share_rejects_before_device{17, 8};
/// If a later attempt is rejected, so is the request.
inline constexpr Rule later_rejection_is_rejection{17, 9};
/// Pools that lend are asked after the first failed attempt.
inline constexpr Rule lending_pools_are_asked{17, 10};
/// A lending pool that is being captured to fails the request.
inline constexpr Rule captured_lender_fails_request{17, 11};
/// Blocks of a pool that never splits are handed out whole.
inline constexpr Rule pool_never_splits{17, 12};
/// A destroyed pool object lends no more and loses one use.
inline constexpr Rule destroyed_pool_gives_up_use{17, 13};
/// Emptying the cache in a capture skips the device's own pools.
inline constexpr Rule emptying_in_capture_skips_own{17, 14};
/// Emptying one private pool affects that pool only.
inline constexpr Rule emptying_one_pool{17, 15};
/// A deferred free completes once the graph orders its markers before.
inline constexpr Rule early_reuse_in_capture{17, 16};
/// With early reuse, the end of a scope handles deferred frees.
inline constexpr Rule scope_end_handles_deferred{17, 17};
/// Up to 2.4, segments of private pools are classic.
inline constexpr Rule private_segments_stay_classic{17, 22};
/// Since 2.13 only the current stream's capture counts as a capture.
inline constexpr Rule capture_is_of_current_stream{17, 23};
/// Since 2.15 an option bounds the addresses that a segment reserves.
inline constexpr Rule reserve_bounds_reservation{17, 24};
/// Since 2.15 a request beyond the addresses of a segment reserves none.
inline constexpr Rule request_beyond_reservation_fails{17, 25};

}  // namespace rules

}  // namespace vramlab::allocator
