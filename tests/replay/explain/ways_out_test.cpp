// WaysOut: the smallest GPU is the first of the list on which all requests pass.
#include "replay/explain/ways_out.h"

#include <gtest/gtest.h>

#include "tests/support/kit/program_file.h"
#include "tests/support/kit/text_program.h"
#include "tests/support/recordings/replayed.h"

namespace vramlab::replay {
namespace {

using support::malloc_line;
using support::mebibyte;

std::optional<SmallestGpu> smallest_for(std::uint64_t mebibytes, const GpuQuestion& question,
                                        const ReplayEffort& effort = {}) {
  const support::ProgramFile file("ways_out_test", malloc_line(1, mebibytes * mebibyte));
  const tests::Replayed replayed(file.path());
  return smallest_gpu(replayed.replayer(), question, effort);
}

TEST(SmallestGpus, have_as_little_memory_as_the_list_offers) {
  const auto found = smallest_for(10 * 1024, {});
  ASSERT_TRUE(found);
  ASSERT_NE(found->gpu, nullptr);
  EXPECT_GE(found->gpu->available(), Bytes{10 * 1024 * mebibyte});
  for (const streams::GpuModel& gpu : streams::gpu_models())
    EXPECT_FALSE(gpu.available() >= Bytes{10 * 1024 * mebibyte} && gpu.total < found->gpu->total)
        << gpu.name;
}

TEST(SmallestGpus, leave_room_for_memory_that_others_hold) {
  GpuQuestion question;
  question.conditions.held_by_others = Bytes{20 * 1024 * mebibyte};
  const auto found = smallest_for(10 * 1024, question);
  ASSERT_TRUE(found && found->gpu != nullptr);
  EXPECT_GE(found->gpu->available(), Bytes{30 * 1024 * mebibyte});
}

TEST(SmallestGpus, are_none_where_no_gpu_is_large_enough) {
  const auto found = smallest_for(900 * 1024, {});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->gpu, nullptr);
}

TEST(SmallestGpus, are_not_sought_in_too_long_a_history) {
  EXPECT_FALSE(smallest_for(1, {}, {.most_events = 0}));
}

}  // namespace
}  // namespace vramlab::replay
