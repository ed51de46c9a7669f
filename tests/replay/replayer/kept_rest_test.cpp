// The rest of a block that was handed out whole: how much stays with it, and why.
#include "replay/replayer/kept_rest.h"

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

/// The rest that stays with the block of the last event.
std::optional<KeptRest> kept_by_last(const std::string& lines, const std::string& version = "2.6") {
  const std::string path = support::own_folder() + "kept_rest.vtrace.jsonl";
  std::ofstream(path) << "{\"format\":\"vramlab-trace\",\"version\":1,\"reference\":\"" + version +
                             "\"}\n" + lines;
  std::vector<Step> steps;
  tests::Replayed(path, {.passes = Passes::one})
      .run({.history_capacity = unlimited_history}, watch_steps({0, 1000}, steps));
  return steps.back().kept_rest;
}

void expect_kept(const std::optional<KeptRest>& kept, std::uint64_t bytes, KeepReason reason) {
  ASSERT_TRUE(kept.has_value());
  EXPECT_EQ(kept->size.count, bytes);
  EXPECT_EQ(kept->reason, reason);
}

/// A free block of so many mebibytes, at least ten.
std::string freed(std::uint64_t id, std::uint64_t mebibytes) {
  return malloc_line(id, mebibytes * mebibyte) + free_line(id);
}

TEST(KeptRest, is_at_most_1_mib_of_a_large_block) {
  expect_kept(kept_by_last(freed(1, 12) + malloc_line(2, 11 * mebibyte)), mebibyte,
              KeepReason::at_most_1_mib);
  expect_kept(kept_by_last(malloc_line(1, 11 * mebibyte)), mebibyte, KeepReason::at_most_1_mib);
}

TEST(KeptRest, is_none_where_it_is_split_off_or_nothing_is_left) {
  EXPECT_FALSE(kept_by_last(freed(1, 12) + malloc_line(2, 11 * mebibyte - 512)));
  EXPECT_FALSE(kept_by_last(freed(1, 12) + malloc_line(2, 12 * mebibyte)));
  EXPECT_FALSE(kept_by_last(malloc_line(1, 512)));
  EXPECT_FALSE(kept_by_last(freed(1, 12)));
}

TEST(KeptRest, is_any_of_a_request_that_is_not_below_the_split_limit) {
  const std::string options = "{\"options\":\"max_split_size_mb:32\"}\n";
  expect_kept(kept_by_last(options + freed(1, 44) + malloc_line(2, 40 * mebibyte)), 4 * mebibyte,
              KeepReason::above_split_limit);
}

TEST(KeptRest, is_any_in_a_pool_that_never_splits) {
  const std::string pool = "{\"pool_create\":[0,3],\"no_split\":true}\n{\"pool_begin\":[0,3]}\n";
  expect_kept(kept_by_last(pool + freed(1, 44) + malloc_line(2, 40 * mebibyte), "2.12"),
              4 * mebibyte, KeepReason::pool_never_splits);
}

}  // namespace
}  // namespace vramlab::replay
