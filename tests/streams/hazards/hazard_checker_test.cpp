// Each hazard in a small program, and beside it the same program with the call that fixes it.
#include "streams/hazards/hazard_checker.h"

#include "tests/support/cases/hazard_setup.h"

namespace vramlab::streams {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Hazards : public HazardSetup {};

// Reads and writes.

TEST_F(Hazards, read_on_another_stream_without_a_wait_may_come_first) {
  hand_out(first_block, home);
  submit(home, writes_first, 7);
  submit(side, reads_first, 8);
  EXPECT_THAT(found(), ElementsAre("read may come before the write it reads from: kernel #1 (tag "
                                   "7) on stream 1 writes; kernel #2 (tag 8) on stream 2 reads; "
                                   "block 1, addresses 0 to 4096"));
  EXPECT_THAT(fixes(),
              ElementsAre("stream 2 waits for an event recorded on stream 1 after work 1"));
}

TEST_F(Hazards, read_that_waits_for_the_write_is_right) {
  hand_out(first_block, home);
  submit(home, writes_first, 7);
  order(home, side);
  submit(side, reads_first, 8);
  EXPECT_THAT(found(), IsEmpty());
}

TEST_F(Hazards, event_counts_as_it_was_recorded_when_the_wait_was_issued) {
  hand_out(first_block, home);
  cuda_.record_event(event, home, 0);
  submit(home, writes_first, 7);
  cuda_.wait_for_event(side, event, 0);
  cuda_.record_event(event, home, 0);
  submit(side, reads_first, 8);
  EXPECT_EQ(found().size(), 1U);
}

TEST_F(Hazards, two_writes_in_either_order) {
  hand_out(first_block, home);
  submit(home, writes_first, 7);
  submit(side, writes_first, 8);
  ASSERT_EQ(checker_.hazards().size(), 1U);
  EXPECT_EQ(checker_.hazards()[0].kind, HazardKind::write_before_write);
}

TEST_F(Hazards, write_that_may_come_before_an_earlier_read_is_a_kind_of_its_own) {
  hand_out(first_block, home);
  submit(home, reads_first, 7);
  submit(side, writes_first, 8);
  ASSERT_EQ(checker_.hazards().size(), 1U);
  EXPECT_EQ(checker_.hazards()[0].kind, HazardKind::write_before_read);
}

TEST_F(Hazards, reads_need_no_order) {
  hand_out(first_block, home);
  submit(home, reads_first, 7);
  submit(side, reads_first, 8);
  EXPECT_THAT(found(), IsEmpty());
}

TEST_F(Hazards, pair_of_sites_is_named_once_with_how_often_it_met) {
  hand_out(first_block, home);
  for (int i = 0; i < 3; ++i) {
    submit(home, writes_first, 7);
    order(home, side);
    order(side, home);
    submit(home, writes_first, 7);
    submit(side, reads_first, 8);
    cuda_.synchronize_device(0);
    call(main_thread);
  }
  ASSERT_EQ(checker_.hazards().size(), 1U);
  EXPECT_EQ(checker_.hazards()[0].count, 3U);
}

TEST_F(Hazards, work_is_one_access_however_often_it_names_a_block) {
  hand_out(first_block, home);
  submit(home, writes_first, 7);
  submit(side, {.read = {first_block, first_block}, .written = {first_block}}, 8);
  ASSERT_EQ(checker_.hazards().size(), 1U);
  EXPECT_EQ(checker_.hazards()[0].count, 1U);
}

// Calls that put work in order.

TEST_F(Hazards, thread_that_waited_for_a_stream_issues_behind_it) {
  hand_out(first_block, home);
  submit(home, writes_first, 7);
  cuda_.synchronize_stream(home);
  call(main_thread);
  submit(side, reads_first, 8);
  EXPECT_THAT(found(), IsEmpty());
}

TEST_F(Hazards, another_thread_does_not_know_what_the_first_waited_for) {
  hand_out(first_block, home);
  submit(home, writes_first, 7);
  cuda_.synchronize_stream(home);
  call(other_thread);
  submit(side, reads_first, 8);
  EXPECT_EQ(found().size(), 1U);
}

TEST_F(Hazards, query_puts_in_order_only_where_it_was_successful) {
  hand_out(first_block, home);
  submit(home, writes_first, 7);
  EXPECT_EQ(cuda_.query_stream(home), CudaStatus::not_ready);
  submit(side, reads_first, 8);
  EXPECT_EQ(found().size(), 1U);
  ASSERT_TRUE(cuda_.begin_call(main_thread, Time{1000}));
  EXPECT_EQ(cuda_.query_stream(home), CudaStatus::success);
  submit(third, reads_first, 9);
  EXPECT_EQ(found().size(), 1U);
}

TEST_F(Hazards, blocking_copy_is_waited_for) {
  hand_out(first_block, home);
  submit(home, writes_first, Work{.kind = WorkKind::copy_to_device, .blocks_host = true, .tag = 7});
  call(main_thread);
  submit(side, reads_first, 8);
  EXPECT_THAT(found(), IsEmpty());
}

TEST_F(Hazards, legacy_stream_and_blocking_streams_wait_for_each_other) {
  const StreamAt blocking{0, {9}};
  cuda_.create_stream(blocking, {});
  hand_out(first_block, blocking);
  submit(blocking, writes_first, 7);
  submit(legacy, writes_first, 8);
  submit(blocking, reads_first, 9);
  EXPECT_THAT(found(), IsEmpty());
  submit(legacy, writes_first, 10);
  submit(side, reads_first, 11);
  EXPECT_EQ(found().size(), 1U);
}

TEST_F(Hazards, legacy_stream_follows_what_was_put_on_a_destroyed_stream) {
  const StreamAt blocking{0, {9}};
  cuda_.create_stream(blocking, {});
  hand_out(first_block, blocking);
  submit(blocking, writes_first, 7);
  cuda_.destroy_stream(blocking);
  cuda_.create_stream(blocking, non_blocking);
  submit(legacy, reads_first, 8);
  EXPECT_THAT(found(), IsEmpty());
  submit(blocking, reads_first, 9);
  EXPECT_EQ(found().size(), 1U);
}

TEST_F(Hazards, device_wait_is_also_for_destroyed_streams) {
  hand_out(first_block, home);
  submit(home, writes_first, 7);
  cuda_.destroy_stream(home);
  cuda_.synchronize_device(0);
  call(main_thread);
  submit(side, reads_first, 8);
  EXPECT_THAT(found(), IsEmpty());
}

TEST_F(Hazards, wait_for_a_flag_follows_its_write_whichever_is_issued_first) {
  hand_out(first_block, home);
  hand_out(second_block, home, 4, 4);
  const Work write{.kind = WorkKind::write_flag, .flag = {5}, .value = 1, .tag = 20};
  const Work wait{.kind = WorkKind::await_flag, .flag = {5}, .value = 1, .tag = 21};
  submit(third, {}, wait);
  submit(third, reads_first, 9);
  submit(home, writes_first, 7);
  submit(home, {}, write);
  submit(side, {}, wait);
  submit(side, reads_first, 8);
  EXPECT_THAT(found(), IsEmpty());
  submit(home, writes_first, 10);
  EXPECT_EQ(found().size(), 2U);
}

// Graphs.

class HazardsOfGraphs : public Hazards {
 protected:
  /// Two branches that touch the same block.
  void capture(const Touched& at_origin, const Touched& beside) {
    ASSERT_EQ(cuda_.begin_capture(home, CaptureMode::relaxed), CudaStatus::success);
    order(home, side);
    submit(home, at_origin, 30);
    submit(side, beside, 31);
    order(side, home);
    ASSERT_EQ(cuda_.end_capture(home, {1}), CudaStatus::success);
  }
};

TEST_F(HazardsOfGraphs, branches_are_not_in_order) {
  hand_out(first_block, home);
  capture(writes_first, reads_first);
  cuda_.launch_graph({1}, third, 40);
  EXPECT_THAT(found(),
              ElementsAre("read may come before the write it reads from: kernel #2 (tag 30) on "
                          "stream 3, captured on stream 1, writes; kernel #3 (tag 31) on stream "
                          "3, captured on stream 2, reads; block 1, addresses 0 to 4096"));
  EXPECT_THAT(fixes(), ElementsAre("stream 2 waits for an event recorded on stream 1 after work "
                                   "2, in the capture"));
}

TEST_F(HazardsOfGraphs, launches_of_one_graph_follow_each_other) {
  hand_out(first_block, home);
  capture(writes_first, {});
  cuda_.launch_graph({1}, side, 40);
  cuda_.launch_graph({1}, third, 41);
  EXPECT_THAT(found(), IsEmpty());
}

TEST_F(HazardsOfGraphs, graph_of_the_same_name_is_another) {
  hand_out(first_block, home);
  capture(writes_first, {});
  cuda_.launch_graph({1}, side, 40);
  cuda_.destroy_graph({1});
  capture(writes_first, {});
  cuda_.launch_graph({1}, third, 41);
  EXPECT_EQ(found().size(), 1U);
}

TEST_F(HazardsOfGraphs, what_follows_the_launch_follows_all_of_its_branches) {
  hand_out(first_block, home);
  capture({}, writes_first);
  cuda_.launch_graph({1}, third, 40);
  submit(third, reads_first, 8);
  EXPECT_THAT(found(), IsEmpty());
  submit(side, reads_first, 9);
  EXPECT_THAT(fixes(),
              ElementsAre("stream 2 waits for an event recorded on stream 3 after work 3"));
}

TEST_F(HazardsOfGraphs, launches_go_on_using_freed_memory_of_their_pool) {
  HandedOut block{.block = first_block, .range = {{0}, {unit}}, .stream = home};
  block.is_of_graph = true;
  checker_.handed_out(block);
  free(first_block);
  block.block = second_block;
  checker_.handed_out(block);
  capture(writes_first, {.read = {second_block}});
  cuda_.launch_graph({1}, third, 40);
  // The second block has the addresses of the first; a record_stream is missing in the capture.
  ASSERT_EQ(checker_.hazards().size(), 1U);
  EXPECT_EQ(checker_.hazards()[0].kind, HazardKind::read_before_write);
  submit(third, writes_first, 50);
  ASSERT_EQ(checker_.hazards().size(), 2U);
  EXPECT_EQ(checker_.hazards()[1].kind, HazardKind::use_after_free);
}

TEST_F(HazardsOfGraphs, event_that_a_node_records_covers_what_comes_before_the_node) {
  for (const BlockNumber block : {first_block, second_block}) hand_out(block, home);
  ASSERT_EQ(cuda_.begin_capture(home, CaptureMode::relaxed), CudaStatus::success);
  submit(home, writes_first, 30);
  cuda_.record_event_in_graph(event, home, 0);
  submit(home, {.written = {second_block}}, 31);
  ASSERT_EQ(cuda_.end_capture(home, {1}), CudaStatus::success);
  cuda_.launch_graph({1}, home, 40);
  cuda_.wait_for_event(side, event, 0);
  submit(side, reads_first, 8);
  EXPECT_THAT(found(), IsEmpty());
  submit(side, {.read = {second_block}}, 9);
  EXPECT_EQ(found().size(), 1U);
}

TEST_F(HazardsOfGraphs, node_that_waits_for_an_event_follows_its_record) {
  hand_out(first_block, home);
  ASSERT_EQ(cuda_.begin_capture(home, CaptureMode::relaxed), CudaStatus::success);
  cuda_.wait_for_event_in_graph(home, event, 0);
  submit(home, reads_first, 30);
  ASSERT_EQ(cuda_.end_capture(home, {1}), CudaStatus::success);
  submit(side, writes_first, 8);
  cuda_.record_event(event, side, 0);
  cuda_.launch_graph({1}, home, 40);
  EXPECT_THAT(found(), IsEmpty());
  submit(side, writes_first, 9);
  EXPECT_EQ(found().size(), 1U);
}

// Handles and waits.

TEST_F(Hazards, stream_used_after_it_was_destroyed) {
  cuda_.destroy_stream(side);
  checker_.destroyed({.stream = side, .thread = main_thread, .tag = 70});
  ASSERT_EQ(cuda_.record_event(event, side, 0), CudaStatus::invalid_resource_handle);
  checker_.used_after_destroy({.stream = side, .thread = main_thread, .tag = 71});
  EXPECT_THAT(found(), ElementsAre("used after destroy: destroy (tag 70) by thread 0; use (tag 71) "
                                   "by thread 0; stream 2"));
  EXPECT_THAT(fixes(), ElementsAre("destroy stream 2 only after this use"));
}

TEST_F(Hazards, event_used_after_it_was_destroyed) {
  checker_.destroyed({.event = event, .thread = main_thread, .tag = 70});
  checker_.used_after_destroy({.stream = side, .event = event, .thread = other_thread, .tag = 71});
  EXPECT_THAT(found(), ElementsAre("used after destroy: destroy (tag 70) by thread 0; use (tag 71) "
                                   "by thread 1; event 1"));
}

TEST_F(Hazards, thread_and_stream_that_wait_for_a_flag_that_nobody_writes) {
  submit(home, {}, Work{.kind = WorkKind::await_flag, .flag = {5}, .value = 1, .tag = 21});
  submit(home, {}, 22);
  cuda_.synchronize_stream(home);
  const std::vector<StuckThread> threads = cuda_.finish();
  const std::vector<StuckWork> work = cuda_.stuck_work();
  for (const StuckWork& stuck : work) checker_.waits_for_ever(stuck);
  for (const StuckThread& stuck : threads) checker_.waits_for_ever(stuck, 23, work);
  EXPECT_THAT(found(), ElementsAre("waits for ever: wait for a flag (tag 21) on stream 1",
                                   "waits for ever: wait (tag 23) by thread 0"));
  EXPECT_THAT(fixes(), ElementsAre("write flag 5", "write flag 5"));
}

TEST_F(Hazards, accesses_behind_a_wait_that_never_ends_never_meet_others) {
  hand_out(first_block, home);
  submit(side, {}, Work{.kind = WorkKind::await_flag, .flag = {5}, .value = 1, .tag = 21});
  submit(side, reads_first, 8);
  submit(home, writes_first, 7);
  EXPECT_THAT(found(), IsEmpty());
}

// Names that are used again.

TEST_F(Hazards, stream_of_the_same_name_is_another) {
  hand_out(first_block, home);
  submit(side, writes_first, 7);
  cuda_.destroy_stream(side);
  cuda_.create_stream(side, non_blocking);
  submit(side, reads_first, 8);
  EXPECT_EQ(found().size(), 1U);
}

TEST_F(Hazards, many_short_lived_streams_leave_no_order_behind) {
  hand_out(first_block, home);
  hand_out(second_block, home, 4, 4);
  submit(side, writes_first, 7);
  for (std::uint64_t i = 10; i < 200; ++i) {
    const StreamAt stream{0, {i}};
    cuda_.create_stream(stream, non_blocking);
    submit(stream, {.read = {second_block}}, 8);
    cuda_.destroy_stream(stream);
  }
  EXPECT_THAT(found(), IsEmpty());
  const StreamAt last{0, {200}};
  cuda_.create_stream(last, non_blocking);
  submit(last, reads_first, 9);
  submit(home, {.written = {second_block}}, 10);
  ASSERT_EQ(checker_.hazards().size(), 2U);
  // One hazard for each reader.
  EXPECT_EQ(checker_.hazards()[1].count, 190U);
}

/// The checker takes their lines again.
class HazardsOfShortLivedStreams : public HazardSetup {
 protected:
  static constexpr std::uint64_t count = 50;

  static StreamAt short_lived(std::uint64_t i) { return {0, {1000 + i}}; }
  static allocator::EventId event_of(std::uint64_t i) { return {1000 + i}; }
  void create(std::uint64_t i) {
    cuda_.create_stream(short_lived(i), non_blocking);
    cuda_.create_event(event_of(i), 0, false);
  }
};

TEST_F(HazardsOfShortLivedStreams, what_a_thread_knew_of_them_says_nothing_of_later_ones) {
  hand_out(first_block, home);
  for (std::uint64_t i = 0; i < count; ++i) {
    create(i);
    submit(short_lived(i), writes_first, 7);
    cuda_.destroy_stream(short_lived(i));
    cuda_.synchronize_device(0);
    call(main_thread);
    submit(home, writes_first, 8);
    cuda_.synchronize_stream(home);
    call(main_thread);
  }
  EXPECT_THAT(found(), IsEmpty());
  create(count);
  hand_out(second_block, home, 4, 4);
  call(other_thread);
  submit(short_lived(count), {.written = {second_block}}, 9);
  call(main_thread);
  submit(side, {.read = {second_block}}, 10);
  EXPECT_EQ(found().size(), 1U);
}

TEST_F(HazardsOfShortLivedStreams, their_events_still_put_in_order) {
  hand_out(first_block, home);
  submit(home, writes_first, 7);
  for (std::uint64_t i = 0; i < count; ++i) {
    create(i);
    order(home, short_lived(i));
    cuda_.record_event(event_of(i), short_lived(i), 0);
    cuda_.destroy_stream(short_lived(i));
  }
  for (std::uint64_t i = count; i < 2 * count; ++i) {
    create(i);
    cuda_.record_event(event_of(i), short_lived(i), 0);
  }
  // The thread knows later work before it waits for earlier work.
  for (std::uint64_t i = 0; i < count; ++i) {
    create(2 * count + i);
    const StreamAt waiting = short_lived(2 * count + i);
    for (std::uint64_t later = count; later < 2 * count; ++later)
      cuda_.wait_for_event(waiting, event_of(later), 0);
    cuda_.wait_for_event(waiting, event_of(i), 0);
    submit(waiting, reads_first, 8);
  }
  EXPECT_THAT(found(), IsEmpty());
}

}  // namespace
}  // namespace vramlab::streams
