// Every policy by the rules that all of them keep, and by its own idea.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "replay/packing/find_lifetimes.h"
#include "replay/packing/lifetimes.h"
#include "replay/packing/policy_run.h"
#include "replay/replayer/replay_report.h"
#include "replay/replayer/replayer.h"
#include "streams/device/simulated_device.h"
#include "tests/support/kit/program_file.h"
#include "tests/support/kit/text_program.h"
#include "tests/support/processes/places.h"
#include "tests/support/recordings/random_lifetimes.h"
#include "tests/support/recordings/replayed.h"

namespace vramlab::tests {
namespace {

using allocator::Bytes;
using replay::DeviceLifetimes;
using replay::PolicyRow;
using replay::PolicyRun;
using replay::PolicyTask;
using support::Lifetimes;
using support::random_lifetimes;
using support::repeated_lifetimes;
using namespace allocator::literals;

const std::string samples = support::source_dir() + "/traces/samples/";

replay::PolicyConditions conditions() { return {allocator::default_reference_version(), {}}; }

const PolicyRow* find_policy(std::string_view name) {
  const auto policies = replay::all_policies();
  return std::to_address(std::ranges::find(policies, name, &PolicyRow::name));
}

PolicyRun run_of(const char* policy, const Lifetimes& made, Bytes memory = 1_GiB * 64) {
  return run_policy(*find_policy(policy), {made.device, made.iteration_ends, memory}, conditions());
}

std::uint64_t value_of(const PolicyRun& run, std::string_view name) {
  return static_cast<std::uint64_t>(find_value(run.metrics, name)->value);
}

replay::FoundLifetimes lifetimes_of_sample(const std::string& name) {
  replay::Recording recording(traces::open_trace(samples + name));
  return replay::find_lifetimes(recording);
}

/// run_policy() has a checker beside it, which stops the program where a rule is broken.
TEST(Policies, keep_the_rules_in_random_programs_and_need_at_least_what_is_live) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Lifetimes made = random_lifetimes(seed, 400);
    const Bytes live = lower_bounds_of(made.device).peak_requested;
    for (const PolicyRow& row : replay::all_policies()) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", " + std::string(row.name));
      const PolicyRun run = run_of(row.name.data(), made);
      EXPECT_EQ(value_of(run, "out_of_memory"), 0U);
      EXPECT_EQ(value_of(run, "requests"), made.device.blocks.size());
      EXPECT_EQ(value_of(run, "peak_requested"), live.count);
      EXPECT_GE(value_of(run, "peak_reserved"), live.count);
    }
  }
}

TEST(Policies, keep_the_rules_where_memory_is_short) {
  std::uint64_t failures = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Lifetimes made = random_lifetimes(seed, 400);
    const Bytes memory = round_up(lower_bounds_of(made.device).peak_requested, 2_MiB);
    for (const PolicyRow& row : replay::all_policies()) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", " + std::string(row.name));
      const PolicyRun run = run_of(row.name.data(), made, memory);
      EXPECT_LE(value_of(run, "peak_reserved"), memory.count);
      failures += value_of(run, "out_of_memory");
    }
  }
  EXPECT_GT(failures, 0U);
}

TEST(Policies, say_which_of_them_are_in_pytorch) {
  for (const PolicyRow& row : replay::all_policies())
    EXPECT_EQ(row.is_in_pytorch, row.name.starts_with("caching")) << row.name;
}

TEST(Policies, that_are_the_caching_allocator_reserve_what_a_replay_reserves) {
  for (const char* name :
       {"training.vtrace", "experts.vtrace", "fragments.vtrace", "diffusion.vtrace",
        "recompute.vtrace", "leak.vtrace", "graphs.vtrace.jsonl", "serving.vtrace.jsonl"}) {
    const replay::FoundLifetimes found = lifetimes_of_sample(name);
    ASSERT_EQ(found.devices.size(), 1U);
    for (const bool is_expandable : {false, true}) {
      SCOPED_TRACE(std::string(name) + (is_expandable ? " expandable" : ""));
      const PolicyRow& row = *find_policy(is_expandable ? "caching_expandable" : "caching");
      const PolicyRun run = run_policy(row, {found.devices[0], {}, replay::boundless_memory},
                                       {*found.version, found.settings});
      replay::ReplayConditions wanted;
      wanted.memory = replay::boundless_memory;
      if (is_expandable) wanted.options = "expandable_segments:True";
      const replay::MetricValues replayed =
          replay::run_metrics(tests::Replayed(samples + name).run(wanted).devices.at(0));
      for (const char* metric :
           {"peak_reserved", "end_reserved", "device_allocs", "device_frees", "units_mapped"})
        EXPECT_EQ(find_value(run.metrics, metric)->value, find_value(replayed, metric)->value)
            << metric;
    }
  }
}

TEST(Policies, hear_of_emptied_caches_pools_that_are_given_up_and_options) {
  const support::ProgramFile file(
      "policy_notices",
      support::malloc_line(1, 30 << 20) + support::free_line(1) + "{\"empty_cache\":[0,0]}\n" +
          "{\"pool_begin\":[1,0],\"scope\":\"every_stream\"}\n" +
          support::malloc_line(2, 40 << 20) + "{\"pool_end\":[1,0]}\n" + support::free_line(2) +
          "{\"empty_cache\":[0,0]}\n" + "{\"pool_release\":[1,0]}\n{\"empty_cache\":[0,0]}\n" +
          "{\"options\":\"expandable_segments:True\"}\n" + support::malloc_line(3, 50 << 20));
  replay::Recording recording(traces::open_trace(file.path()));
  const replay::FoundLifetimes found = replay::find_lifetimes(recording);
  const replay::PolicyTask task{found.devices.at(0), {}, replay::boundless_memory};
  const PolicyRun caching = run_policy(*find_policy("caching"), task, conditions());
  EXPECT_EQ(value_of(caching, "device_frees"), 2U);
  EXPECT_EQ(value_of(caching, "units_mapped"), 3U);
  EXPECT_EQ(value_of(caching, "peak_reserved"), (60_MiB).count);
  const replay::PolicyTask kept{found.devices.at(0), {}, replay::boundless_memory, false};
  EXPECT_EQ(value_of(run_policy(*find_policy("caching"), kept, conditions()), "units_mapped"), 0U);
  const PolicyRun first_fit = run_policy(*find_policy("first_fit"), task, conditions());
  EXPECT_GE(value_of(first_fit, "device_frees"), 1U);
}

TEST(StitchingPolicy, serves_a_large_block_from_free_units_anywhere) {
  Lifetimes made;
  // Every second of eight blocks is freed, then a request needs as much as all of them.
  for (std::uint64_t i = 0; i < 8; ++i) made.add(1 + i, i % 2 == 0 ? 10 + i : 100, 4_MiB);
  made.add(20, 100, 16_MiB);
  EXPECT_EQ(value_of(run_of("stitching", made), "peak_reserved"), (32_MiB).count);
  EXPECT_EQ(run_of("stitching", made).report.units_remapped, 8U);
  EXPECT_GT(value_of(run_of("caching", made), "peak_reserved"), (32_MiB).count);
  EXPECT_GT(value_of(run_of("first_fit", made), "peak_reserved"), (32_MiB).count);
}

TEST(StitchingPolicy, takes_units_of_another_stream_only_when_it_must_and_waits_for_it) {
  Lifetimes made;
  made.add(1, 2, 16_MiB, {1});
  made.add(3, 10, 16_MiB, {2});
  EXPECT_EQ(value_of(run_of("stitching", made), "peak_reserved"), (32_MiB).count);
  const PolicyRun short_run = run_of("stitching", made, 20_MiB);
  EXPECT_EQ(value_of(short_run, "out_of_memory"), 0U);
  EXPECT_EQ(short_run.report.stream_waits, 1U);
}

TEST(FirstFitPolicy, takes_the_lowest_range_and_gives_free_segments_back_when_it_must) {
  Lifetimes made;
  made.add(1, 2, 30_MiB);
  made.add(3, 10, 40_MiB);
  EXPECT_EQ(value_of(run_of("first_fit", made), "peak_reserved"), (70_MiB).count);
  const PolicyRun short_run = run_of("first_fit", made, 40_MiB);
  EXPECT_EQ(value_of(short_run, "out_of_memory"), 0U);
  EXPECT_EQ(value_of(short_run, "device_frees"), 1U);
}

TEST(TlsfPolicy, serves_the_same_request_from_the_block_that_it_had) {
  Lifetimes made;
  for (std::uint64_t i = 0; i < 20; ++i) made.add(1 + 2 * i, 2 + 2 * i, 33_MiB + 4_KiB);
  EXPECT_EQ(value_of(run_of("tlsf", made), "device_allocs"), 1U);
}

TEST(PlannedPolicy, places_a_repeated_iteration_as_planned) {
  const Lifetimes made = repeated_lifetimes(5, 40, 6);
  const PolicyRun run = run_of("planned", made);
  ASSERT_EQ(run.report.notes.size(), 1U);
  EXPECT_THAT(run.report.notes[0], testing::HasSubstr("planned: 40 blocks"));
  EXPECT_THAT(run.report.notes[0],
              testing::HasSubstr("after that 160 of 160 requests got their planned place"));
}

TEST(PlannedPolicy, is_first_fit_without_iterations) {
  Lifetimes made = repeated_lifetimes(5, 40, 6);
  made.iteration_ends.clear();
  const PolicyRun run = run_of("planned", made);
  EXPECT_THAT(run.report.notes.at(0), testing::HasSubstr("fewer than two iterations"));
  EXPECT_EQ(value_of(run, "peak_reserved"), value_of(run_of("first_fit", made), "peak_reserved"));
}

TEST(PolicyChecker, finds_broken_rules) {
  using replay::PolicyChecker;
  const auto range = [](std::uint64_t begin, std::uint64_t end) {
    return std::vector<streams::AddressRange>{{{begin}, {end}}};
  };
  PolicyChecker checker;
  EXPECT_EQ(checker.served({1, 100_B, {}, {}}, range(1000, 1100), 1_KiB), std::nullopt);
  EXPECT_THAT(*checker.served({2, 100_B, {}, {}}, range(1050, 1150), 1_KiB),
              testing::HasSubstr("block 2 shares memory with block 1"));
  EXPECT_THAT(*PolicyChecker().served({2, 100_B, {}, {}}, range(0, 99), 1_KiB),
              testing::HasSubstr("fewer than the 100 asked for"));
  EXPECT_THAT(*PolicyChecker().served({2, 100_B, {}, {}}, range(0, 100), 99_B),
              testing::HasSubstr("more memory than the device gave"));
  EXPECT_THAT(*checker.served({1, 100_B, {}, {}}, range(5000, 5100), 1_KiB),
              testing::HasSubstr("live already"));
  EXPECT_EQ(checker.freed(1), std::nullopt);
  EXPECT_THAT(*checker.freed(1), testing::HasSubstr("not live"));
  EXPECT_EQ(checker.served({3, 100_B, {}, {}}, range(1000, 1100), 1_KiB), std::nullopt);
}

}  // namespace
}  // namespace vramlab::tests
