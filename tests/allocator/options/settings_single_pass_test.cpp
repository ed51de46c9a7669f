// The grammar of one pass, which 2.6 has: separators are checked, and every option takes effect
// where it stands.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/kit/option_strings.h"

namespace vramlab::allocator {
namespace {

using namespace literals;
using Kind = SettingsErrorKind;

Settings accepted_by_old(std::string_view text, const Settings& in_force = {}) {
  return support::accepted_as("2.6", text, in_force);
}

Settings refused_by_old(std::string_view text, Kind kind, std::string_view option,
                        const Settings& in_force = {}) {
  return support::refused_as("2.6", text, kind, option, in_force);
}

TEST(SinglePass, refuses_a_max_split_size_of_exactly_20) {
  refused_by_old("max_split_size_mb:20", Kind::out_of_range, "max_split_size_mb");
}

TEST(SinglePass, refuses_a_non_split_rounding_of_exactly_20) {
  refused_by_old("max_non_split_rounding_mb:20", Kind::out_of_range, "max_non_split_rounding_mb");
}

TEST(SinglePass, keeps_the_non_split_rounding_from_string_to_string) {
  const Settings before = accepted_by_old("max_non_split_rounding_mb:100");
  EXPECT_EQ(accepted_by_old("", before).max_non_split_rounding, 100_MiB);
  EXPECT_EQ(
      refused_by_old("nonsense", Kind::unknown_option, "nonsense", before).max_non_split_rounding,
      100_MiB);
}

TEST(SinglePass, does_not_know_the_newer_options) {
  for (const char* name : {"large_segment_size_mb", "per_process_memory_fraction",
                           "throw_on_cudamalloc_oom", "graph_capture_record_stream_reuse",
                           "pinned_free_catch_all", "pinned_reserve_segment_size_mb"})
    refused_by_old(std::string(name) + ":True", Kind::unknown_option, name);
}

TEST(SinglePass, demands_a_colon_before_a_value) {
  refused_by_old("max_split_size_mb", Kind::missing_separator, "max_split_size_mb");
  refused_by_old("max_split_size_mb,64", Kind::missing_separator, "max_split_size_mb");
  refused_by_old("expandable_segments[True", Kind::missing_separator, "expandable_segments");
}

TEST(SinglePass, demands_a_comma_after_a_value) {
  refused_by_old("max_split_size_mb:64:expandable_segments:True", Kind::missing_separator,
                 "max_split_size_mb");
  refused_by_old("expandable_segments:True]", Kind::missing_separator, "expandable_segments");
  refused_by_old("roundup_power2_divisions:[4:2]:", Kind::missing_separator,
                 "roundup_power2_divisions");
}

TEST(SinglePass, says_which_separator_it_needs_and_what_it_found) {
  const auto message = [](std::string_view text) {
    return support::parse_as("2.6", text).error.value().message;
  };
  EXPECT_EQ(message("max_split_size_mb,64"),
            "max_split_size_mb needs ':' before a value; found ','.");
  EXPECT_EQ(message("max_split_size_mb"),
            "max_split_size_mb needs ':' before a value; found the end of the options.");
  EXPECT_EQ(message("expandable_segments:True]"),
            "expandable_segments needs ',' before what follows; found ']'.");
}

TEST(SinglePass, says_the_bound_in_force) {
  EXPECT_EQ(support::parse_as("2.6", "max_split_size_mb:20").error.value().message,
            "max_split_size_mb takes a whole number of MiB, at least 21; found '20'.");
}

TEST(SinglePass, drops_spaces_only) {
  EXPECT_EQ(accepted_by_old(" max_split_size_mb : 64 , expandable_segments : True ").max_split_size,
            64_MiB);
  refused_by_old("max_split_size_mb\t:64", Kind::unknown_option, "max_split_size_mb\t");
  refused_by_old("max_split_size_mb:64\n", Kind::not_a_number, "max_split_size_mb");
  refused_by_old("expandable_segments:True\n", Kind::not_a_boolean, "expandable_segments");
}

TEST(SinglePass, reads_numbers_up_to_31_bits) {
  EXPECT_EQ(accepted_by_old("max_split_size_mb:2147483647").max_split_size, 1_MiB * 2147483647);
  refused_by_old("max_split_size_mb:2147483648", Kind::not_a_number, "max_split_size_mb");
}

TEST(SinglePass, leaves_what_stands_before_an_error_in_effect_and_nothing_behind_it) {
  const Settings left = refused_by_old(
      "max_split_size_mb:64,release_lock_on_cudamalloc:True,garbage_collection_threshold:2,"
      "expandable_segments:True,max_non_split_rounding_mb:80",
      Kind::out_of_range, "garbage_collection_threshold");
  EXPECT_EQ(left.max_split_size, 64_MiB);
  EXPECT_TRUE(left.release_lock_on_cudamalloc);
  EXPECT_EQ(left.garbage_collection_threshold, 0);
  EXPECT_FALSE(left.expandable_segments);
  EXPECT_EQ(left.max_non_split_rounding, 20_MiB);
}

TEST(SinglePass, leaves_the_option_in_effect_that_a_comma_is_missing_after) {
  EXPECT_EQ(refused_by_old("max_split_size_mb:64]", Kind::missing_separator, "max_split_size_mb")
                .max_split_size,
            64_MiB);
}

TEST(SinglePass, stops_at_another_backend_where_it_stands) {
  const Settings left =
      refused_by_old("max_split_size_mb:64,backend:cudaMallocAsync,expandable_segments:True",
                     Kind::other_backend, "backend");
  EXPECT_EQ(left.max_split_size, 64_MiB);
  EXPECT_FALSE(left.expandable_segments);
}

}  // namespace
}  // namespace vramlab::allocator
