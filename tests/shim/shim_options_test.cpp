// The environment's words to the shim, and its answers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <map>

#include "tools/preload/shim/shim_options.h"

namespace vramlab::tests {
namespace {

using preload::PreloadMode;
using shim::ShimOptions;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

ShimOptions options_with(std::map<std::string, std::string> environment,
                         PreloadMode mode = PreloadMode::deferred) {
  return shim::read_shim_options(mode, [&](const char* name) -> const char* {
    const auto found = environment.find(name);
    return found == environment.end() ? nullptr : found->second.c_str();
  });
}

TEST(ShimOptions, are_deferred_with_the_defaults_where_nothing_is_said) {
  const ShimOptions options = options_with({});
  EXPECT_EQ(options.mode, PreloadMode::deferred);
  EXPECT_EQ(options.settings, allocator::Settings{});
  EXPECT_EQ(options.fill, std::nullopt);
  EXPECT_THAT(options.complaints, IsEmpty());
}

TEST(ShimOptions, take_the_string_of_the_allocator) {
  const ShimOptions options = options_with({{"PYTORCH_CUDA_ALLOC_CONF", "max_split_size_mb:64"}});
  EXPECT_EQ(options.settings.max_split_size, allocator::Bytes{64ULL << 20});
  EXPECT_THAT(options.complaints, IsEmpty());
}

TEST(ShimOptions, prefer_our_own_string) {
  const ShimOptions options = options_with({{"PYTORCH_CUDA_ALLOC_CONF", "max_split_size_mb:64"},
                                            {"VRAMLAB_ALLOC_CONF", "max_split_size_mb:128"}});
  EXPECT_EQ(options.settings.max_split_size, allocator::Bytes{128ULL << 20});
}

TEST(ShimOptions, take_the_older_name_of_pytorchs_string_before_the_newer_one) {
  std::map<std::string, std::string> environment = {{"PYTORCH_ALLOC_CONF", "max_split_size_mb:32"}};
  EXPECT_EQ(options_with(environment).settings.max_split_size, allocator::Bytes{32ULL << 20});
  environment["PYTORCH_CUDA_ALLOC_CONF"] = "max_split_size_mb:64";
  EXPECT_EQ(options_with(environment).settings.max_split_size, allocator::Bytes{64ULL << 20});
}

TEST(ShimOptions, pass_over_what_would_take_handles_from_memory_that_is_not_pytorchs) {
  for (const char* name : {"PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF"}) {
    const ShimOptions options =
        options_with({{name, "expandable_segments:True,max_split_size_mb:64"}});
    EXPECT_FALSE(options.settings.expandable_segments);
    EXPECT_EQ(options.settings.max_split_size, allocator::Bytes{64ULL << 20});
    EXPECT_THAT(options.complaints, ElementsAre(HasSubstr("expandable_segments is passed over")));
  }
}

TEST(ShimOptions, take_a_string_that_only_a_newer_version_knows) {
  const ShimOptions options =
      options_with({{"VRAMLAB_ALLOC_CONF", "per_process_memory_fraction:0.5"}});
  EXPECT_EQ(options.settings.per_process_memory_fraction, 0.5);
  EXPECT_EQ(options.version->name, "2.12");
  EXPECT_THAT(options.complaints, IsEmpty());
}

TEST(ShimOptions, complain_about_a_string_that_cannot_be_read_and_take_the_defaults) {
  const ShimOptions options = options_with({{"VRAMLAB_ALLOC_CONF", "max_split_size_mb:many"}});
  EXPECT_EQ(options.settings, allocator::Settings{});
  EXPECT_THAT(options.complaints, ElementsAre(HasSubstr("going on with the defaults")));
}

TEST(ShimOptions, let_segments_expand_where_blocks_share_them) {
  for (const char* mode : {"deferred", "sync"}) {
    const ShimOptions options =
        options_with({{"VRAMLAB_SHIM", mode}, {"VRAMLAB_ALLOC_CONF", "expandable_segments:True"}});
    EXPECT_TRUE(options.settings.expandable_segments) << mode;
    EXPECT_THAT(options.complaints, IsEmpty());
  }
}

TEST(ShimOptions, say_that_segments_of_one_block_do_not_expand) {
  const ShimOptions options =
      options_with({{"VRAMLAB_ALLOC_CONF", "expandable_segments:True"}}, PreloadMode::nosplit);
  EXPECT_FALSE(options.settings.expandable_segments);
  EXPECT_THAT(options.complaints, ElementsAre(HasSubstr("does not apply to nosplit")));
}

TEST(ShimOptions, limit_what_is_idle_by_a_size_or_a_part_of_the_device) {
  const allocator::Bytes total{8ULL << 30};
  const auto limit = [&](const char* word) {
    return options_with({{"VRAMLAB_IDLE_LIMIT", word}}).idle_limit.on(total);
  };
  EXPECT_EQ(limit("512M"), allocator::Bytes{512ULL << 20});
  EXPECT_EQ(limit("2GiB"), allocator::Bytes{2ULL << 30});
  EXPECT_EQ(limit("4096"), allocator::Bytes{4096});
  EXPECT_EQ(limit("0"), allocator::Bytes{0});
  EXPECT_EQ(limit("50%"), allocator::Bytes{total.count / 100 * 50});
  EXPECT_EQ(options_with({}).idle_limit.on(total), std::nullopt);
  for (const char* word : {"101%", "much", "1T", "-1", "99999999999G", "%", "G"}) {
    EXPECT_EQ(limit(word), std::nullopt) << word;
    EXPECT_EQ(options_with({{"VRAMLAB_IDLE_LIMIT", word}}).complaints.size(), 1U) << word;
  }
}

TEST(ShimOptions, have_a_signal_for_idle_memory) {
  EXPECT_EQ(options_with({{"VRAMLAB_TRIM_SIGNAL", "USR2"}}).trim_signal, SIGUSR2);
  EXPECT_EQ(options_with({{"VRAMLAB_TRIM_SIGNAL", "KILL"}}).complaints.size(), 1U);
}

TEST(ShimOptions, have_paths_a_signal_and_a_byte) {
  const ShimOptions options = options_with({{"VRAMLAB_STATS", "stderr"},
                                            {"VRAMLAB_SNAPSHOT", "state.json"},
                                            {"VRAMLAB_HISTORY", "100000"},
                                            {"VRAMLAB_STACKS", "1"},
                                            {"VRAMLAB_WAITING_LIMIT", "512MiB"},
                                            {"VRAMLAB_REPORT_SIGNAL", "USR2"},
                                            {"VRAMLAB_FILL", "165"}});
  EXPECT_EQ(options.statistics_to, "stderr");
  EXPECT_EQ(options.snapshot_to, "state.json");
  EXPECT_EQ(options.history_entries, 100000U);
  EXPECT_TRUE(options.has_stacks);
  EXPECT_EQ(options.waiting_limit, allocator::Bytes{512ULL << 20});
  EXPECT_EQ(options.report_signal, SIGUSR2);
  EXPECT_EQ(options.fill, 165);
  EXPECT_THAT(options.complaints, IsEmpty());
}

TEST(ShimOptions, have_stacks_with_a_history_alone) {
  EXPECT_FALSE(options_with({{"VRAMLAB_HISTORY", "5"}}).has_stacks);
  const ShimOptions alone = options_with({{"VRAMLAB_STACKS", "1"}});
  EXPECT_FALSE(alone.has_stacks);
  EXPECT_EQ(alone.complaints.size(), 1U);
  EXPECT_EQ(options_with({{"VRAMLAB_HISTORY", "5"}, {"VRAMLAB_STACKS", "yes"}}).complaints.size(),
            1U);
}

TEST(ShimOptions, complain_about_other_signals_bytes_and_lengths) {
  const ShimOptions options = options_with(
      {{"VRAMLAB_REPORT_SIGNAL", "KILL"}, {"VRAMLAB_FILL", "256"}, {"VRAMLAB_HISTORY", "all"}});
  EXPECT_EQ(options.history_entries, 0U);
  EXPECT_EQ(options.report_signal, 0);
  EXPECT_EQ(options.fill, std::nullopt);
  EXPECT_EQ(options.complaints.size(), 3U);
}

}  // namespace
}  // namespace vramlab::tests
