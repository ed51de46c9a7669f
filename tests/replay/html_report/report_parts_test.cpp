// Smaller parts of an HTML report: the listed events, stacks as a tree, call sites, packed numbers.
#include <gtest/gtest.h>

#include <algorithm>

#include "replay/html_report/packed_parts.h"
#include "replay/html_report/report_timeline.h"

namespace vramlab::replay {
namespace {

using allocator::Action;
using allocator::Bytes;

DeviceHistory history_of(const std::vector<std::pair<Action, std::uint64_t>>& events) {
  DeviceHistory history;
  for (const auto& [action, size] : events)
    history.events.push_back({action, {}, Bytes{size}, {}, {}, 0});
  return history;
}

TEST(ListedEvents, are_all_of_a_short_history) {
  const DeviceHistory history = history_of({{Action::alloc, 5}, {Action::free_completed, 5}});
  EXPECT_EQ(choose_events(history, 2), (std::vector<std::size_t>{0, 1}));
}

TEST(ListedEvents, of_a_long_history_are_device_calls_failures_and_the_largest) {
  const DeviceHistory history = history_of({{Action::alloc, 100},
                                            {Action::segment_alloc, 1},
                                            {Action::alloc, 7},
                                            {Action::alloc, 900},
                                            {Action::oom, 2},
                                            {Action::free_completed, 900},
                                            {Action::alloc, 100}});
  EXPECT_EQ(choose_events(history, 4), (std::vector<std::size_t>{1, 3, 4, 5}));
  EXPECT_EQ(choose_events(history, 5), (std::vector<std::size_t>{0, 1, 3, 4, 5}));
}

TEST(ListedEvents, are_as_many_as_asked_for_where_all_weigh_the_same) {
  const DeviceHistory history = history_of(std::vector(50, std::pair{Action::segment_map, 1UL}));
  EXPECT_EQ(choose_events(history, 3), (std::vector<std::size_t>{0, 1, 2}));
}

class StacksOfPage : public ::testing::Test {
 protected:
  traces::StackId stack(const std::vector<std::string>& files) {
    std::vector<traces::FrameId> frames;
    for (const std::string& file : files) {
      traces::FrameValue frame;
      frame.name = tables.texts.intern("in_" + file);
      frame.filename = tables.texts.intern(file);
      frame.line = 3;
      frames.push_back(tables.frames.intern(frame));
    }
    return tables.stacks.intern(frames);
  }

  traces::SnapshotTables tables;
};

TEST_F(StacksOfPage, share_the_frames_that_they_have_in_common) {
  const traces::StackId one = stack({"leaf.py", "middle.py", "main.py"});
  const traces::StackId other = stack({"other.py", "middle.py", "main.py"});
  PageTexts texts(tables);
  const std::uint32_t node = texts.node_of(one);
  const std::uint32_t sibling = texts.node_of(other);
  EXPECT_EQ(texts.nodes().size(), 5U);
  EXPECT_EQ(texts.nodes()[node].parent, texts.nodes()[sibling].parent);
  EXPECT_EQ(texts.node_of(one), node);
  std::uint32_t root = node;
  while (texts.nodes()[root].parent != 0) root = texts.nodes()[root].parent;
  const PageTexts::Frame& outermost = texts.frames()[texts.nodes()[root].frame];
  EXPECT_EQ(tables.texts.text(texts.texts()[outermost.file]), "main.py");
}

TEST_F(StacksOfPage, name_their_call_sites) {
  const traces::StackId stack_of_user =
      stack({"/lib/python3/site-packages/torch/nn.py", "/home/me/train.py", "/home/me/main.py"});
  PageTexts texts(tables);
  const std::uint32_t node = texts.node_of(stack_of_user);
  EXPECT_EQ(texts.sites()[texts.nodes()[node].site], "me/train.py:3 in_/home/me/train.py");
  EXPECT_EQ(texts.node_of({}), 0U);
  EXPECT_EQ(texts.sites()[texts.site_of({})], "");
}

TEST(SitesOfPage, are_ranked_by_what_they_ever_held) {
  GroupBytes sites;
  sites.add(2, Bytes{100});
  sites.take(2, Bytes{100});
  sites.add(0, Bytes{40});
  sites.add(5, Bytes{40});
  sites.add(5, Bytes{20});
  EXPECT_EQ(sites.largest(10), (std::vector<std::uint32_t>{2, 5, 0}));
  EXPECT_EQ(sites.largest(1), std::vector<std::uint32_t>{2});
  EXPECT_EQ(sites.now(2), Bytes{0});
  EXPECT_EQ(sites.now(5), Bytes{60});
  EXPECT_EQ(sites.now(77), Bytes{0});
}

TEST(BytesOfPage, are_few_for_small_numbers) {
  PageBytes bytes;
  bytes.add(127);
  bytes.add(128);
  bytes.add_signed(-1);
  bytes.add_step(10, 8);
  EXPECT_EQ(bytes.bytes(), std::string("\x7f\x80\x01\x01\x03", 5));
}

}  // namespace
}  // namespace vramlab::replay
