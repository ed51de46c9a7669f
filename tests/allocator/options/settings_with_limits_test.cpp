// The grammar that knows the limits of pinned memory, which 2.14 has: numbers are read as C does.
#include <gtest/gtest.h>

#include "allocator/options/size_rules.h"
#include "tests/support/kit/option_strings.h"

namespace vramlab::allocator {
namespace {

using namespace literals;
using Kind = SettingsErrorKind;

Settings accepted_by_newest(std::string_view text, const Settings& in_force = {}) {
  return support::accepted_as("2.14", text, in_force);
}

TEST(LimitsOfPinnedMemory, may_be_zero_and_keep_their_last_value) {
  const Settings first =
      accepted_by_newest("pinned_max_round_threshold_mb:0,pinned_max_cached_size_mb:64");
  EXPECT_EQ(first.pinned_max_round_threshold, 0_B);
  EXPECT_EQ(first.pinned_max_cached_size, 64_MiB);
  const Settings second = accepted_by_newest("expandable_segments:True", first);
  EXPECT_EQ(second.pinned_max_round_threshold, 0_B);
  EXPECT_EQ(second.pinned_max_cached_size, 64_MiB);
}

TEST(LimitsOfPinnedMemory, are_unknown_before) {
  for (const char* version : {"2.6", "2.12", "2.12.1"})
    support::refused_as(version, "pinned_max_cached_size_mb:1", Kind::unknown_option,
                        "pinned_max_cached_size_mb");
}

bool contradict(std::string_view text) {
  return parse_settings({}, text, *find_reference_version("2.14")).cached_size_limits_rounding;
}

TEST(LimitsOfPinnedMemory, contradict_if_one_string_names_both_and_rounds_what_is_not_cached) {
  EXPECT_TRUE(contradict("pinned_max_round_threshold_mb:2,pinned_max_cached_size_mb:1"));
  EXPECT_FALSE(contradict("pinned_max_round_threshold_mb:1,pinned_max_cached_size_mb:1"));
  EXPECT_FALSE(contradict("pinned_max_cached_size_mb:1"));
  EXPECT_FALSE(contradict("pinned_max_round_threshold_mb:2,pinned_max_cached_size_mb:1,nonsense"));
}

TEST(NumbersAsC, pass_over_what_follows_them) {
  EXPECT_EQ(accepted_by_newest("max_split_size_mb:64abc").max_split_size, 64_MiB);
  EXPECT_EQ(accepted_by_newest("pinned_max_cached_size_mb:0x10").pinned_max_cached_size, 0_B);
  EXPECT_EQ(accepted_by_newest("pinned_max_cached_size_mb:+7").pinned_max_cached_size, 7_MiB);
  EXPECT_EQ(accepted_by_newest("garbage_collection_threshold:0x1p-1z").garbage_collection_threshold,
            0.5);
}

TEST(NumbersAsC, wrap_around_below_zero) {
  const Settings settings = accepted_by_newest("large_segment_size_mb:-1");
  EXPECT_EQ(settings.large_segment_size.count, (17592186044415ULL << 20));
  EXPECT_EQ(device_size_for_miss(5_MiB, settings), request_limit);
  EXPECT_EQ(expandable_unit(PoolKind::large, settings), request_limit);
}

TEST(NumbersAsC, that_do_not_fit_or_are_none_are_refused) {
  for (const char* number : {"x", "18446744073709551616", "-18446744073709551616", "+-1", "--1"})
    support::refused_as("2.14", std::string("pinned_max_cached_size_mb:") + number,
                        Kind::not_a_number, "pinned_max_cached_size_mb");
  for (const char* number : {"x", "1e999", "1e-320", "--0.5", "-+0.5"})
    support::refused_as("2.14", std::string("garbage_collection_threshold:") + number,
                        Kind::not_a_number, "garbage_collection_threshold");
  for (const char* number : {"nan", "inf", "-0.5", "-nan"})
    support::refused_as("2.14", std::string("garbage_collection_threshold:") + number,
                        Kind::out_of_range, "garbage_collection_threshold");
}

}  // namespace
}  // namespace vramlab::allocator
