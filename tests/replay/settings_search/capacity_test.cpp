// The least device memory, against trying every size.
#include "replay/settings_search/capacity.h"

#include <gtest/gtest.h>

#include <optional>
#include <random>

#include "tests/support/kit/program_file.h"
#include "tests/support/kit/text_program.h"
#include "tests/support/recordings/replayed.h"

namespace vramlab::replay {
namespace {

using allocator::Bytes;
using support::free_line;
using support::malloc_line;
using support::mebibyte;
using support::ProgramFile;

struct Conditions {
  const char* options;
  std::optional<double> memory_fraction = {};
  /// Options and fractions change on the way.
  bool changes_options = false;
};

std::string random_change(std::uint32_t which) {
  switch (which) {
    case 0:
      return "{\"options\":\"garbage_collection_threshold:0.7\"}\n";
    case 1:
      return "{\"options\":\"expandable_segments:True\"}\n";
    case 2:
      return "{\"options\":\"expandable_segments:False\"}\n";
    case 3:
      return "{\"memory_fraction\":0.4}\n";
    case 4:
      return "{\"memory_fraction\":0.7}\n";
    default:
      return "{\"external\":60000000}\n";
  }
}

/// Requests of a few sizes on two streams, some kept for long, some emptied caches.
std::string random_lines(std::uint32_t seed, bool changes_options = false) {
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
    if (changes_options && below(12) == 0)
      lines += random_change(static_cast<std::uint32_t>(below(6)));
  }
  return lines;
}

bool runs_on(const Replayer& replayer, ReplayConditions conditions, Bytes size) {
  conditions.memory = size;
  return !replayer.figures(conditions).has_failures();
}

struct BruteForce {
  Bytes least;
  std::vector<SizeRange> fails_above;
};

BruteForce try_every_size(const Replayer& replayer, const ReplayConditions& conditions, Bytes end) {
  BruteForce found;
  for (Bytes size = device_granule; size < end; size += device_granule) {
    const bool runs = runs_on(replayer, conditions, size);
    if (runs && found.least == Bytes{}) found.least = size;
    if (runs || found.least == Bytes{}) continue;
    if (!found.fails_above.empty() && found.fails_above.back().below == size)
      found.fails_above.back().below = size + device_granule;
    else
      found.fails_above.push_back({size, size + device_granule});
  }
  return found;
}

class RandomWorkload : public testing::TestWithParam<Conditions> {};

TEST_P(RandomWorkload, has_the_capacity_that_trying_every_size_finds) {
  const Conditions& asked = GetParam();
  std::uint64_t replays = 0;
  std::uint64_t sizes = 0;
  for (std::uint32_t seed = 1; seed <= 12; ++seed) {
    const ProgramFile file("capacity_test", random_lines(seed, asked.changes_options));
    const tests::Replayed replayed(file.path());
    ReplayConditions conditions;
    if (!asked.changes_options) conditions.options = asked.options;
    conditions.memory_fraction = asked.memory_fraction;
    const CapacityAnswer answer = find_capacity(replayed.replayer(), conditions, {});
    ASSERT_TRUE(answer.least);
    const bool has_share = asked.memory_fraction.has_value() || asked.changes_options;
    const Bytes end = answer.peak_reserved * (has_share ? 4 : 2);
    const BruteForce all = try_every_size(replayed.replayer(), conditions, end);
    ASSERT_EQ(*answer.least, all.least) << "seed " << seed;
    EXPECT_EQ(answer.fails_above, all.fails_above) << "seed " << seed;
    if (answer.live) {
      EXPECT_LE(answer.live->on_device, *answer.least);
      EXPECT_LE(answer.live->requested, answer.live->rounded);
      EXPECT_LE(answer.live->rounded, answer.live->on_device);
    }
    replays += answer.replays;
    sizes += end / device_granule;
  }
  RecordProperty("replays", static_cast<int>(replays));
  RecordProperty("sizes", static_cast<int>(sizes));
  EXPECT_LT(replays, sizes / 4) << "sizes are left out";
}

INSTANTIATE_TEST_SUITE_P(
    Settings, RandomWorkload,
    testing::Values(Conditions{""}, Conditions{"max_split_size_mb:32"},
                    Conditions{"roundup_power2_divisions:2,max_split_size_mb:64"},
                    Conditions{"expandable_segments:True"},
                    Conditions{"expandable_segments:True,max_split_size_mb:32"},
                    Conditions{"", 0.5}, Conditions{"garbage_collection_threshold:0.6", 0.5},
                    Conditions{"expandable_segments:True,garbage_collection_threshold:0.8", 0.7},
                    Conditions{"", {}, true}),
    [](const auto& instance) { return "conditions_" + std::to_string(instance.index); });

TEST(Capacities, of_the_stream_ordered_pool_are_what_trying_every_size_finds) {
  for (std::uint32_t seed = 1; seed <= 10; ++seed) {
    const ProgramFile file("capacity_ordered", random_lines(seed));
    const tests::Replayed replayed(file.path());
    ReplayConditions conditions;
    conditions.options = "backend:cudaMallocAsync";
    if (seed % 2 == 0) conditions.memory_fraction = 0.5;
    const CapacityAnswer answer = find_capacity(replayed.replayer(), conditions, {});
    ASSERT_TRUE(answer.least);
    const BruteForce all =
        try_every_size(replayed.replayer(), conditions, answer.peak_reserved * 3);
    EXPECT_EQ(*answer.least, all.least) << "seed " << seed;
    EXPECT_EQ(answer.fails_above, all.fails_above) << "seed " << seed;
  }
}

TEST(Capacities, look_no_further_above_once_the_replays_went_through_so_many_events) {
  const ProgramFile file("capacity_effort", random_lines(3));
  const tests::Replayed replayed(file.path());
  const CapacityAnswer all = find_capacity(replayed.replayer(), {}, {});
  const CapacityAnswer some = find_capacity(replayed.replayer(), {}, {.events_above = 250});
  EXPECT_EQ(some.least, all.least);
  ASSERT_TRUE(some.looked_up_to);
  EXPECT_LT(*some.looked_up_to, all.peak_reserved * 2);
  EXPECT_LT(some.replays, all.replays);
  const CapacityAnswer none = find_capacity(replayed.replayer(), {}, {.replays_above = 0});
  EXPECT_EQ(none.looked_up_to, none.least);
}

TEST(Capacities, are_of_all_of_a_device_of_which_others_hold_a_part) {
  const ProgramFile file("capacity_held",
                         "{\"external\":104857600}\n" + malloc_line(1, 20 * mebibyte));
  const tests::Replayed replayed(file.path());
  ReplayConditions conditions;
  conditions.held_by_others = Bytes{30 * mebibyte};
  EXPECT_EQ(find_capacity(replayed.replayer(), conditions, {}).least, Bytes{50 * mebibyte})
      << "in place of what the file says of them";
}

TEST(Capacities, are_said_not_to_exist_where_nothing_runs) {
  const ProgramFile file("capacity_none", malloc_line(1, 3ULL << 40));
  const tests::Replayed replayed(file.path());
  EXPECT_EQ(find_capacity(replayed.replayer(), {}, {}).least, std::nullopt);
}

TEST(Capacities, beside_other_users_of_the_device_leave_them_their_memory) {
  const ProgramFile file("capacity_external",
                         "{\"external\":104857600}\n" + malloc_line(1, 20 * mebibyte));
  const tests::Replayed replayed(file.path());
  EXPECT_EQ(find_capacity(replayed.replayer(), {}, {}).least, Bytes{120 * mebibyte});
}

TEST(LiveBoundsOfPrograms, are_the_most_that_is_live_at_a_time) {
  const ProgramFile file("live_bounds", malloc_line(1, 1000) + malloc_line(2, 3 * mebibyte) +
                                            free_line(2) + malloc_line(3, 2 * mebibyte + 1) +
                                            malloc_line(4, 700, ",\"stream\":1"));
  const tests::Replayed replayed(file.path());
  const auto bounds = live_bounds(replayed.replayer(), {});
  ASSERT_TRUE(bounds);
  EXPECT_EQ(bounds->requested, Bytes{3 * mebibyte + 1000});
  EXPECT_EQ(bounds->rounded, Bytes{3 * mebibyte + 1024});
  EXPECT_EQ(bounds->on_device, (device_granule * 4))
      << "small ones of two streams, and two granules for the large one";
}

TEST(LiveBoundsOfPrograms, are_rounded_as_given_where_options_on_the_way_are_left_out) {
  const ProgramFile file("live_options",
                         "{\"options\":\"max_split_size_mb:64\"}\n" + malloc_line(1, 5 * mebibyte));
  const tests::Replayed replayed(file.path());
  Settings settings;
  settings.roundup_divisions.fill(2);
  const auto rounded = [&](OptionsOnTheWay options) {
    return live_bounds(replayed.replayer(), settings, {.options = options})->rounded;
  };
  EXPECT_EQ(rounded(OptionsOnTheWay::hold), Bytes{5 * mebibyte});
  EXPECT_EQ(rounded(OptionsOnTheWay::left_out), Bytes{6 * mebibyte});
}

}  // namespace
}  // namespace vramlab::replay
