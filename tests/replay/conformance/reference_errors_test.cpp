#include "replay/conformance/reference_errors.h"

#include <gtest/gtest.h>

namespace vramlab::replay {
namespace {

using Kind = allocator::SettingsErrorKind;
using Kinds = std::vector<Kind>;

struct KnownText {
  const char* text;
  Kinds kinds;
  const char* option;
};

class KnownSettingsError : public ::testing::TestWithParam<KnownText> {};

TEST_P(KnownSettingsError, has_a_kind_and_where_the_text_tells_an_option) {
  const auto understood = understand_settings_error(GetParam().text);
  ASSERT_TRUE(understood.has_value());
  EXPECT_EQ(understood->kinds, GetParam().kinds);
  EXPECT_EQ(understood->option, GetParam().option);
}

const Kinds past_the_end{Kind::missing_separator, Kind::missing_value, Kind::unclosed_list};
const Kinds no_number{Kind::not_a_number, Kind::missing_value};

INSTANTIATE_TEST_SUITE_P(
    Texts, KnownSettingsError,
    ::testing::Values(
        KnownText{"CachingAllocator option max_split_size_mb too small, must be > 20",
                  {Kind::out_of_range},
                  "max_split_size_mb"},
        KnownText{"CachingAllocator option max_split_size_mb too small, must be >= 20",
                  {Kind::out_of_range},
                  "max_split_size_mb"},
        KnownText{"CachingAllocator option large_segment_size_mb must be > 10 MB",
                  {Kind::out_of_range},
                  "large_segment_size_mb"},
        KnownText{"For roundups, the divisions has to be power of 2 or 0 to disable roundup ",
                  {Kind::out_of_range},
                  "roundup_power2_divisions"},
        KnownText{"For roundups, the intervals have to be power of 2 ",
                  {Kind::out_of_range},
                  "roundup_power2_divisions"},
        KnownText{"Number of register threads has to be power of 2, got 3",
                  {Kind::out_of_range},
                  "pinned_num_register_threads"},
        KnownText{"Unknown allocator backend, options are native and cudaMallocAsync",
                  {Kind::unknown_backend},
                  "backend"},
        KnownText{"Allocator backend parsed at runtime != allocator backend parsed at load time, "
                  "cudaMallocAsync != native",
                  {Kind::other_backend},
                  "backend"},
        KnownText{"garbage_collect_threshold too small, set it 0.0~1.0",
                  {Kind::out_of_range},
                  "garbage_collection_threshold"},
        KnownText{"garbage_collect_threshold is invalid, set it in (0.0, 1.0)",
                  {Kind::out_of_range},
                  "garbage_collection_threshold"},
        KnownText{"per_process_memory_fraction is invalid, set it in [0.0, 1.0]",
                  {Kind::out_of_range},
                  "per_process_memory_fraction"},
        KnownText{"Pinned reserve segment size has to be greater than 0",
                  {Kind::out_of_range},
                  "pinned_reserve_segment_size_mb"},
        KnownText{
            "Unrecognized CachingAllocator option: max_split", {Kind::unknown_option}, "max_split"},
        KnownText{"Unrecognized key 'max_split' in Accelerator allocator config.",
                  {Kind::unknown_option},
                  "max_split"},
        KnownText{
            "Error parsing CachingAllocator settings, expected ,", {Kind::missing_separator}, ""},
        KnownText{
            "Error, expecting max_split_size_mb value", {Kind::missing_value}, "max_split_size_mb"},
        KnownText{"Error parsing backend value", {Kind::missing_value}, "backend"},
        KnownText{"Expected a single True/False argument for expandable_segments",
                  {Kind::not_a_boolean},
                  "expandable_segments"},
        KnownText{"Expected 'True' or 'False' at index 4 in ConfigTokenizer but got 'yes'",
                  {Kind::not_a_boolean},
                  ""},
        KnownText{"Expected closing bracket ']' in ConfigTokenizer but reached end of config",
                  {Kind::unclosed_list},
                  ""},
        KnownText{"Index out of bounds in ConfigTokenizer", past_the_end, ""},
        KnownText{"stoull", no_number, ""}, KnownText{"stoi", no_number, ""},
        KnownText{"stod", no_number, ""}, KnownText{"stoul", no_number, ""}));

TEST(ReferenceErrors, other_texts_are_not_understood) {
  EXPECT_FALSE(understand_settings_error("something else").has_value());
  EXPECT_FALSE(understand_settings_error("").has_value());
  EXPECT_FALSE(understand_malloc_error("something else").has_value());
}

TEST(ReferenceErrors, a_scope_that_is_open_already_is_understood) {
  EXPECT_EQ(understand_malloc_error("beginAllocateToPool: already recording to mempool_id"),
            allocator::MallocOutcome::scope_already_open);
}

TEST(ReferenceErrors, figures_are_sizes_with_units_and_the_gpu) {
  EXPECT_EQ(
      figures_of_message("Tried to allocate 20.00 MiB. GPU 0 has a total capacity of 2.00 GiB "
                         "of which 0 bytes is free. See 3 pages."),
      (std::vector<std::string>{"20.00 MiB", "GPU 0", "2.00 GiB", "0 bytes"}));
  EXPECT_EQ(figures_of_message("GPU 12, 512 KiB."),
            (std::vector<std::string>{"GPU 12", "512 KiB"}));
  EXPECT_EQ(figures_of_message("1024.00 KiB, 1024.00 MiB."),
            (std::vector<std::string>{"1.00 MiB", "1.00 GiB"}));
  EXPECT_TRUE(figures_of_message("no 12 figures 3").empty());
}

}  // namespace
}  // namespace vramlab::replay
