// Lifetimes and lower bounds of short histories whose answer is plain to see.
#include "replay/packing/lifetimes.h"

#include <gtest/gtest.h>

#include "replay/packing/buffer.h"
#include "replay/packing/find_lifetimes.h"
#include "tests/support/kit/text_program.h"
#include "traces/io/input_error.h"

namespace vramlab::tests {
namespace {

using allocator::Action;
using allocator::Bytes;
using replay::DeviceHistory;
using replay::DeviceLifetimes;
using replay::FoundLifetimes;
using support::free_line;
using support::malloc_line;
using namespace allocator::literals;

allocator::AllocatorEvent event(Action action, std::uint64_t address, Bytes size,
                                std::uint64_t stream = 0) {
  return {.action = action,
          .address = {address},
          .size = size,
          .stream = {stream},
          .pool = {},
          .time_us = 0};
}

DeviceHistory history_of(const std::vector<allocator::AllocatorEvent>& events) {
  DeviceHistory history;
  history.events = events;
  return history;
}

FoundLifetimes of_program(const std::string& lines) {
  replay::Recording recording(support::open_program(lines));
  return replay::find_lifetimes(recording);
}

TEST(Lifetimes, of_a_program_that_is_read_once_have_the_sizes_of_its_own_settings) {
  const std::string text =
      "{\"format\":\"vramlab-trace\",\"version\":1,\"settings\":"
      "\"roundup_power2_divisions:2\",\"reference\":\"2.12\"}\n" +
      malloc_line(1, 9 << 20);
  replay::Recording recording(
      traces::open_trace(traces::open_bytes(support::make_memory_source(text), "program")),
      {.passes = replay::Passes::one});
  const FoundLifetimes found = replay::find_lifetimes(recording);
  EXPECT_EQ(found.version->name, "2.12");
  ASSERT_EQ(found.devices.size(), 1U);
  EXPECT_EQ(found.devices[0].blocks[0].bytes, 12_MiB);
}

TEST(Lifetimes, overlap_where_blocks_are_there_at_once) {
  const DeviceLifetimes found = lifetimes_of(
      history_of({event(Action::alloc, 4096, 700_B), event(Action::alloc, 8192, 512_B),
                  event(Action::free_requested, 4096, 700_B),
                  event(Action::free_completed, 4096, 700_B), event(Action::alloc, 4096, 100_B)}),
      {});
  ASSERT_EQ(found.blocks.size(), 3U);
  EXPECT_EQ(found.blocks[0].bytes, 1_KiB);
  EXPECT_EQ(found.blocks[0].requested, 700_B);
  EXPECT_LE(found.blocks[0].end, found.blocks[2].begin);
  EXPECT_LT(found.blocks[1].begin, found.blocks[0].end);
  EXPECT_EQ(found.blocks[2].end, found.steps);
  const replay::LowerBounds bounds = lower_bounds_of(found);
  EXPECT_EQ(bounds.peak_requested, 1212_B);
  EXPECT_EQ(bounds.peak_rounded, 1536_B);
}

TEST(Lifetimes, go_on_while_other_streams_work_on_a_block) {
  const DeviceLifetimes found = lifetimes_of(
      history_of({event(Action::alloc, 4096, 512_B), event(Action::free_requested, 4096, 512_B),
                  event(Action::alloc, 8192, 512_B), event(Action::free_completed, 4096, 512_B)}),
      {});
  EXPECT_EQ(lower_bounds_of(found).peak_rounded, 1_KiB);
}

TEST(Lifetimes, begin_before_the_history_where_only_an_end_or_a_segment_tells_of_them) {
  DeviceHistory history =
      history_of({event(Action::alloc, 4096, 512_B), event(Action::free_requested, 8192, 3_KiB),
                  event(Action::free_completed, 8192, 3_KiB)});
  allocator::SnapshotSegment segment;
  segment.address = {4096};
  segment.total_size = 2_MiB;
  segment.blocks = {{{4096}, 512_B, 512_B, allocator::BlockState::active_allocated},
                    {{4608}, 5_KiB, 5000_B, allocator::BlockState::active_allocated},
                    {{8192}, 3_KiB, 3_KiB, allocator::BlockState::inactive}};
  history.final_segments = {segment};
  const DeviceLifetimes found = lifetimes_of(history, {});
  ASSERT_EQ(found.blocks.size(), 3U);
  EXPECT_EQ(found.blocks[0].begin, 0U);
  EXPECT_EQ(found.blocks[0].requested, 5000_B);
  EXPECT_EQ(found.blocks[0].end, found.steps);
  EXPECT_EQ(found.blocks[1].begin, 0U);
  EXPECT_EQ(found.blocks[1].bytes, 3_KiB);
  EXPECT_EQ(found.online_peak_reserved, 2_MiB);
  EXPECT_EQ(lower_bounds_of(found).peak_rounded, 5_KiB + 3_KiB + 512_B);
}

TEST(Lifetimes, of_blocks_that_were_not_worth_splitting_take_what_their_requests_need) {
  DeviceHistory history;
  allocator::SnapshotSegment segment;
  segment.address = {4096};
  segment.total_size = 20_MiB;
  segment.blocks = {
      {{4096}, 10_MiB, 9_MiB + 500_B, allocator::BlockState::active_allocated},
      // Older files don't say when frees were requested.
      {allocator::Address{4096} + 10_MiB, 10_MiB, {}, allocator::BlockState::active_allocated}};
  history.final_segments = {segment};
  const DeviceLifetimes found = lifetimes_of(history, {});
  ASSERT_EQ(found.blocks.size(), 2U);
  EXPECT_EQ(found.blocks[0].bytes, 9_MiB + 512_B);
  EXPECT_EQ(found.blocks[1].bytes, 10_MiB);
}

TEST(Lifetimes, end_where_an_address_is_handed_out_again_and_that_is_counted) {
  const DeviceLifetimes found = lifetimes_of(
      history_of({event(Action::alloc, 4096, 512_B), event(Action::alloc, 4096, 512_B)}), {});
  EXPECT_EQ(found.contradictions, 1U);
  EXPECT_EQ(lower_bounds_of(found).peak_rounded, 512_B);
}

TEST(Lifetimes, of_a_program_are_those_of_its_replay) {
  const FoundLifetimes found = of_program(malloc_line(1, 3 << 20) + malloc_line(2, 5 << 20) +
                                          free_line(1) + malloc_line(3, 1 << 20) + free_line(2));
  ASSERT_EQ(found.devices.size(), 1U);
  EXPECT_EQ(found.devices[0].blocks.size(), 3U);
  EXPECT_EQ(lower_bounds_of(found.devices[0]).peak_requested, 8_MiB);
  EXPECT_EQ(found.devices[0].online_peak_reserved, 22_MiB);
}

TEST(LowerBounds, of_streams_add_up_where_they_share_nothing) {
  DeviceHistory history = history_of({event(Action::alloc, 4096, 512_B, 1),
                                      event(Action::free_completed, 4096, 512_B, 1),
                                      event(Action::alloc, 8192, 1_KiB, 2)});
  const replay::LowerBounds bounds = lower_bounds_of(lifetimes_of(history, {}));
  EXPECT_EQ(bounds.peak_rounded, 1_KiB);
  EXPECT_EQ(bounds.sum_of_streams, 1536_B);
  EXPECT_EQ(bounds.peak_by_stream.at({1}), 512_B);
}

TEST(LowerBounds, are_those_of_the_buffers_that_are_packed) {
  const FoundLifetimes found =
      of_program(malloc_line(1, 1000) + malloc_line(2, 5000) + free_line(1) + malloc_line(3, 100));
  const DeviceLifetimes& device = found.devices.at(0);
  EXPECT_EQ(load_bound(sections_of(buffers_of(device))), lower_bounds_of(device).peak_rounded);
}

TEST(LowerBounds, refuse_sizes_that_cannot_be_added_up) {
  const DeviceLifetimes found =
      lifetimes_of(history_of({event(Action::alloc, 4096, Bytes{~std::uint64_t{0}})}), {});
  EXPECT_THROW(check_countable(found, "file"), traces::InputError);
}

}  // namespace
}  // namespace vramlab::tests
