// Programs that once showed a difference between engine and twin, cut down to what it takes.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/kit/calls.h"
#include "tests/support/twin/side_by_side.h"

namespace vramlab::tests {
namespace {

using namespace allocator::literals;
using Call = traces::ProgramEvent;
using EventKind = traces::ProgramEventKind;

std::string difference_in(std::vector<Call> calls, std::string config = {}) {
  traces::RecordedProgram program;
  program.name = "found";
  program.version = allocator::find_reference_version("2.12");
  program.device_total = 1_GiB;
  program.config = std::move(config);
  program.calls = std::move(calls);
  program.texts = {"name"};
  return first_difference(program, RuleChecks::after_every_call).value_or("");
}

TEST(FoundPrograms, refused_checkpoint_leaves_deferred_frees_alone) {
  EXPECT_EQ(difference_in({begin_pool_call(1), malloc_call(1, 9_MiB), malloc_call(2, 8_MiB),
                           record_stream_call(1, 5), pool_call(EventKind::pool_end, 1),
                           record_stream_call(2, 5), begin_pool_call(1), free_call(2), free_call(1),
                           checkpoint_call(1)}),
            "");
}

// The lent block lies beside one whose free is completed when the lender's short scope ends.
TEST(FoundPrograms, free_completed_by_lending_does_not_merge_with_the_lent_block) {
  EXPECT_EQ(difference_in(
                {create_lending_pool_call(1), begin_pool_call(1), malloc_call(1, 5_MiB, 8),
                 record_stream_call(1, 0), pool_call(EventKind::pool_end, 1), begin_pool_call(2, 0),
                 free_call(1), external_call(1_GiB), malloc_call(2, 2_MiB, 8),
                 malloc_call(3, 2_MiB, 8), free_call(2), free_call(3)},
                "graph_capture_record_stream_reuse:True"),
            "");
}

TEST(FoundPrograms, pool_that_is_captured_to_is_not_forgotten) {
  EXPECT_EQ(difference_in({begin_pool_call(1), pool_call(EventKind::pool_release, 1),
                           call_of(EventKind::empty_cache), malloc_call(1, 1_MiB),
                           pool_call(EventKind::pool_end, 1), free_call(1),
                           call_of(EventKind::empty_cache)}),
            "");
}

TEST(FoundPrograms, emptying_one_pools_cache_forgets_no_other) {
  EXPECT_EQ(
      difference_in({create_lending_pool_call(1), create_lending_pool_call(2),
                     pool_call(EventKind::pool_release, 1), pool_call(EventKind::pool_release, 2),
                     pool_call(EventKind::empty_cache, 1), pool_call(EventKind::empty_cache, 2),
                     pool_call(EventKind::empty_cache, 2), begin_pool_call(1), begin_pool_call(2)}),
      "");
}

TEST(FoundPrograms, forgotten_pool_lends_nothing) {
  EXPECT_EQ(
      difference_in({create_lending_pool_call(1), pool_call(EventKind::pool_release, 1),
                     call_of(EventKind::empty_cache), external_call(1_GiB), malloc_call(2, 2_MiB)}),
      "");
}

}  // namespace
}  // namespace vramlab::tests
