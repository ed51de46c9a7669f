// Hazards of memory that is freed and handed out again, and the calls that fix them.
#include "streams/hazards/hazard_checker.h"

#include "tests/support/cases/hazard_setup.h"

namespace vramlab::streams {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class HazardsOfReuse : public HazardSetup {};

TEST_F(HazardsOfReuse, use_after_free_names_both_calls) {
  hand_out(first_block, home);
  free(first_block, 55);
  submit(home, reads_first, 7);
  EXPECT_THAT(found(), ElementsAre("use after free: free (tag 55) by thread 0; kernel #1 (tag 7) "
                                   "on stream 1 reads; block 1, addresses 0 to 4096"));
  EXPECT_THAT(fixes(), ElementsAre("free block 1 only after work 1 was issued"));
}

TEST_F(HazardsOfReuse, work_that_still_runs_when_its_memory_is_freed_is_right) {
  hand_out(first_block, home);
  submit(home, reads_first, 7);
  free(first_block);
  EXPECT_THAT(found(), IsEmpty());
}

TEST_F(HazardsOfReuse, free_long_ago_is_still_a_use_after_free) {
  hand_out(first_block, home);
  free(first_block);
  for (std::uint64_t i = 2; i < 6000; ++i) {
    hand_out({i}, home);
    free({i});
  }
  submit(home, reads_first, 7);
  ASSERT_EQ(checker_.hazards().size(), 1U);
  EXPECT_FALSE(checker_.hazards()[0].first.is_known);
}

TEST_F(HazardsOfReuse, memory_used_on_another_stream_is_reused_too_early) {
  hand_out(first_block, home);
  order(home, side);
  submit(side, reads_first, 7);
  free(first_block);
  hand_out(second_block, home, 2, 4, 60);
  EXPECT_THAT(found(), ElementsAre("memory reused too early: kernel #3 (tag 7) on stream 2 reads; "
                                   "hand-out (tag 60) by thread 0; block 2, which was block 1, "
                                   "addresses 2048 to 4096"));
  EXPECT_THAT(fixes(), ElementsAre("record_stream(block 1, stream 2) before it is freed"));
}

TEST_F(HazardsOfReuse, record_stream_fixes_it) {
  hand_out(first_block, home);
  submit(side, reads_first, 7);
  checker_.stream_uses(first_block, side);
  free(first_block);
  hand_out(second_block, home);
  submit(home, {.written = {second_block}}, 8);
  submit(third, {.written = {second_block}}, 9);
  // Only hazards between the new owners.
  ASSERT_EQ(checker_.hazards().size(), 1U);
  EXPECT_EQ(checker_.hazards()[0].first.tag, 8U);
}

TEST_F(HazardsOfReuse, record_stream_of_a_third_stream_does_not) {
  hand_out(first_block, home);
  submit(side, reads_first, 7);
  checker_.stream_uses(first_block, third);
  free(first_block);
  hand_out(second_block, home);
  EXPECT_EQ(found().size(), 1U);
}

TEST_F(HazardsOfReuse, record_stream_covers_what_its_stream_waited_for) {
  hand_out(first_block, home);
  submit(side, reads_first, 7);
  order(side, third);
  checker_.stream_uses(first_block, third);
  free(first_block);
  hand_out(second_block, home);
  EXPECT_THAT(found(), IsEmpty());
}

TEST_F(HazardsOfReuse, memory_is_reused_in_the_order_of_its_own_stream) {
  hand_out(first_block, home);
  submit(home, writes_first, 7);
  free(first_block);
  hand_out(second_block, home);
  submit(home, {.written = {second_block}}, 8);
  EXPECT_THAT(found(), IsEmpty());
}

TEST_F(HazardsOfReuse, new_owner_on_another_stream_must_wait_for_the_old_one) {
  hand_out(first_block, home);
  submit(home, writes_first, 7);
  free(first_block);
  hand_out(second_block, home);
  submit(side, {.written = {second_block}}, 8);
  EXPECT_THAT(fixes(),
              ElementsAre("stream 2 waits for an event recorded on stream 1 after work 1"));
}

TEST_F(HazardsOfReuse, own_stream_that_waited_before_the_hand_out_is_right) {
  hand_out(first_block, home);
  submit(side, reads_first, 7);
  free(first_block);
  order(side, home);
  hand_out(second_block, home);
  EXPECT_THAT(found(), IsEmpty());
}

TEST_F(HazardsOfReuse, thread_that_waited_before_the_free_is_right) {
  hand_out(first_block, home);
  submit(side, reads_first, 7);
  cuda_.synchronize_stream(side);
  call(main_thread);
  free(first_block);
  call(other_thread);
  hand_out(second_block, home);
  EXPECT_THAT(found(), IsEmpty());
}

TEST_F(HazardsOfReuse, pieces_of_a_freed_block_each_remember_what_was_done_on_them) {
  hand_out(first_block, home, 0, 8);
  submit(side, reads_first, 7);
  free(first_block);
  hand_out({2}, home, 2, 2, 60);
  hand_out({3}, home, 4, 4, 61);
  hand_out({4}, home, 0, 2, 62);
  ASSERT_EQ(checker_.hazards().size(), 3U);
  EXPECT_EQ(checker_.hazards()[0].range, (AddressRange{{2 * unit}, {4 * unit}}));
  EXPECT_EQ(checker_.hazards()[1].range, (AddressRange{{4 * unit}, {8 * unit}}));
  EXPECT_EQ(checker_.hazards()[2].range, (AddressRange{{0}, {2 * unit}}));
}

TEST_F(HazardsOfReuse, pieces_of_an_access_are_one_again_where_blocks_merge) {
  hand_out(first_block, home, 0, 8);
  submit(home, writes_first, 7);
  free(first_block);
  hand_out({2}, home, 0, 4);
  hand_out({3}, home, 4, 4);
  free({2});
  free({3});
  hand_out({4}, side, 0, 8, 60);
  ASSERT_EQ(checker_.hazards().size(), 1U);
  EXPECT_EQ(checker_.hazards()[0].count, 1U);
  EXPECT_EQ(checker_.hazards()[0].range, (AddressRange{{0}, {8 * unit}}));
}

TEST_F(HazardsOfReuse, released_memory_is_as_new) {
  hand_out(first_block, home);
  submit(side, reads_first, 7);
  free(first_block);
  checker_.released(0, {{0}, {4 * unit}});
  hand_out(second_block, home);
  EXPECT_THAT(found(), IsEmpty());
}

}  // namespace
}  // namespace vramlab::streams
