// The least device memory, against trying every size.
#include "replay/capacity.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/support/program_file.h"
#include "tests/support/text_program.h"

namespace vramlab::replay {
namespace {

using allocator::Bytes;
using support::free_line;
using support::malloc_line;
using support::ProgramFile;

constexpr std::uint64_t mebibyte = 1ULL << 20;

struct Workload {
  std::uint32_t seed;
  const char* options;
};

/// Requests of a few sizes on two streams, some kept for long, some emptied caches.
std::string random_lines(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&random](std::uint32_t limit) { return random() % limit; };
  constexpr std::uint64_t sizes[] = {300'000,       700'000,       1'500'000,     3 * mebibyte,
                                     9'000'000,     12 * mebibyte, 25 * mebibyte, 30'000'000,
                                     45 * mebibyte, 64 * mebibyte};
  std::string lines;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> live;
  for (std::uint64_t id = 1; id <= 60; ++id) {
    const std::uint32_t stream = below(4) == 0 ? 1 : 0;
    lines +=
        malloc_line(id, sizes[below(std::size(sizes))], ",\"stream\":" + std::to_string(stream));
    live.emplace_back(id, stream);
    while (!live.empty() && below(5) < 2 + live.size() / 6) {
      const std::size_t which = below(static_cast<std::uint32_t>(live.size()));
      lines += free_line(live[which].first);
      live.erase(live.begin() + static_cast<std::ptrdiff_t>(which));
    }
    if (below(25) == 0) lines += "{\"empty_cache\":[0,0]}\n";
  }
  return lines;
}

bool runs_on(const LoadedRecording& recording, ReplayConditions conditions, Bytes size) {
  conditions.memory = size;
  return !recording.run(conditions).has_failures();
}

struct BruteForce {
  Bytes least;
  std::vector<SizeRange> fails_above;
};

BruteForce try_every_size(const LoadedRecording& recording, const ReplayConditions& conditions,
                          Bytes end) {
  BruteForce found;
  for (Bytes size = device_granule; size < end; size += device_granule) {
    const bool runs = runs_on(recording, conditions, size);
    if (runs && found.least == Bytes{}) found.least = size;
    if (runs || found.least == Bytes{}) continue;
    if (!found.fails_above.empty() && found.fails_above.back().below == size)
      found.fails_above.back().below = size + device_granule;
    else
      found.fails_above.push_back({size, size + device_granule});
  }
  return found;
}

class RandomWorkload : public testing::TestWithParam<const char*> {};

TEST_P(RandomWorkload, has_the_capacity_that_trying_every_size_finds) {
  std::size_t failing_above = 0;
  bool left_out_sizes = false;
  for (std::uint32_t seed = 1; seed <= 25; ++seed) {
    const ProgramFile file("capacity_test", random_lines(seed));
    const LoadedRecording recording(file.path(), {});
    ReplayConditions conditions;
    conditions.options = GetParam();
    const CapacityAnswer answer = find_capacity(recording, conditions, {});
    ASSERT_TRUE(answer.least);
    const BruteForce all =
        try_every_size(recording, conditions, answer.peak_reserved + device_granule * 2);
    ASSERT_EQ(*answer.least, all.least) << "seed " << seed;
    EXPECT_EQ(answer.fails_above, all.fails_above) << "seed " << seed;
    EXPECT_LE(answer.live->on_device, *answer.least);
    EXPECT_LE(answer.live->requested, answer.live->rounded);
    EXPECT_LE(answer.live->rounded, answer.live->on_device);
    failing_above += all.fails_above.size();
    left_out_sizes = left_out_sizes || answer.left_out_sizes;
  }
  RecordProperty("ranges_above_on_which_it_fails", static_cast<int>(failing_above));
  const bool is_expandable = std::string(GetParam()).starts_with("expandable");
  EXPECT_EQ(left_out_sizes, !is_expandable) << "sizes are left out where they may be";
}

INSTANTIATE_TEST_SUITE_P(Settings, RandomWorkload,
                         testing::Values("", "max_split_size_mb:32",
                                         "roundup_power2_divisions:2,max_split_size_mb:64",
                                         "expandable_segments:True"),
                         [](const auto& instance) {
                           return "options_" + std::to_string(instance.index);
                         });

TEST(Capacities, of_a_share_of_the_device_are_found_size_by_size) {
  const ProgramFile file("capacity_share", random_lines(7));
  const LoadedRecording recording(file.path(), {});
  ReplayConditions conditions;
  conditions.memory_fraction = 0.5;
  conditions.options = "garbage_collection_threshold:0.6";
  const CapacityAnswer answer = find_capacity(recording, conditions, {});
  ASSERT_TRUE(answer.least);
  EXPECT_FALSE(answer.left_out_sizes);
  for (Bytes size = device_granule; size < *answer.least; size += device_granule)
    ASSERT_FALSE(runs_on(recording, conditions, size)) << size.count;
  EXPECT_TRUE(runs_on(recording, conditions, *answer.least));
}

TEST(Capacities, are_said_not_to_exist_where_nothing_runs) {
  const ProgramFile file("capacity_none", malloc_line(1, 3ULL << 40));
  const LoadedRecording recording(file.path(), {});
  EXPECT_EQ(find_capacity(recording, {}, {}).least, std::nullopt);
}

TEST(Capacities, beside_other_users_of_the_device_leave_them_their_memory) {
  const ProgramFile file("capacity_external",
                         "{\"external\":104857600}\n" + malloc_line(1, 20 * mebibyte));
  const LoadedRecording recording(file.path(), {});
  EXPECT_EQ(find_capacity(recording, {}, {}).least, Bytes{120 * mebibyte});
}

TEST(LiveBoundsOfPrograms, are_the_most_that_is_live_at_a_time) {
  const ProgramFile file("live_bounds", malloc_line(1, 1000) + malloc_line(2, 3 * mebibyte) +
                                            free_line(2) + malloc_line(3, 2 * mebibyte + 1) +
                                            malloc_line(4, 700, ",\"stream\":1"));
  const LoadedRecording recording(file.path(), {});
  const auto bounds = live_bounds(recording.parts().front(), {});
  ASSERT_TRUE(bounds);
  EXPECT_EQ(bounds->requested, Bytes{3 * mebibyte + 1000});
  EXPECT_EQ(bounds->rounded, Bytes{3 * mebibyte + 1024});
  EXPECT_EQ(bounds->on_device, (device_granule * 4))
      << "small ones of two streams, and two granules for the large one";
}

}  // namespace
}  // namespace vramlab::replay
