// Free blocks that a request did not get: why each was passed over.
#include "replay/replayer/passed_over.h"

#include <gtest/gtest.h>

#include <fstream>

#include "replay/replayer/replayer.h"
#include "replay/replayer/step.h"
#include "tests/support/kit/own_folder.h"
#include "tests/support/kit/text_program.h"
#include "tests/support/recordings/replayed.h"

namespace vramlab::replay {
namespace {

using support::free_line;
using support::malloc_line;
using support::mebibyte;

using Blocks = std::vector<std::pair<std::uint64_t, PassReason>>;

/// The blocks that the last event of the program passes over: mebibytes and reasons.
Blocks passed_by_last(const std::string& lines, const std::string& options = "",
                      std::uint64_t first = 0) {
  const std::string path = support::own_folder() + "passed_over.vtrace.jsonl";
  std::ofstream(path) << "{\"format\":\"vramlab-trace\",\"version\":1}\n" +
                             (options.empty() ? "" : "{\"options\":\"" + options + "\"}\n") + lines;
  std::vector<Step> steps;
  tests::Replayed(path, {.passes = Passes::one})
      .run({.history_capacity = unlimited_history}, watch_steps({first, 1000}, steps));
  Blocks blocks;
  for (const PassedOver& block : steps.back().passed_over)
    blocks.emplace_back(block.size.count / mebibyte, block.reason);
  return blocks;
}

std::string on_stream(std::uint64_t id, std::uint64_t bytes, int stream) {
  return "{\"malloc\":" + std::to_string(id) + ",\"bytes\":" + std::to_string(bytes) +
         ",\"stream\":" + std::to_string(stream) + "}\n";
}

/// A free block of so many mebibytes, at least ten.
std::string cached(std::uint64_t id, std::uint64_t mebibytes) {
  return malloc_line(id, mebibytes * mebibyte) + free_line(id);
}

TEST(PassedOver, has_nothing_where_nothing_is_free) {
  EXPECT_EQ(passed_by_last(malloc_line(1, 4 * mebibyte)), Blocks{});
}

TEST(PassedOver, blocks_of_another_stream_or_kind_do_not_serve) {
  EXPECT_EQ(passed_by_last(cached(1, 12) + on_stream(2, 12 * mebibyte, 5)),
            (Blocks{{12, PassReason::other_stream}}));
  EXPECT_EQ(passed_by_last(cached(1, 12) + malloc_line(2, 4096)),
            (Blocks{{12, PassReason::other_kind}}));
}

TEST(PassedOver, blocks_of_another_pool_do_not_serve) {
  EXPECT_EQ(
      passed_by_last(cached(1, 12) + "{\"pool_begin\":[0,3]}\n" + malloc_line(2, 12 * mebibyte)),
      (Blocks{{12, PassReason::other_pool}}));
}

TEST(PassedOver, split_limit_keeps_large_blocks_and_small_requests_apart) {
  const std::string limit = "max_split_size_mb:32";
  EXPECT_EQ(passed_by_last(cached(1, 64) + malloc_line(2, 10 * mebibyte), limit),
            (Blocks{{64, PassReason::above_split_limit}}));
  EXPECT_EQ(passed_by_last(cached(1, 64) + malloc_line(2, 40 * mebibyte), limit),
            (Blocks{{64, PassReason::wastes_too_much}}));
}

TEST(PassedOver, blocks_of_expandable_segments_wait_for_the_option) {
  EXPECT_EQ(passed_by_last(cached(1, 12) + "{\"options\":\"expandable_segments:False\"}\n" +
                               malloc_line(2, 12 * mebibyte),
                           "expandable_segments:True"),
            (Blocks{{20, PassReason::expandable_off}}));
}

/// Blocks of 12, 14, 14 and 16 MiB lie free, each in a segment of its own.
const std::string four_free = malloc_line(1, 12 * mebibyte) + malloc_line(2, 14 * mebibyte) +
                              malloc_line(3, 14 * mebibyte) + malloc_line(4, 16 * mebibyte) +
                              free_line(1) + free_line(2) + free_line(3) + free_line(4);

TEST(PassedOver, best_fit_leaves_larger_ones_and_those_behind_it) {
  const Blocks left = {{14, PassReason::behind_taken}, {16, PassReason::larger_than_taken}};
  EXPECT_EQ(passed_by_last(four_free + malloc_line(5, 13 * mebibyte)), left);
  // The state before the first step that is shown is known, too.
  EXPECT_EQ(passed_by_last(four_free + malloc_line(5, 13 * mebibyte), "", 8), left);
}

TEST(PassedOver, nothing_is_said_where_the_state_changed_before_the_search) {
  // The use on stream 7 is over: the block of 12 MiB becomes free in the request itself.
  EXPECT_EQ(passed_by_last(cached(9, 16) + malloc_line(1, 12 * mebibyte) +
                           "{\"work\":7,\"duration_ns\":1}\n{\"use\":1,\"stream\":7}\n" +
                           free_line(1) + "{\"stream_done\":7}\n" + malloc_line(2, 12 * mebibyte)),
            Blocks{});
}

}  // namespace
}  // namespace vramlab::replay
