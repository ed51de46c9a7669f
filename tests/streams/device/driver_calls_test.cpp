#include "streams/device/driver_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vramlab::streams {
namespace {

using namespace allocator::literals;

TEST(DurationBins, shares_of_few_durations_are_exact_up_to_a_bin) {
  DurationBins bins;
  for (std::uint64_t i = 1; i <= 100; ++i) bins.add(i * 1000);
  EXPECT_EQ(bins.count(), 100U);
  EXPECT_EQ(bins.max(), 100'000U);
  EXPECT_EQ(bins.sum(), 5'050'000U);
  EXPECT_NEAR(static_cast<double>(bins.at_share(0.5)), 50'000, 50'000 * 0.032);
  EXPECT_NEAR(static_cast<double>(bins.at_share(0.95)), 95'000, 95'000 * 0.032);
  EXPECT_EQ(bins.at_share(1), 100'000U);
}

TEST(DurationBins, short_durations_have_bins_of_their_own) {
  DurationBins bins;
  for (const std::uint64_t ns : {0U, 3U, 31U}) bins.add(ns);
  EXPECT_EQ(bins.at_share(0.3), 0U);
  EXPECT_EQ(bins.at_share(0.5), 3U);
  EXPECT_EQ(bins.at_share(0.9), 31U);
}

TEST(DurationBins, a_bin_ends_at_most_3_parts_in_a_hundred_above_its_durations) {
  for (std::uint64_t ns = 1; ns < (1ULL << 62); ns = ns * 3 / 2 + 1) {
    DurationBins bins;
    bins.add(ns);
    bins.add(ns * 2);
    const std::uint64_t told = bins.at_share(0.5);
    EXPECT_GE(told, ns);
    EXPECT_LE(static_cast<double>(told), static_cast<double>(ns) * 1.032);
  }
}

TEST(DurationBins, nothing_has_no_duration) { EXPECT_EQ(DurationBins().at_share(0.5), 0U); }

TEST(DriverCallTimings, calls_are_told_by_kind_and_size_class) {
  DriverCallTimings timings;
  timings.add({DriverCallKind::mem_free, 2_MiB, 7, true});
  timings.add({DriverCallKind::mem_alloc, 20_MiB, 10, true});
  timings.add({DriverCallKind::mem_alloc, 32_MiB, 30, false});
  timings.add({DriverCallKind::mem_alloc, 33_MiB, 20, true});
  timings.add({DriverCallKind::event_query, 0_B, 5, true});
  const auto rows = timings.rows();
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0].kind, DriverCallKind::mem_alloc);
  EXPECT_EQ(rows[0].up_to, 32_MiB);
  EXPECT_EQ(rows[0].count, 2U);
  EXPECT_EQ(rows[0].failed, 1U);
  EXPECT_EQ(rows[0].max_ns, 30U);
  EXPECT_EQ(rows[1].up_to, 64_MiB);
  EXPECT_EQ(rows[2].kind, DriverCallKind::mem_free);
  EXPECT_EQ(rows[2].up_to, 2_MiB);
  EXPECT_EQ(rows[3].kind, DriverCallKind::event_query);
  EXPECT_EQ(rows[3].up_to, 0_B);
  EXPECT_EQ(timings.succeeded(DriverCallKind::mem_alloc), 2U);
}

TEST(DriverCallNames, each_kind_has_the_drivers_own) {
  for (std::size_t i = 0; i < driver_call_kind_count; ++i)
    EXPECT_THAT(std::string(driver_call_name(static_cast<DriverCallKind>(i))),
                testing::StartsWith("cu"));
}

}  // namespace
}  // namespace vramlab::streams
