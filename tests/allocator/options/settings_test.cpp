// Common to all grammars of the option string: the options that 2.6 knows, values that stay from
// one string to the next, and the texts of errors.
#include "allocator/options/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/kit/option_strings.h"

namespace vramlab::allocator {
namespace {

using namespace literals;
using testing::Each;
using testing::HasSubstr;
using Kind = SettingsErrorKind;

/// Each test runs with the grammar of each version.
class BothGrammars : public testing::TestWithParam<const char*> {
 protected:
  static Settings accepted(std::string_view text, const Settings& in_force = {}) {
    return support::accepted_as(GetParam(), text, in_force);
  }
  static Settings refused(std::string_view text, Kind kind, std::string_view option,
                          const Settings& in_force = {}) {
    return support::refused_as(GetParam(), text, kind, option, in_force);
  }
};

INSTANTIATE_TEST_SUITE_P(Settings, BothGrammars, testing::Values("2.6", "2.12"),
                         [](const auto& version) {
                           return version.param == std::string("2.6") ? "v2_6" : "v2_12";
                         });

TEST_P(BothGrammars, take_an_empty_string_and_blanks_for_the_defaults) {
  for (const std::string text : {"", "   "}) {
    Settings expected;
    expected.text = text;
    EXPECT_EQ(accepted(text), expected);
  }
}

TEST_P(BothGrammars, keep_the_string_as_it_was_set) {
  EXPECT_EQ(accepted(" max_split_size_mb : 64 ,").text, " max_split_size_mb : 64 ,");
}

TEST_P(BothGrammars, keep_a_refused_string_too) {
  EXPECT_EQ(refused("nonsense", Kind::unknown_option, "nonsense").text, "nonsense");
}

// The options.

TEST_P(BothGrammars, read_the_max_split_size_in_mebibytes) {
  EXPECT_EQ(accepted("max_split_size_mb:21").max_split_size, 21_MiB);
  EXPECT_EQ(accepted("max_split_size_mb:4096").max_split_size, 4_GiB);
}

TEST_P(BothGrammars, refuse_a_max_split_size_below_the_large_segment) {
  for (const char* size : {"0", "1", "19"})
    refused(std::string("max_split_size_mb:") + size, Kind::out_of_range, "max_split_size_mb");
}

TEST_P(BothGrammars, read_the_non_split_rounding_in_mebibytes) {
  EXPECT_EQ(accepted("max_non_split_rounding_mb:21").max_non_split_rounding, 21_MiB);
  EXPECT_EQ(accepted("max_non_split_rounding_mb:300").max_non_split_rounding, 300_MiB);
}

TEST_P(BothGrammars, refuse_a_non_split_rounding_below_the_large_segment) {
  refused("max_non_split_rounding_mb:19", Kind::out_of_range, "max_non_split_rounding_mb");
}

TEST_P(BothGrammars, read_a_garbage_collection_threshold_between_0_and_1) {
  EXPECT_EQ(accepted("garbage_collection_threshold:0.8").garbage_collection_threshold, 0.8);
  EXPECT_EQ(accepted("garbage_collection_threshold:.5").garbage_collection_threshold, 0.5);
  EXPECT_EQ(accepted("garbage_collection_threshold:1e-3").garbage_collection_threshold, 0.001);
}

TEST_P(BothGrammars, refuse_a_garbage_collection_threshold_outside_0_to_1_and_at_both_ends) {
  for (const char* threshold : {"0", "0.0", "1", "1.0", "2", "-0.1", "-0", "inf", "nan"})
    refused(std::string("garbage_collection_threshold:") + threshold, Kind::out_of_range,
            "garbage_collection_threshold");
}

TEST_P(BothGrammars, read_flags_as_true_or_false) {
  EXPECT_TRUE(accepted("expandable_segments:True").expandable_segments);
  EXPECT_TRUE(accepted("release_lock_on_cudamalloc:True").release_lock_on_cudamalloc);
  EXPECT_TRUE(accepted("pinned_use_cuda_host_register:True").pinned_use_cuda_host_register);
  EXPECT_TRUE(accepted("pinned_use_background_threads:True").pinned_use_background_threads);
  Settings on;
  on.expandable_segments = true;
  EXPECT_FALSE(accepted("expandable_segments:False", on).expandable_segments);
}

TEST_P(BothGrammars, refuse_every_other_word_for_a_flag) {
  for (const char* word : {"true", "false", "1", "TRUE", "yes", ",", "["})
    refused(std::string("expandable_segments:") + word, Kind::not_a_boolean, "expandable_segments");
  refused("release_lock_on_cudamalloc:1", Kind::not_a_boolean, "release_lock_on_cudamalloc");
  refused("pinned_use_cuda_host_register:1", Kind::not_a_boolean, "pinned_use_cuda_host_register");
  refused("pinned_use_background_threads:1", Kind::not_a_boolean, "pinned_use_background_threads");
}

TEST_P(BothGrammars, know_the_other_names_of_two_flags) {
  EXPECT_TRUE(accepted("release_lock_on_hipmalloc:True").release_lock_on_cudamalloc);
  EXPECT_TRUE(accepted("pinned_use_hip_host_register:True").pinned_use_cuda_host_register);
  refused("release_lock_on_hipmalloc:no", Kind::not_a_boolean, "release_lock_on_hipmalloc");
}

TEST_P(BothGrammars, read_the_register_threads_as_a_power_of_two_up_to_128) {
  EXPECT_EQ(accepted("pinned_num_register_threads:1").pinned_num_register_threads, 1U);
  EXPECT_EQ(accepted("pinned_num_register_threads:128").pinned_num_register_threads, 128U);
  for (const char* count : {"0", "3", "127", "256"})
    refused(std::string("pinned_num_register_threads:") + count, Kind::out_of_range,
            "pinned_num_register_threads");
}

TEST_P(BothGrammars, accept_the_backend_that_runs_and_no_other) {
  EXPECT_EQ(accepted("backend:native").backend, Backend::native);
  EXPECT_EQ(refused("backend:cudaMallocAsync", Kind::other_backend, "backend").backend,
            Backend::native);
  Settings async;
  async.backend = Backend::cuda_malloc_async;
  EXPECT_EQ(accepted("backend:cudaMallocAsync", async).backend, Backend::cuda_malloc_async);
  refused("backend:native", Kind::other_backend, "backend", async);
}

TEST(BackendAtStart, is_the_first_one_that_is_named) {
  const auto at_start = [](const char* text) { return backend_at_start(text); };
  EXPECT_EQ(at_start(""), Backend::native);
  EXPECT_EQ(at_start("max_split_size_mb:64"), Backend::native);
  EXPECT_EQ(at_start("backend:cudaMallocAsync"), Backend::cuda_malloc_async);
  EXPECT_EQ(at_start("max_split_size_mb:64, backend:cudaMallocAsync"), Backend::cuda_malloc_async);
  EXPECT_EQ(at_start("backend:native,backend:cudaMallocAsync"), Backend::native);
  EXPECT_EQ(at_start("backend:cudaMallocAsync2"), Backend::native);
  EXPECT_EQ(at_start("backend"), Backend::native);
}

TEST_P(BothGrammars, refuse_a_backend_that_nobody_knows) {
  for (const char* name : {"other", "Native", "hipMallocAsync"})
    refused(std::string("backend:") + name, Kind::unknown_backend, "backend");
}

TEST_P(BothGrammars, read_one_number_of_divisions_for_all_sizes) {
  EXPECT_THAT(accepted("roundup_power2_divisions:8").roundup_divisions, Each(8U));
  EXPECT_THAT(accepted("roundup_power2_divisions:1").roundup_divisions, Each(1U));
}

TEST_P(BothGrammars, refuse_an_option_that_there_is_not) {
  refused("max_split_size:64", Kind::unknown_option, "max_split_size");
  refused("Expandable_segments:True", Kind::unknown_option, "Expandable_segments");
  refused("max_split_size_mb=64", Kind::unknown_option, "max_split_size_mb=64");
  refused("expandable_segments_reserve:0.5", Kind::unknown_option, "expandable_segments_reserve");
}

// Numbers.

TEST_P(BothGrammars, refuse_a_word_that_is_no_whole_number) {
  for (const char* word : {"x", "", ",", "[", "64.0", "6 4x", "0x40"})
    refused(std::string("max_split_size_mb:") + word + ",expandable_segments:True",
            Kind::not_a_number, "max_split_size_mb");
}

TEST_P(BothGrammars, refuse_trailing_junk_behind_a_number) {
  refused("max_split_size_mb:64abc", Kind::not_a_number, "max_split_size_mb");
  refused("garbage_collection_threshold:0.5x", Kind::not_a_number, "garbage_collection_threshold");
  refused("roundup_power2_divisions:4x", Kind::not_a_number, "roundup_power2_divisions");
  refused("pinned_num_register_threads:4.0", Kind::not_a_number, "pinned_num_register_threads");
}

TEST_P(BothGrammars, refuse_a_whole_number_with_a_sign) {
  refused("max_split_size_mb:-64", Kind::not_a_number, "max_split_size_mb");
  refused("max_split_size_mb:+64", Kind::not_a_number, "max_split_size_mb");
}

TEST_P(BothGrammars, refuse_a_word_that_is_no_real_number) {
  for (const char* word : {"x", "?", "+0.5", "0x1p-1", "1e999", "--0.5"})
    refused(std::string("garbage_collection_threshold:") + word, Kind::not_a_number,
            "garbage_collection_threshold");
}

TEST_P(BothGrammars, read_two_words_with_a_blank_between_them_as_one) {
  EXPECT_EQ(accepted("max_split_size_mb:6 4").max_split_size, 64_MiB);
  EXPECT_EQ(accepted("max _split_ size_mb:64").max_split_size, 64_MiB);
  refused("max_split_size_mb:64 garbage_collection_threshold:0.5", Kind::not_a_number,
          "max_split_size_mb");
}

TEST_P(BothGrammars, refuse_a_number_that_is_too_large_to_be_read) {
  refused("max_split_size_mb:18446744073709551616", Kind::not_a_number, "max_split_size_mb");
}

// Order, duplicates, separators.

TEST_P(BothGrammars, let_the_last_of_two_win) {
  EXPECT_EQ(accepted("max_split_size_mb:64,max_split_size_mb:32").max_split_size, 32_MiB);
  EXPECT_FALSE(accepted("expandable_segments:True,expandable_segments:False").expandable_segments);
}

TEST_P(BothGrammars, allow_one_comma_at_the_end_and_none_in_front) {
  EXPECT_EQ(accepted("max_split_size_mb:64,").max_split_size, 64_MiB);
  refused("max_split_size_mb:64,,", Kind::unknown_option, ",");
  refused(",max_split_size_mb:64", Kind::unknown_option, ",");
  refused(",", Kind::unknown_option, ",");
}

TEST_P(BothGrammars, miss_the_value_that_the_string_ends_before) {
  for (const char* name : {"max_split_size_mb", "garbage_collection_threshold", "backend",
                           "expandable_segments", "roundup_power2_divisions"})
    refused(std::string(name) + ":", Kind::missing_value, name);
}

// Values that stay.

TEST_P(BothGrammars, reset_three_options_with_every_new_string) {
  const Settings before =
      accepted("max_split_size_mb:64,roundup_power2_divisions:4,garbage_collection_threshold:0.5");
  const Settings after = accepted("", before);
  EXPECT_EQ(after.max_split_size, unlimited);
  EXPECT_THAT(after.roundup_divisions, Each(0U));
  EXPECT_EQ(after.garbage_collection_threshold, 0);
}

TEST_P(BothGrammars, reset_them_for_a_refused_string_too) {
  const Settings before = accepted("max_split_size_mb:64,garbage_collection_threshold:0.5");
  const Settings after = refused("nonsense", Kind::unknown_option, "nonsense", before);
  EXPECT_EQ(after.max_split_size, unlimited);
  EXPECT_EQ(after.garbage_collection_threshold, 0);
}

TEST_P(BothGrammars, keep_flags_and_host_options_from_string_to_string) {
  const Settings before = accepted(
      "expandable_segments:True,release_lock_on_cudamalloc:True,"
      "pinned_use_cuda_host_register:True,pinned_use_background_threads:True,"
      "pinned_num_register_threads:8");
  const Settings after = accepted("", before);
  EXPECT_TRUE(after.expandable_segments);
  EXPECT_TRUE(after.release_lock_on_cudamalloc);
  EXPECT_TRUE(after.pinned_use_cuda_host_register);
  EXPECT_TRUE(after.pinned_use_background_threads);
  EXPECT_EQ(after.pinned_num_register_threads, 8U);
}

TEST_P(BothGrammars, leave_an_option_as_it_was_when_its_value_is_refused) {
  Settings before;
  before.pinned_num_register_threads = 4;
  before.expandable_segments = true;
  EXPECT_TRUE(
      refused("expandable_segments:false", Kind::not_a_boolean, "expandable_segments", before)
          .expandable_segments);
  EXPECT_EQ(refused("pinned_num_register_threads:3", Kind::out_of_range,
                    "pinned_num_register_threads", before)
                .pinned_num_register_threads,
            4U);
}

// Texts of errors.

TEST_P(BothGrammars, say_the_option_what_it_takes_and_what_was_found) {
  const auto message = [](std::string_view text) {
    return support::parse_as(GetParam(), text).error.value().message;
  };
  EXPECT_EQ(message("expandable_segments:true"),
            "expandable_segments takes True or False; found 'true'.");
  EXPECT_EQ(message("garbage_collection_threshold:1"),
            "garbage_collection_threshold takes a number between 0 and 1, neither included; found "
            "'1'.");
  EXPECT_EQ(message("pinned_num_register_threads:3"),
            "pinned_num_register_threads takes a power of two, at least 1 and at most 128; found "
            "'3'.");
  EXPECT_EQ(message("backend:other"), "backend takes native or cudaMallocAsync; found 'other'.");
  EXPECT_EQ(message("expandable_segments:"),
            "expandable_segments takes True or False; found the end of the options.");
}

TEST_P(BothGrammars, list_the_options_there_are_when_one_is_unknown) {
  const std::string message = support::parse_as(GetParam(), "nonsense:1").error.value().message;
  EXPECT_THAT(message, HasSubstr("found 'nonsense'"));
  EXPECT_THAT(message, HasSubstr("max_split_size_mb, max_non_split_rounding_mb"));
}

TEST_P(BothGrammars, shorten_and_clean_what_they_quote) {
  const std::string text = "expandable_segments:\x01" + std::string(5000, 'x');
  const std::string message = support::parse_as(GetParam(), text).error.value().message;
  EXPECT_THAT(message, HasSubstr("'?xxxxx"));
  EXPECT_THAT(message, HasSubstr("xxxxx...'"));
  EXPECT_LT(message.size(), 200U);
}

TEST(SettingsErrorKindName, is_a_word_for_each_kind) {
  EXPECT_EQ(settings_error_kind_name(Kind::unknown_option), "unknown_option");
  EXPECT_EQ(settings_error_kind_name(Kind::missing_separator), "missing_separator");
  EXPECT_EQ(settings_error_kind_name(Kind::missing_value), "missing_value");
  EXPECT_EQ(settings_error_kind_name(Kind::not_a_number), "not_a_number");
  EXPECT_EQ(settings_error_kind_name(Kind::not_a_boolean), "not_a_boolean");
  EXPECT_EQ(settings_error_kind_name(Kind::out_of_range), "out_of_range");
  EXPECT_EQ(settings_error_kind_name(Kind::unknown_backend), "unknown_backend");
  EXPECT_EQ(settings_error_kind_name(Kind::other_backend), "other_backend");
  EXPECT_EQ(settings_error_kind_name(Kind::unclosed_list), "unclosed_list");
}

}  // namespace
}  // namespace vramlab::allocator
