// Blocks grouped by site, stack, size, stream, pool and age, and the tree of their stacks.
#include "replay/call_sites/call_sites.h"

#include <gtest/gtest.h>

#include "tests/support/kit/random_numbers.h"

namespace vramlab::tests {
namespace {

using namespace allocator::literals;
using replay::GroupBy;
using replay::GroupTotals;
using replay::HeldGroup;
using replay::LiveBlock;

class CallSites : public testing::Test {
 protected:
  traces::FrameId frame(const std::string& name, const std::string& file, std::int64_t line) {
    traces::FrameValue value;
    value.name = tables.texts.intern(name);
    value.filename = tables.texts.intern(file);
    value.line = line;
    return tables.frames.intern(value);
  }
  /// The frames, innermost first.
  traces::StackId stack(const std::vector<traces::FrameId>& frames) {
    return tables.stacks.intern(frames);
  }
  static LiveBlock block(allocator::Bytes bytes, traces::StackId stack = {}) {
    LiveBlock held;
    held.requested = bytes;
    held.bytes = bytes;
    held.stack = stack;
    held.event = 0;
    return held;
  }
  /// Such as `a.py:1 f 1024 2`: key, bytes, blocks.
  std::vector<std::string> lines(const std::vector<LiveBlock>& blocks, GroupBy by,
                                 const replay::AgeReference& moment = {}) const {
    std::vector<std::string> lines;
    for (const HeldGroup& group : group_blocks(blocks, by, tables, {moment}))
      lines.push_back(group.key + " " + std::to_string(group.totals.bytes.count) + " " +
                      std::to_string(group.totals.blocks));
    return lines;
  }
  using Lines = std::vector<std::string>;

  traces::SnapshotTables tables;
};

TEST_F(CallSites, are_those_of_the_innermost_frame_of_the_user) {
  const auto library = frame("empty", "/x/site-packages/torch/t.py", 1);
  const auto step = frame("step", "/home/me/train.py", 12);
  const auto main = frame("main", "/home/me/train.py", 3);
  const std::vector<LiveBlock> blocks = {block(512_B, stack({library, step, main})),
                                         block(1_KiB, stack({step, main})),
                                         block(4_KiB, stack({library, main})), block(8_KiB)};
  EXPECT_EQ(lines(blocks, GroupBy::site),
            (Lines{"(no stack was recorded) 8192 1", "me/train.py:3 main 4096 1",
                   "me/train.py:12 step 1536 2"}));
  EXPECT_EQ(group_blocks(blocks, GroupBy::site, tables).back().sample_stack, stack({step, main}));
}

TEST_F(CallSites, tell_what_is_older_than_the_recording_from_what_has_no_stack) {
  LiveBlock older = block(1_KiB);
  older.event.reset();
  EXPECT_EQ(
      lines({older, block(512_B)}, GroupBy::site),
      (Lines{"(no stack: older than the recording) 1024 1", "(no stack was recorded) 512 1"}));
}

TEST_F(CallSites, with_the_most_bytes_stand_first_and_equal_ones_by_name) {
  const auto a = stack({frame("a", "/p/a.py", 1)});
  const auto b = stack({frame("b", "/p/b.py", 1)});
  const auto c = stack({frame("c", "/p/c.py", 1)});
  EXPECT_EQ(lines({block(512_B, c), block(512_B, a), block(1_KiB, b)}, GroupBy::site),
            (Lines{"p/b.py:1 b 1024 1", "p/a.py:1 a 512 1", "p/c.py:1 c 512 1"}));
}

TEST_F(CallSites, are_grouped_by_size_up_to_powers_of_two) {
  EXPECT_EQ(
      lines({block(1_B), block(512_B), block(1_KiB), block(1_MiB), block({(1_MiB).count + 1})},
            GroupBy::size),
      (Lines{"over 1 MiB to 2 MiB 1048577 1", "over 512 KiB to 1 MiB 1048576 1",
             "over 512 B to 1 KiB 1024 1", "up to 512 B 513 2"}));
}

TEST_F(CallSites, are_grouped_by_the_largest_size_that_there_can_be) {
  EXPECT_EQ(lines({block({~std::uint64_t{0}})}, GroupBy::size),
            (Lines{"over 8 EiB to 16 EiB 18446744073709551615 1"}));
}

TEST_F(CallSites, are_grouped_by_stream_and_pool) {
  LiveBlock other = block(1_KiB);
  other.stream = {7};
  other.pool = {0, 2};
  EXPECT_EQ(lines({other, block(512_B)}, GroupBy::stream),
            (Lines{"stream 7 1024 1", "stream 0 512 1"}));
  EXPECT_EQ(lines({other, block(512_B)}, GroupBy::pool),
            (Lines{"pool (0, 2) 1024 1", "default pool 512 1"}));
}

TEST_F(CallSites, are_grouped_by_age_in_time_or_else_in_events) {
  LiveBlock young = block(512_B);
  young.event = 95;
  young.time_ns = 1'000'000;
  LiveBlock old = block(1_KiB);
  old.event = 10;
  old.time_ns = 0;
  LiveBlock older = block(2_KiB);
  older.event.reset();
  EXPECT_EQ(
      lines({young, old, older}, GroupBy::age, {100, 1'005'000}),
      (Lines{"before the history began 2048 1", "1 ms to 10 ms 1024 1", "under 10 us 512 1"}));
  young.time_ns.reset();
  old.time_ns.reset();
  EXPECT_EQ(lines({young, old}, GroupBy::age, {100, std::nullopt}),
            (Lines{"10 to 100 events 1024 1", "under 10 events 512 1"}));
}

TEST_F(CallSites, are_grouped_by_readable_stacks) {
  const auto native = frame("at::empty(long)", "empty.cpp", 0);
  const auto forward = frame("forward", "/p/site-packages/m.py", 4);
  const auto step = frame("step", "/p/train.py", 12);
  EXPECT_EQ(lines({block(512_B, stack({native, forward, native, step})),
                   block(512_B, stack({forward, step}))},
                  GroupBy::stack),
            (Lines{"site-packages/m.py:4 forward < p/train.py:12 step 1024 2"}));
}

/// The totals of any grouping are the totals of the blocks.
TEST_F(CallSites, of_random_blocks_hold_all_blocks_once) {
  RandomNumbers random(5);
  std::vector<traces::StackId> stacks = {{}};
  for (int i = 0; i < 20; ++i) {
    std::vector<traces::FrameId> frames;
    for (std::uint64_t depth = random.below(6); depth > 0; --depth)
      frames.push_back(frame("f" + std::to_string(random.below(4)), "/p/a.py",
                             static_cast<std::int64_t>(random.below(3))));
    stacks.push_back(stack(frames));
  }
  std::vector<LiveBlock> blocks;
  for (int i = 0; i < 500; ++i) {
    LiveBlock held = block({1 + random.below(1 << 22)}, random.pick(stacks));
    held.stream = {random.below(4)};
    held.pool = {random.below(3), 0};
    held.event = random.below(100);
    if (random.below(4) == 0) held.event.reset();
    blocks.push_back(held);
  }
  for (const GroupBy by : {GroupBy::site, GroupBy::stack, GroupBy::size, GroupBy::stream,
                           GroupBy::pool, GroupBy::age}) {
    GroupTotals sum;
    for (const HeldGroup& group : group_blocks(blocks, by, tables, {{100, std::nullopt}}))
      sum.add(group.totals);
    EXPECT_EQ(sum, replay::totals_of(blocks));
  }
  const auto by_stream = group_blocks(blocks, GroupBy::stream, tables);
  for (const HeldGroup& group : by_stream) {
    GroupTotals plain;
    for (const LiveBlock& held : blocks)
      if ("stream " + std::to_string(held.stream.value) == group.key) plain.add(held);
    EXPECT_EQ(plain, group.totals);
  }
}

using StackTreeOf = CallSites;

TEST_F(StackTreeOf, blocks_begins_with_the_outermost_frame) {
  const auto main = frame("main", "/p/m.py", 1);
  const auto a = frame("a", "/p/m.py", 2);
  const auto b = frame("b", "/p/m.py", 3);
  const auto tree =
      replay::stack_tree_of({block(512_B, stack({a, main})), block(1_KiB, stack({b, main})),
                             block(2_KiB, stack({main})), block(4_KiB)},
                            tables, traces::FrameChoice::readable);
  EXPECT_EQ(replay::folded_stacks(tree, ""),
            "(no stack was recorded) 4096\n"
            "p/m.py:1 main 2048\n"
            "p/m.py:1 main;p/m.py:2 a 512\n"
            "p/m.py:1 main;p/m.py:3 b 1024\n");
  const auto& root = tree.nodes.front();
  EXPECT_EQ(root.totals.bytes, 7_KiB + 512_B);
  ASSERT_EQ(root.children.size(), 2U);
  const auto& first = tree.nodes[root.children[0]];
  EXPECT_EQ(first.frame, "(no stack was recorded)");
  const auto& second = tree.nodes[root.children[1]];
  EXPECT_EQ(second.totals.bytes, 3_KiB + 512_B);
  EXPECT_EQ(second.own.bytes, 2_KiB);
  EXPECT_EQ(tree.nodes[second.children[0]].frame, "p/m.py:3 b");
}

TEST_F(StackTreeOf, blocks_is_folded_without_semicolons_and_line_ends_in_frames) {
  const auto odd = frame("a;b\nc", "/p/m.py", 2);
  const auto twin = frame("a:b c", "/p/m.py", 2);
  const auto tree = replay::stack_tree_of({block(512_B, stack({odd})), block(512_B, stack({twin}))},
                                          tables, traces::FrameChoice::all);
  EXPECT_EQ(replay::folded_stacks(tree, ""), "p/m.py:2 a:b c 1024\n");
  EXPECT_EQ(replay::folded_stacks(tree, "device 1"), "device 1;p/m.py:2 a:b c 1024\n");
}

TEST_F(StackTreeOf, blocks_goes_as_deep_as_stacks_do) {
  std::vector<traces::FrameId> deep;
  for (int i = 0; i < 20'000; ++i) deep.push_back(frame("f", "/p/m.py", i));
  const auto tree =
      replay::stack_tree_of({block(512_B, stack(deep))}, tables, traces::FrameChoice::readable);
  EXPECT_EQ(tree.nodes.size(), deep.size() + 1);
  EXPECT_EQ(tree.nodes.back().own.blocks, 1U);
}

}  // namespace
}  // namespace vramlab::tests
