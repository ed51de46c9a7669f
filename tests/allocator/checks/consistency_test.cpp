// The checker itself: states broken on purpose are each reported by a sentence that names the rule.
// A checker that cannot fail proves nothing.
#include "allocator/checks/consistency.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "streams/device/simulated_device.h"

namespace vramlab::allocator {
namespace {

using namespace literals;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

/// An allocator with live, free, waiting and unmapped blocks, whose state can be broken.
class Consistency : public testing::Test {
 protected:
  Consistency() {
    free_ = index_of(get(5_MiB));
    live_ = index_of(get(5_MiB));
    waiting_ = index_of(get(5_MiB));
    engine_.free(block(free_).address);
    engine_.record_stream(block(waiting_).address, {3});
    device_.submit_work({3});
    engine_.free(block(waiting_).address);
    EXPECT_FALSE(engine_.set_options("expandable_segments:True"));
    expandable_ = index_of(get(30_MiB, 1));
  }

  Address get(Bytes size, std::uint64_t stream = 0) {
    return engine_.malloc(size, {stream}).address;
  }
  Core<Listeners<Statistics, History>>& core() {
    return const_cast<Core<Listeners<Statistics, History>>&>(engine_.core());
  }
  Block& block(BlockIndex index) { return core().blocks[index]; }
  BlockIndex index_of(Address address) { return core().live_at(address); }
  Lane& lane_of(BlockIndex index) { return core().lane_of(block(index)); }
  StreamUses& uses_of(BlockIndex index) { return core().uses[core().blocks.notes(index).uses]; }
  std::vector<BlockIndex>& deferred() {
    return const_cast<std::vector<BlockIndex>&>(engine_.cross_stream_frees().deferred());
  }

  void expect_broken(const std::string& rule) const {
    EXPECT_THAT(find_broken_rules(engine_), Contains(HasSubstr(rule)));
  }

  streams::SimulatedDevice device_{1_GiB};
  RecordingAllocator engine_{device_, default_reference_version()};
  BlockIndex free_{}, live_{}, waiting_{}, expandable_{};
};

TEST_F(Consistency, a_sound_allocator_breaks_nothing) {
  EXPECT_THAT(find_broken_rules(engine_), IsEmpty());
}

TEST_F(Consistency, a_wrong_size_is_found) {
  block(live_).set_size(4_MiB);
  expect_broken("blocks follow each other without gaps");
}

TEST_F(Consistency, a_last_block_that_is_too_long_is_found) {
  block(block(waiting_).next).set_size(6_MiB);
  expect_broken("the blocks fill their segment");
}

TEST_F(Consistency, a_wrong_address_is_found) {
  block(waiting_).address = block(waiting_).address + 512_B;
  expect_broken("blocks follow each other without gaps");
}

TEST_F(Consistency, a_wrong_link_back_is_found) {
  block(waiting_).set_previous(free_);
  expect_broken("a block knows the one before it");
}

TEST_F(Consistency, a_loop_of_links_is_found) {
  block(waiting_).next = live_;
  expect_broken("blocks form a row without a loop");
}

TEST_F(Consistency, a_block_that_belongs_to_no_segment_is_found) {
  core().blocks.create();
  expect_broken("every block belongs to a segment");
}

TEST_F(Consistency, a_wrong_kind_of_block_is_found) {
  block(live_).set_expandable();
  expect_broken("a block knows its segment and lane");
}

TEST_F(Consistency, a_free_block_that_left_its_set_is_found) {
  core().leave_free_set(free_);
  expect_broken("a free block is in no free set");
}

TEST_F(Consistency, a_live_block_in_a_free_set_is_found) {
  lane_of(live_).free.insert(5_MiB, block(live_).address, live_);
  expect_broken("a free set holds the free blocks of its lane, each once");
}

TEST_F(Consistency, a_block_under_another_size_in_the_free_set_is_found) {
  Lane& lane = lane_of(free_);
  core().leave_free_set(free_);
  lane.free.insert(9_MiB, block(free_).address, free_);
  expect_broken("a free set lies in order of size and address");
}

TEST_F(Consistency, free_neighbours_that_were_not_merged_are_found) {
  core().leave_free_set(free_);
  core().enter_free_set(core().chain().split_front(free_, 2_MiB));
  core().enter_free_set(free_);
  expect_broken("neighbouring free blocks are merged");
}

TEST_F(Consistency, unmapped_neighbours_that_were_not_merged_are_found) {
  const BlockIndex unmapped = lane_of(expandable_).unmapped.begin()->block;
  core().enter_unmapped_set(core().chain().split_back(unmapped, 20_MiB));
  expect_broken("neighbouring unmapped blocks are merged");
}

TEST_F(Consistency, an_unmapped_block_that_left_its_set_is_found) {
  Lane& lane = lane_of(expandable_);
  lane.unmapped.remove(lane.unmapped.begin()->address);
  expect_broken("an unmapped block is in no set of unmapped blocks");
}

TEST_F(Consistency, a_live_block_that_left_the_address_map_is_found) {
  core().live.take(block(live_).address, core().blocks);
  expect_broken("a live block is found by its address");
  expect_broken("the address map holds exactly the live blocks");
}

TEST_F(Consistency, a_free_block_in_the_address_map_is_found) {
  core().live.insert(block(free_).address, free_);
  expect_broken("the address map holds exactly the live blocks");
}

TEST_F(Consistency, wrong_reserved_bytes_are_found) {
  core().reserved += 512_B;
  expect_broken("reserved bytes are those of all mapped blocks");
}

TEST_F(Consistency, wrong_statistics_are_found) {
  Statistics& statistics = engine_.listeners();
  statistics.handed_out({{4096}, 512_B, 500_B, lane_of(live_)}, Oversize::no);
  for (const char* name :
       {"allocation", "allocated_bytes", "active", "active_bytes", "requested_bytes"})
    expect_broken(std::string("the statistic ") + name + " agrees with the blocks");
}

TEST_F(Consistency, wrong_segment_statistics_are_found) {
  Statistics& statistics = engine_.listeners();
  statistics.segment_got({{4096}, 20_MiB, lane_of(live_)}, Oversize::no);
  statistics.inactive_split_changed(PoolKind::large, 1, 512);
  for (const char* name : {"segment", "reserved_bytes", "inactive_split", "inactive_split_bytes"})
    expect_broken(std::string("the statistic ") + name + " agrees with the blocks");
}

TEST_F(Consistency, a_wrong_number_of_awaited_events_is_found) {
  ++uses_of(waiting_).outstanding_events;
  expect_broken("a waiting block knows how many events it waits for");
}

TEST_F(Consistency, an_event_for_a_block_that_does_not_wait_is_found) {
  block(waiting_).set_use(BlockUse::live);
  expect_broken("an awaited event belongs to a waiting block");
}

TEST_F(Consistency, a_waiting_block_without_uses_is_found) {
  block(waiting_).set_stream_uses(false);
  expect_broken("a waiting block has something to wait for");
}

TEST_F(Consistency, a_waiting_block_that_nothing_will_free_is_found) {
  block(live_).set_use(BlockUse::waiting);
  block(live_).set_stream_uses(true);
  core().blocks.notes(live_).uses = core().uses.create();
  expect_broken("a waiting block waits for an event or is deferred");
}

TEST_F(Consistency, a_deferred_free_of_a_live_block_is_found) {
  deferred().push_back(live_);
  expect_broken("a deferred free belongs to a waiting block");
  deferred().clear();
}

TEST_F(Consistency, a_free_deferred_twice_is_found) {
  deferred().assign(2, waiting_);
  expect_broken("a free is deferred once");
  deferred().clear();
}

TEST_F(Consistency, a_free_block_with_uses_elsewhere_is_found) {
  block(free_).set_stream_uses(true);
  expect_broken("a free block has no other-stream uses");
}

TEST_F(Consistency, a_block_younger_than_its_pool_is_found) {
  core().blocks.notes(free_).lookup_stamp = 7;
  expect_broken("no block is younger than its pool");
}

TEST_F(Consistency, an_unmapped_block_of_a_classic_segment_is_found) {
  core().leave_free_set(free_);
  core().enter_unmapped_set(free_);
  expect_broken("only blocks of expandable segments are unmapped");
}

TEST_F(Consistency, an_unused_block_in_a_segment_is_found) {
  block(live_).set_use(BlockUse::unused);
  expect_broken("a block of a segment is in use for something");
}

TEST_F(Consistency, a_lane_of_another_pool_is_found) {
  lane_of(live_).pool = &core().small;
  expect_broken("a lane knows its pool");
}

}  // namespace
}  // namespace vramlab::allocator
