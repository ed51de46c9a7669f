// Steps: the entries, rules and state of each event of a program.
#include "replay/replayer/step.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string_view>
#include <utility>

#include "replay/replayer/replayer.h"
#include "tests/support/kit/own_folder.h"
#include "tests/support/kit/text_program.h"
#include "tests/support/recordings/replayed.h"

namespace vramlab::replay {
namespace {

using support::free_line;
using support::malloc_line;
using support::mebibyte;

constexpr StepRange all{0, 1000};

std::vector<Step> steps_of(const std::string& lines, StepRange range = all,
                           ReplayConditions conditions = {}) {
  const std::string path = support::own_folder() + "program.vtrace.jsonl";
  std::ofstream(path) << "{\"format\":\"vramlab-trace\",\"version\":1}\n" + lines;
  conditions.history_capacity = unlimited_history;
  std::vector<Step> steps;
  tests::Replayed(path, {.passes = Passes::one}).run(conditions, watch_steps(range, steps));
  return steps;
}

std::string actions_of(const Step& step) {
  std::string names;
  for (const AllocatorEvent& entry : step.entries)
    names += (names.empty() ? "" : " ") + std::string(action_name(entry.action));
  return names;
}

TEST(Steps, have_the_entries_and_the_state_of_their_own_event) {
  const auto steps =
      steps_of(malloc_line(1, 4 * mebibyte) + malloc_line(2, 4 * mebibyte) + free_line(1));
  ASSERT_EQ(steps.size(), 3U);
  EXPECT_EQ(actions_of(steps[0]), "segment_alloc alloc");
  EXPECT_EQ(actions_of(steps[1]), "alloc");
  EXPECT_EQ(actions_of(steps[2]), "free_requested free_completed");
  EXPECT_EQ(steps[1].allocated, Bytes{8 * mebibyte});
  EXPECT_EQ(steps[1].reserved, Bytes{20 * mebibyte});
  EXPECT_EQ(steps[2].allocated, Bytes{4 * mebibyte});
  EXPECT_EQ(steps[2].state.segments.at(0).blocks.size(), 3U);
}

TEST(Steps, tell_the_counters_that_changed) {
  const auto steps = steps_of(
      malloc_line(1, 4 * mebibyte) + "{\"work\":0,\"duration_ns\":1}\n" + free_line(1), {2, 1});
  ASSERT_EQ(steps.size(), 1U);
  std::map<std::string_view, std::pair<std::int64_t, std::int64_t>> changed;
  for (const CounterChange& change : steps[0].counters)
    changed[change.name] = {change.before, change.after};
  const std::pair<std::int64_t, std::int64_t> bytes = {4 * mebibyte, 0};
  const std::pair<std::int64_t, std::int64_t> block = {1, 0};
  EXPECT_EQ(changed, (decltype(changed){{"active.all.current", block},
                                        {"active_bytes.all.current", bytes},
                                        {"allocated_bytes.all.current", bytes},
                                        {"allocation.all.current", block},
                                        {"inactive_split.all.current", block},
                                        {"inactive_split_bytes.all.current", {16 * mebibyte, 0}},
                                        {"requested_bytes.all.current", bytes}}));
  EXPECT_TRUE(
      steps_of(malloc_line(1, 512) + "{\"work\":0,\"duration_ns\":1}\n").at(1).counters.empty());
}

TEST(Steps, have_the_rules_of_their_own_event) {
  const auto steps = steps_of(malloc_line(1, 4 * mebibyte) + free_line(1));
  EXPECT_EQ(steps.at(0).rules.front(), allocator::rules::small_up_to_1_mib);
  EXPECT_EQ(steps.at(1).rules, (std::vector{allocator::rules::free_completes_at_once,
                                            allocator::rules::free_neighbours_merge}));
}

TEST(Steps, begin_where_they_are_asked_for_as_if_nothing_had_been_told_before) {
  const std::string lines = malloc_line(1, 4 * mebibyte) + malloc_line(2, 4 * mebibyte) +
                            free_line(1) + malloc_line(3, 2 * mebibyte);
  const auto whole = steps_of(lines);
  const auto part = steps_of(lines, {2, 1});
  ASSERT_EQ(part.size(), 1U);
  EXPECT_EQ(part[0].number, 2U);
  EXPECT_EQ(part[0].rules, whole[2].rules);
  EXPECT_EQ(part[0].entries, whole[2].entries);
  EXPECT_EQ(part[0].state, whole[2].state);
  EXPECT_EQ(part[0].ids, whole[2].ids);
}

TEST(Steps, know_blocks_by_the_names_of_the_program_while_they_wait_too) {
  const auto steps = steps_of(malloc_line(7, mebibyte) + "{\"work\":3,\"duration_ns\":1}\n" +
                              "{\"use\":7,\"stream\":3}\n" + free_line(7) +
                              "{\"stream_done\":3}\n" + malloc_line(8, mebibyte));
  const auto names = [](const Step& step) {
    std::vector<std::uint64_t> ids;
    for (const auto& [address, id] : step.ids) ids.push_back(id);
    return ids;
  };
  EXPECT_EQ(names(steps.at(0)), (std::vector<std::uint64_t>{7}));
  EXPECT_EQ(names(steps.at(3)), (std::vector<std::uint64_t>{7}));
  EXPECT_EQ(names(steps.at(5)), (std::vector<std::uint64_t>{8}));
}

TEST(Steps, know_blocks_of_a_restored_checkpoint_by_their_new_names) {
  const auto steps =
      steps_of("{\"pool_begin\":[1,0]}\n" + malloc_line(1, mebibyte) + malloc_line(2, mebibyte) +
               "{\"pool_end\":[1,0]}\n{\"checkpoint\":\"here\",\"pool\":[1,0]}\n" +
               "{\"restore\":\"here\",\"id\":10}\n");
  const Step& restored = steps.at(5);
  ASSERT_EQ(restored.ids.size(), 2U);
  EXPECT_EQ(restored.ids.begin()->second, 10U);
  EXPECT_EQ(restored.ids.rbegin()->second, 11U);
}

TEST(Steps, say_which_request_failed) {
  ReplayConditions conditions;
  conditions.memory = Bytes{30 * mebibyte};
  conditions.on_out_of_memory = OnOutOfMemory::skip;
  const auto steps =
      steps_of(malloc_line(1, 4 * mebibyte) + malloc_line(2, 40 * mebibyte) + free_line(1), all,
               std::move(conditions));
  ASSERT_EQ(steps.size(), 3U);
  EXPECT_FALSE(steps[0].failure);
  ASSERT_TRUE(steps[1].failure);
  EXPECT_EQ(steps[1].failure->request, Bytes{40 * mebibyte});
  EXPECT_FALSE(steps[2].failure);
}

}  // namespace
}  // namespace vramlab::replay
