// Advice: workloads with a known best setting, and every bundled sample against its whole grid.
#include "replay/settings_search/advise.h"
#include "replay/replayer/replay_setup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/kit/program_file.h"
#include "tests/support/kit/text_program.h"
#include "tests/support/processes/places.h"
#include "tests/support/recordings/replayed.h"

namespace vramlab::replay {
namespace {

using allocator::Bytes;
using support::free_line;
using support::malloc_line;
using support::mebibyte;
using support::ProgramFile;
using testing::HasSubstr;

RunSettings runner(const Replayers& replayers, const ReplayConditions& conditions) {
  return [replayers, conditions](const std::vector<AskedSetting>& settings) {
    std::vector<SweepRow> rows;
    for (const AskedSetting& setting : settings) {
      ReplayConditions own = conditions;
      if (!setting.is_recorded) own.options = setting.conf;
      SweepRow& row = rows.emplace_back(SweepRow{setting.conf, setting.is_recorded, {}, {}});
      for (const Replayer* const replayer : replayers)
        row.files.push_back(figures_of(replayer->file(), replayer->figures(own)));
    }
    return rows;
  };
}

Advice advice_for(const Replayer& replayer, const AdviseOptions& options) {
  return advise({&replayer}, options, runner({&replayer}, options.conditions));
}

Advice advice_for(const std::string& lines, const AdviseOptions& options = {}) {
  const ProgramFile file("advise_test", lines);
  const tests::Replayed replayed(file.path());
  return advice_for(replayed.replayer(), options);
}

/// Each iteration asks for a little more than the last one gave back.
std::string variable_batches() {
  std::string lines;
  std::uint64_t id = 0;
  for (std::uint64_t step = 0; step < 12; ++step) {
    const std::uint64_t first = id + 1;
    for (int layer = 0; layer < 6; ++layer) lines += malloc_line(++id, (40 + 7 * step) * mebibyte);
    for (std::uint64_t i = first; i <= id; ++i) lines += free_line(i);
  }
  return lines;
}

/// A block of 400 MiB comes and goes; in between small ones that stay take from it, so that it has
/// to be asked for again. They come in units of 20 MiB on streams of their own, of which expandable
/// segments map whole ones.
std::string one_huge_block() {
  std::string lines;
  std::uint64_t id = 0;
  for (int round = 0; round < 4; ++round) {
    const std::uint64_t huge = ++id;
    lines += malloc_line(huge, 400 * mebibyte) + free_line(huge);
    lines += malloc_line(++id, 12 * mebibyte);
  }
  const std::uint64_t last = ++id;
  lines += malloc_line(last, 400 * mebibyte);
  for (int stream = 1; stream <= 30; ++stream)
    lines += malloc_line(++id, 10 * mebibyte, ",\"stream\":" + std::to_string(stream));
  return lines;
}

/// Sizes that differ a little from iteration to iteration, each with a stream of its own, of which
/// an expandable segment would map whole units.
std::string nearly_equal_sizes() {
  std::string lines;
  std::uint64_t id = 0;
  for (std::uint64_t step = 0; step < 8; ++step)
    for (int stream = 0; stream < 16; ++stream) {
      lines += malloc_line(++id, (25 + step) * mebibyte - 12 * step * 1024,
                           ",\"stream\":" + std::to_string(stream));
      lines += free_line(id);
    }
  return lines;
}

/// Segments that were used once stay cached while others are needed.
std::string idle_segments() {
  std::string lines;
  std::uint64_t id = 0;
  for (std::uint64_t phase = 0; phase < 6; ++phase) {
    for (int stream = 0; stream < 4; ++stream) {
      lines += malloc_line(++id, 30 * mebibyte + phase * 20 * mebibyte,
                           ",\"stream\":" + std::to_string(100 * phase + stream));
      lines += free_line(id);
    }
    for (int again = 0; again < 40; ++again) {
      lines += malloc_line(++id, 11 * mebibyte);
      lines += free_line(id);
    }
  }
  return lines;
}

struct KnownWorkload {
  const char* name;
  std::string (*lines)();
  const char* option;
  std::optional<double> memory_fraction;
};

class KnownBest : public testing::TestWithParam<KnownWorkload> {};

TEST_P(KnownBest, is_found) {
  AdviseOptions options;
  options.conditions.memory_fraction = GetParam().memory_fraction;
  if (options.conditions.memory_fraction) options.conditions.memory = Bytes{1200 * mebibyte};
  const Advice advice = advice_for(GetParam().lines(), options);
  EXPECT_THAT(advice.best.conf, HasSubstr(GetParam().option));
  EXPECT_FALSE(advice.nothing_helps());
  EXPECT_LT(value_of(advice.best.worst().metrics, "peak_reserved"),
            value_of(advice.usual.worst().metrics, "peak_reserved"));
}

Advice advice_for_recorded(const std::string& lines, const AdviseOptions& options,
                           const std::string& settings) {
  const ProgramFile file("advise_test", lines, R"(,"settings":")" + settings + R"(")");
  const tests::Replayed replayed(file.path());
  return advice_for(replayed.replayer(), options);
}

TEST_P(KnownBest, stays_where_it_was_recorded) {
  AdviseOptions options;
  options.conditions.memory_fraction = GetParam().memory_fraction;
  if (options.conditions.memory_fraction) options.conditions.memory = Bytes{1200 * mebibyte};
  const std::string best = advice_for(GetParam().lines(), options).best.conf;
  const Advice advice = advice_for_recorded(GetParam().lines(), options, best);
  EXPECT_TRUE(advice.nothing_helps());
  EXPECT_TRUE(advice.best.is_recorded);
  EXPECT_EQ(advice.best.conf, best);
  EXPECT_FALSE(advice.runner_up);
  EXPECT_FALSE(saves_against(advice.usual, advice.best, Preference::memory));
}

INSTANTIATE_TEST_SUITE_P(Workloads, KnownBest,
                         testing::Values(KnownWorkload{"variable_batches", variable_batches,
                                                       "expandable_segments:True", std::nullopt},
                                         KnownWorkload{"one_huge_block", one_huge_block,
                                                       "max_split_size_mb", std::nullopt},
                                         KnownWorkload{"nearly_equal_sizes", nearly_equal_sizes,
                                                       "roundup_power2_divisions", std::nullopt},
                                         KnownWorkload{"idle_segments", idle_segments,
                                                       "garbage_collection_threshold", 0.9}),
                         [](const auto& instance) { return std::string(instance.param.name); });

TEST(Advices, say_that_nothing_helps_where_all_is_live) {
  const Advice advice = advice_for(malloc_line(1, 64 * mebibyte) + malloc_line(2, 32 * mebibyte));
  EXPECT_TRUE(advice.nothing_helps());
  EXPECT_EQ(advice.live->rounded, Bytes{96 * mebibyte});
}

/// One segment of 20 MiB, or ten mapped units: as much memory, and another modelled time.
TEST(Advices, say_that_nothing_helps_where_only_modelled_time_differs) {
  const Advice advice = advice_for(malloc_line(1, 1) + free_line(1));
  EXPECT_TRUE(advice.nothing_helps());
  EXPECT_FALSE(advice.is_decided_by_time(Preference::memory));
}

TEST(Advices, say_that_nothing_helps_where_a_setting_saves_calls_alone_unless_calls_count) {
  std::string lines;
  for (std::uint64_t id = 1; id <= 12; ++id) lines += malloc_line(id, 10 * mebibyte);
  EXPECT_TRUE(advice_for(lines).nothing_helps());
}

/// So rounded, 48 MiB and a byte take 64 MiB.
TEST(Advices, leave_recorded_options_that_are_worse_than_none) {
  const Advice advice =
      advice_for_recorded(malloc_line(1, 48 * mebibyte + 1) + malloc_line(2, mebibyte), {},
                          "roundup_power2_divisions:2");
  EXPECT_TRUE(advice.nothing_helps());
  EXPECT_EQ(advice.best.conf, "");
  EXPECT_TRUE(saves_against(advice.usual, advice.recorded, Preference::memory));
}

TEST(Advices, name_a_next_best_setting_only_if_it_saves_something) {
  for (const std::string& lines : {variable_batches(), one_huge_block(), nearly_equal_sizes(),
                                   malloc_line(1, 64 * mebibyte) + malloc_line(2, 32 * mebibyte)}) {
    const Advice advice = advice_for(lines);
    EXPECT_TRUE(!advice.runner_up ||
                saves_against(*advice.runner_up, advice.usual, Preference::memory));
  }
}

TEST(Advices, say_that_time_decides_where_it_was_asked_for) {
  AdviseOptions options;
  options.preference = Preference::time;
  const Advice advice = advice_for(variable_batches(), options);
  EXPECT_EQ(advice.is_decided_by_time(Preference::time), !advice.nothing_helps());
}

TEST(Advices, prefer_what_was_asked_for) {
  AdviseOptions options;
  options.preference = Preference::calls;
  const Advice advice = advice_for(variable_batches(), options);
  EXPECT_LE(device_calls_of(advice.best.worst().metrics),
            device_calls_of(advice.usual.worst().metrics));
}

TEST(Advices, take_what_fits_over_what_does_not) {
  AdviseOptions options;
  options.conditions.memory = Bytes{760 * mebibyte};
  const Advice advice = advice_for(variable_batches(), options);
  EXPECT_FALSE(advice.best.worst().failed);
}

/// No setting of the grid is better for the worst of them.
void expect_best_of_grid(const Advice& advice, const Replayers& replayers) {
  const RunSettings run = runner(replayers, {});
  for (const std::string& conf : settings_of_grid(options_that_matter(replayers, {}))) {
    const SweepRow row = run({{conf, false}}).front();
    EXPECT_FALSE(saves_against(row, advice.best, Preference::memory))
        << conf << " is better than " << advice.best.conf;
  }
}

/// Alone they want different options, and one needs more than the other.
TEST(Advices, are_the_best_for_the_worst_of_two_recordings) {
  const ProgramFile batches("advise_first", variable_batches());
  const ProgramFile sizes("advise_second", nearly_equal_sizes());
  const tests::Replayed first(batches.path());
  const tests::Replayed second(sizes.path());
  const Replayers replayers = {&first.replayer(), &second.replayer()};
  const Advice advice = advise(replayers, {}, runner(replayers, {}));
  EXPECT_EQ(advice.best.files.size(), 2U);
  EXPECT_LE(advice.runs * 5, advice.grid_size);
  expect_best_of_grid(advice, replayers);
}

class AdvisedSample : public testing::TestWithParam<const char*> {};

TEST_P(AdvisedSample, gets_the_best_of_its_whole_grid_with_a_fifth_of_the_runs) {
  const std::string path = support::source_dir() + "/traces/samples/" + std::string(GetParam());
  for (const char* version : {"2.6", "2.12"}) {
    const tests::Replayed replayed(path, {allocator::find_reference_version(version)});
    const Advice advice = advice_for(replayed.replayer(), {});
    EXPECT_LE(advice.runs * 5, advice.grid_size) << version;
    const RunSettings run = runner({&replayed.replayer()}, {});
    for (const std::string& conf :
         settings_of_grid(options_that_matter({&replayed.replayer()}, {}))) {
      if (refusal_of(conf, replayed.replayer().version())) continue;
      const SweepRow row = run({{conf, false}}).front();
      EXPECT_FALSE(saves_against(row, advice.best, Preference::memory))
          << version << ": " << conf << " is better than " << advice.best.conf;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Bundled, AdvisedSample,
                         testing::Values("diffusion.vtrace", "experts.vtrace", "fragments.vtrace",
                                         "graphs.vtrace.jsonl", "leak.vtrace",
                                         "missing_record_stream.vtrace.jsonl",
                                         "overlap.vtrace.jsonl",
                                         "overused_record_stream.vtrace.jsonl", "recompute.vtrace",
                                         "serving.vtrace.jsonl", "training.vtrace"),
                         [](const auto& instance) {
                           const std::string name = instance.param;
                           return name.substr(0, name.find('.'));
                         });

}  // namespace
}  // namespace vramlab::replay
