// The grammar of three passes, which 2.12 has: the segment size first, then the options that all
// accelerators share, then the allocator's own; any token counts as a separator.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/kit/option_strings.h"

namespace vramlab::allocator {
namespace {

using namespace literals;
using testing::Each;
using Kind = SettingsErrorKind;

Settings accepted_by_new(std::string_view text, const Settings& in_force = {}) {
  return support::accepted_as("2.12", text, in_force);
}

Settings refused_by_new(std::string_view text, Kind kind, std::string_view option,
                        const Settings& in_force = {}) {
  return support::refused_as("2.12", text, kind, option, in_force);
}

// The newer options.

TEST(ThreePasses, reads_the_large_segment_size_above_10) {
  EXPECT_EQ(accepted_by_new("large_segment_size_mb:11").large_segment_size, 11_MiB);
  EXPECT_EQ(accepted_by_new("large_segment_size_mb:64").large_segment_size, 64_MiB);
  for (const char* size : {"0", "1", "10"})
    refused_by_new(std::string("large_segment_size_mb:") + size, Kind::out_of_range,
                   "large_segment_size_mb");
}

TEST(ThreePasses, refuses_a_large_segment_size_that_no_device_could_hold) {
  EXPECT_EQ(accepted_by_new("large_segment_size_mb:1099511627776").large_segment_size,
            Bytes{1ULL << 60});
  refused_by_new("large_segment_size_mb:1099511627777", Kind::out_of_range,
                 "large_segment_size_mb");
}

TEST(ThreePasses, reads_a_memory_fraction_from_0_to_1_with_both_ends) {
  EXPECT_EQ(accepted_by_new("per_process_memory_fraction:0.25").per_process_memory_fraction, 0.25);
  EXPECT_EQ(accepted_by_new("per_process_memory_fraction:0").per_process_memory_fraction, 0);
  EXPECT_EQ(accepted_by_new("per_process_memory_fraction:1.0").per_process_memory_fraction, 1);
  for (const char* fraction : {"-0.1", "-0", "1.01", "inf", "nan"})
    refused_by_new(std::string("per_process_memory_fraction:") + fraction, Kind::out_of_range,
                   "per_process_memory_fraction");
  refused_by_new("per_process_memory_fraction:?", Kind::not_a_number,
                 "per_process_memory_fraction");
}

TEST(ThreePasses, reads_the_newer_flags) {
  EXPECT_TRUE(accepted_by_new("throw_on_cudamalloc_oom:True").throw_on_cudamalloc_oom);
  EXPECT_TRUE(
      accepted_by_new("graph_capture_record_stream_reuse:True").graph_capture_record_stream_reuse);
  EXPECT_TRUE(accepted_by_new("pinned_free_catch_all:True").pinned_free_catch_all);
  refused_by_new("throw_on_cudamalloc_oom:false", Kind::not_a_boolean, "throw_on_cudamalloc_oom");
  refused_by_new("graph_capture_record_stream_reuse:1", Kind::not_a_boolean,
                 "graph_capture_record_stream_reuse");
  refused_by_new("pinned_free_catch_all:1", Kind::not_a_boolean, "pinned_free_catch_all");
}

TEST(ThreePasses, reads_a_pinned_reserve_above_0) {
  EXPECT_EQ(accepted_by_new("pinned_reserve_segment_size_mb:1").pinned_reserve_segment_size_mb, 1U);
  refused_by_new("pinned_reserve_segment_size_mb:0", Kind::out_of_range,
                 "pinned_reserve_segment_size_mb");
}

// Bounds that follow the large segment size.

TEST(ThreePasses, accepts_a_max_split_size_and_a_rounding_of_exactly_20) {
  EXPECT_EQ(accepted_by_new("max_split_size_mb:20").max_split_size, 20_MiB);
  EXPECT_EQ(accepted_by_new("max_non_split_rounding_mb:20").max_non_split_rounding, 20_MiB);
}

TEST(ThreePasses, measures_other_sizes_by_the_large_segment_size_wherever_it_stands) {
  EXPECT_EQ(accepted_by_new("max_split_size_mb:12,large_segment_size_mb:12").max_split_size,
            12_MiB);
  refused_by_new("max_split_size_mb:63,large_segment_size_mb:64", Kind::out_of_range,
                 "max_split_size_mb");
  refused_by_new("max_non_split_rounding_mb:63,large_segment_size_mb:64", Kind::out_of_range,
                 "max_non_split_rounding_mb");
}

TEST(ThreePasses, measures_them_by_a_large_segment_size_that_was_set_before) {
  const Settings before = accepted_by_new("large_segment_size_mb:64");
  refused_by_new("max_split_size_mb:32", Kind::out_of_range, "max_split_size_mb", before);
  refused_by_new("max_non_split_rounding_mb:32", Kind::out_of_range, "max_non_split_rounding_mb",
                 before);
}

TEST(ThreePasses, says_the_bound_in_force) {
  EXPECT_EQ(
      support::parse_as("2.12", "max_split_size_mb:19").error.value().message,
      "max_split_size_mb takes a whole number of MiB, at least 20 (the large segment size); found "
      "'19'.");
}

TEST(ThreePasses, takes_the_largest_size_that_fits_for_one_that_does_not) {
  const Bytes largest{((1ULL << 44) - 1) << 20};
  EXPECT_EQ(accepted_by_new("max_split_size_mb:17592186044415").max_split_size, largest);
  EXPECT_EQ(accepted_by_new("max_split_size_mb:18446744073709551615").max_split_size, largest);
}

// Values that stay.

TEST(ThreePasses, keeps_the_large_segment_size_and_the_newer_options) {
  const Settings before = accepted_by_new(
      "large_segment_size_mb:64,per_process_memory_fraction:0.5,throw_on_cudamalloc_oom:True,"
      "graph_capture_record_stream_reuse:True,pinned_reserve_segment_size_mb:8,"
      "pinned_free_catch_all:True");
  Settings expected = before;
  expected.text = "";
  EXPECT_EQ(accepted_by_new("", before), expected);
}

TEST(ThreePasses, resets_the_non_split_rounding_to_the_large_segment_size) {
  EXPECT_EQ(accepted_by_new("large_segment_size_mb:64").max_non_split_rounding, 64_MiB);
  Settings before = accepted_by_new("max_non_split_rounding_mb:100,large_segment_size_mb:32");
  EXPECT_EQ(before.max_non_split_rounding, 100_MiB);
  EXPECT_EQ(accepted_by_new("", before).max_non_split_rounding, 32_MiB);
}

// Separators.

TEST(ThreePasses, drops_every_kind_of_blank) {
  const Settings settings =
      accepted_by_new("max_split_size_mb\t:\n64 ,\r\v\fexpandable_segments:Tr\tue\n");
  EXPECT_EQ(settings.max_split_size, 64_MiB);
  EXPECT_TRUE(settings.expandable_segments);
}

TEST(ThreePasses, accepts_any_token_in_the_place_of_a_separator) {
  const Settings settings =
      accepted_by_new("max_split_size_mb,64:expandable_segments]True[throw_on_cudamalloc_oom,True");
  EXPECT_EQ(settings.max_split_size, 64_MiB);
  EXPECT_TRUE(settings.expandable_segments);
  EXPECT_TRUE(settings.throw_on_cudamalloc_oom);
}

TEST(ThreePasses, takes_even_a_word_for_a_separator) {
  EXPECT_EQ(accepted_by_new("roundup_power2_divisions:[4:2]word").roundup_divisions[2], 2U);
}

TEST(ThreePasses, misses_a_value_where_the_string_ends_behind_a_name) {
  refused_by_new("max_split_size_mb", Kind::missing_value, "max_split_size_mb");
  refused_by_new("large_segment_size_mb", Kind::missing_value, "large_segment_size_mb");
  refused_by_new("backend", Kind::missing_value, "backend");
}

// The order of effects.

TEST(ThreePasses, stops_before_everything_at_an_error_in_the_segment_size) {
  const Settings before = accepted_by_new("max_non_split_rounding_mb:100");
  const Settings left =
      refused_by_new("max_split_size_mb:64,expandable_segments:True,large_segment_size_mb:10",
                     Kind::out_of_range, "large_segment_size_mb", before);
  EXPECT_EQ(left.max_split_size, unlimited);
  EXPECT_FALSE(left.expandable_segments);
  EXPECT_EQ(left.max_non_split_rounding, 100_MiB);
  EXPECT_EQ(left.large_segment_size, 20_MiB);
}

TEST(ThreePasses, keeps_a_segment_size_that_stands_before_a_wrong_one) {
  const Settings left = refused_by_new("large_segment_size_mb:64,large_segment_size_mb:x",
                                       Kind::not_a_number, "large_segment_size_mb");
  EXPECT_EQ(left.large_segment_size, 64_MiB);
  EXPECT_EQ(left.max_non_split_rounding, 20_MiB);
}

TEST(ThreePasses, reports_the_segment_size_before_any_other_error) {
  refused_by_new("nonsense:1,large_segment_size_mb:1", Kind::out_of_range, "large_segment_size_mb");
}

TEST(ThreePasses, sets_the_segment_size_also_behind_another_error) {
  const Settings left =
      refused_by_new("nonsense:1,large_segment_size_mb:64", Kind::unknown_option, "nonsense");
  EXPECT_EQ(left.large_segment_size, 64_MiB);
  EXPECT_EQ(left.max_non_split_rounding, 64_MiB);
}

TEST(ThreePasses, reports_a_shared_option_before_one_of_its_own) {
  refused_by_new("per_process_memory_fraction:2,max_split_size_mb:1", Kind::out_of_range,
                 "max_split_size_mb");
  refused_by_new("throw_on_cudamalloc_oom:no,nonsense:1", Kind::unknown_option, "nonsense");
}

TEST(ThreePasses, leaves_its_own_options_alone_after_an_error_in_a_shared_one) {
  const char* own_options[] = {"backend:cudaMallocAsync",
                               "release_lock_on_cudamalloc:True",
                               "pinned_use_cuda_host_register:True",
                               "pinned_num_register_threads:8",
                               "pinned_reserve_segment_size_mb:8",
                               "pinned_free_catch_all:True",
                               "graph_capture_record_stream_reuse:True",
                               "per_process_memory_fraction:0.5",
                               "throw_on_cudamalloc_oom:True"};
  for (const char* option : own_options) {
    Settings left = refused_by_new(std::string(option) + ",max_split_size_mb:1", Kind::out_of_range,
                                   "max_split_size_mb");
    left.text = "";
    EXPECT_EQ(left, Settings{}) << option;
  }
}

TEST(ThreePasses, leaves_all_shared_options_set_after_an_error_in_one_of_its_own) {
  const Settings left = refused_by_new(
      "throw_on_cudamalloc_oom:no,max_split_size_mb:64,max_non_split_rounding_mb:80,"
      "garbage_collection_threshold:0.5,roundup_power2_divisions:4,expandable_segments:True,"
      "pinned_use_background_threads:True,per_process_memory_fraction:0.5",
      Kind::not_a_boolean, "throw_on_cudamalloc_oom");
  EXPECT_EQ(left.max_split_size, 64_MiB);
  EXPECT_EQ(left.max_non_split_rounding, 80_MiB);
  EXPECT_EQ(left.garbage_collection_threshold, 0.5);
  EXPECT_THAT(left.roundup_divisions, Each(4U));
  EXPECT_TRUE(left.expandable_segments);
  EXPECT_TRUE(left.pinned_use_background_threads);
  EXPECT_EQ(left.per_process_memory_fraction, 1) << "it stands behind the error";
}

TEST(ThreePasses, leaves_own_options_set_that_stand_before_the_wrong_one) {
  const Settings left = refused_by_new("per_process_memory_fraction:0.5,backend:other",
                                       Kind::unknown_backend, "backend");
  EXPECT_EQ(left.per_process_memory_fraction, 0.5);
}

TEST(ThreePasses, leaves_shared_options_set_that_stand_before_the_wrong_one) {
  const Settings left = refused_by_new("max_split_size_mb:64,nonsense:1,expandable_segments:True",
                                       Kind::unknown_option, "nonsense");
  EXPECT_EQ(left.max_split_size, 64_MiB);
  EXPECT_FALSE(left.expandable_segments);
}

// Skipping options that another pass reads.

TEST(ThreePasses, skips_a_list_in_the_place_of_a_single_value) {
  refused_by_new("backend:[native],expandable_segments:True", Kind::unknown_backend, "backend");
  EXPECT_TRUE(support::parse_as("2.12", "backend:[native],expandable_segments:True")
                  .settings.expandable_segments);
}

TEST(ThreePasses, refuses_an_unclosed_list_that_it_would_skip) {
  const Settings left =
      refused_by_new("expandable_segments:True,backend:[native", Kind::unclosed_list, "backend");
  EXPECT_TRUE(left.expandable_segments);
}

TEST(ThreePasses, finds_the_segment_size_also_where_a_value_should_be) {
  const Settings left = refused_by_new("backend:large_segment_size_mb:64,max_split_size_mb:64",
                                       Kind::unknown_option, "64");
  EXPECT_EQ(left.large_segment_size, 64_MiB);
}

}  // namespace
}  // namespace vramlab::allocator
