// Blocks in use while events go by, and calls that tell of them.
#include "replay/recording/live_blocks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "traces/io/input_error.h"

namespace vramlab::replay {
namespace {

using namespace allocator::literals;
using allocator::Action;
using ::testing::ElementsAre;

/// Writes down what it hears.
class Heard : public LiveBlocks {
 public:
  using LiveBlocks::LiveBlocks;
  std::vector<std::string> lines;

  void tell(MemoryEventKind kind, std::uint64_t key) {
    MemoryEvent event;
    event.kind = kind;
    event.number = next_++;
    event.block.key = key;
    event.block.event = event.number;
    apply(event);
  }

 private:
  void note(const char* what, const LiveBlock& block) {
    lines.push_back(what + std::string(" ") + std::to_string(block.key) +
                    (block.freed ? ", waits" : ""));
  }
  void block_allocated(const LiveBlock& block) override { note("allocated", block); }
  void block_was_there(const LiveBlock& block) override { note("was there", block); }
  void block_freed(const LiveBlock& block) override { note("freed", block); }
  void block_completed(const LiveBlock& block) override { note("completed", block); }
  void block_lost(const LiveBlock& block) override { note("lost", block); }
  void first_free_told() override { lines.emplace_back("first free"); }

  std::uint64_t next_ = 0;
};

constexpr auto allocated = MemoryEventKind::allocated;
constexpr auto freed = MemoryEventKind::freed;
constexpr auto completed = MemoryEventKind::free_completed;

TEST(LiveBlocks, a_block_is_in_use_until_its_free_is_completed) {
  Heard heard;
  heard.tell(allocated, 1);
  heard.tell(freed, 1);
  ASSERT_NE(heard.find(1), nullptr);
  EXPECT_EQ(heard.find(1)->freed->event, 1U);
  heard.tell(completed, 1);
  EXPECT_EQ(heard.find(1), nullptr);
  EXPECT_THAT(heard.lines,
              ElementsAre("allocated 1", "first free", "freed 1, waits", "completed 1, waits"));
}

TEST(LiveBlocks, a_completion_alone_frees_where_no_request_was_told) {
  Heard heard;
  heard.tell(allocated, 1);
  heard.tell(completed, 1);
  EXPECT_THAT(heard.lines, ElementsAre("allocated 1", "freed 1", "completed 1"));
}

TEST(LiveBlocks, what_ends_without_having_begun_was_there_before) {
  Heard heard;
  heard.tell(completed, 1);
  heard.tell(freed, 2);
  EXPECT_EQ(heard.find(2)->event, std::nullopt);
  EXPECT_EQ(heard.find(2)->since(), 0U);
  heard.tell(completed, 3);
  EXPECT_THAT(heard.lines,
              ElementsAre("was there 1", "freed 1", "completed 1", "first free", "was there 2",
                          "freed 2, waits", "was there 3, waits", "completed 3, waits"));
}

TEST(LiveBlocks, a_block_is_lost_where_its_address_is_used_again) {
  Heard heard;
  heard.tell(allocated, 1);
  heard.tell(allocated, 1);
  EXPECT_EQ(heard.find(1)->event, 1U);
  EXPECT_EQ(heard.find(1)->serial, 1U);
  heard.tell(freed, 1);
  heard.tell(freed, 1);
  EXPECT_THAT(heard.lines,
              ElementsAre("allocated 1", "lost 1", "allocated 1", "first free", "freed 1, waits",
                          "lost 1, waits", "was there 1", "freed 1, waits"));
}

TEST(LiveBlocks, ids_end_when_they_are_freed) {
  Heard heard(KeyMeaning::id, "file");
  heard.tell(allocated, 7);
  heard.tell(freed, 7);
  EXPECT_EQ(heard.find(7), nullptr);
  EXPECT_THAT(heard.lines, ElementsAre("allocated 7", "freed 7, waits", "completed 7, waits"));
}

TEST(LiveBlocks, ids_that_cannot_be_are_refused) {
  Heard heard(KeyMeaning::id, "file");
  heard.tell(allocated, 7);
  EXPECT_THROW(heard.tell(allocated, 7), traces::InputError);
  EXPECT_THROW(heard.tell(freed, 8), traces::InputError);
}

TEST(LiveBlocks, ids_of_a_restored_checkpoint_are_not_known) {
  Heard heard(KeyMeaning::id, "file");
  heard.tell(MemoryEventKind::restored, 0);
  heard.tell(freed, 8);
  EXPECT_TRUE(heard.lines.empty());
}

TEST(LiveBlocks, come_oldest_first) {
  Heard heard;
  for (const std::uint64_t key : {5U, 3U, 4U}) heard.tell(allocated, key);
  LiveBlock earlier;
  earlier.key = 9;
  heard.add_earlier(earlier);
  std::vector<std::uint64_t> keys;
  for (const LiveBlock& block : heard.in_order()) keys.push_back(block.key);
  EXPECT_THAT(keys, ElementsAre(9, 5, 3, 4));
}

TEST(LiveBlocks, take_the_events_of_a_history) {
  DeviceHistory history;
  history.events = {{Action::alloc, {0x1000}, 3_KiB, {2}, {1, 0}, 10},
                    {Action::segment_alloc, {0x8000}, 2_MiB, {}, {}, 11}};
  history.stacks = {traces::StackId{4}, traces::StackId{}};
  const MemoryEvent first = memory_event(history, 0);
  EXPECT_EQ(first.kind, allocated);
  EXPECT_EQ(first.time_ns, 10'000U);
  EXPECT_EQ(first.block.requested, 3_KiB);
  EXPECT_EQ(first.block.stack, traces::StackId{4});
  EXPECT_EQ(memory_event(history, 1).kind, MemoryEventKind::other);
  history.traits.lacks_time = true;
  EXPECT_EQ(memory_event(history, 0).time_ns, std::nullopt);
}

}  // namespace
}  // namespace vramlab::replay
