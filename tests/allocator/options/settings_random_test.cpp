// Seeded random option strings: the checks of the fuzz target, in every run of the tests.
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>
#include <string_view>

#include "tests/support/fuzz/settings_fuzz_body.h"

namespace vramlab::support {
namespace {

constexpr std::array<std::string_view, 17> names = {"max_split_size_mb",
                                                    "max_non_split_rounding_mb",
                                                    "garbage_collection_threshold",
                                                    "roundup_power2_divisions",
                                                    "expandable_segments",
                                                    "release_lock_on_cudamalloc",
                                                    "pinned_use_hip_host_register",
                                                    "pinned_num_register_threads",
                                                    "pinned_use_background_threads",
                                                    "backend",
                                                    "large_segment_size_mb",
                                                    "per_process_memory_fraction",
                                                    "throw_on_cudamalloc_oom",
                                                    "graph_capture_record_stream_reuse",
                                                    "pinned_free_catch_all",
                                                    "pinned_reserve_segment_size_mb",
                                                    "nonsense"};
constexpr std::array<std::string_view, 28> values = {
    "True", "False", "native", "cudaMallocAsync",
    "0",    "1",     "2",      "8",
    "11",   "20",    "21",     "64",
    "128",  "256",   "0.5",    "-0.1",
    "1.0",  "64x",   "[4:2]",  "[]",
    "[",    "[>:8]", "nan",    "[1:2,>:4,16:8]",
    "]",    "",      "[4:2,",  "18446744073709551615"};
constexpr std::array<std::string_view, 7> separators = {":", ",", "[", "]", " ", "\t", ""};

template <typename Words>
std::string_view one_of(const Words& words, std::mt19937_64& random) {
  return words[random() % words.size()];
}

/// A mostly well-formed string, so that the parser gets far before it stumbles.
std::string random_option_string(std::mt19937_64& random) {
  std::string text;
  for (std::uint64_t option = random() % 5; option > 0; --option) {
    const auto separator = [&](std::string_view right) {
      return random() % 16 == 0 ? one_of(separators, random) : right;
    };
    text += one_of(names, random);
    text += separator(":");
    text += one_of(values, random);
    text += separator(",");
  }
  return text;
}

std::string random_bytes(std::mt19937_64& random) {
  std::string text(random() % 40, ' ');
  for (char& byte : text) byte = static_cast<char>(random() & 0xff);
  return text;
}

TEST(SettingsFromRandomStrings, break_no_rule) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    std::mt19937_64 random(seed);
    const std::string text = random_option_string(random);
    EXPECT_EQ(broken_rule_of_settings(text), std::nullopt) << "seed " << seed << ": " << text;
  }
}

TEST(SettingsFromRandomStrings, break_no_rule_where_they_are_any_bytes) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    std::mt19937_64 random(seed);
    const std::string text = random_bytes(random);
    EXPECT_EQ(broken_rule_of_settings(text), std::nullopt) << "seed " << seed;
  }
}

}  // namespace
}  // namespace vramlab::support
