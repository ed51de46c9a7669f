// Options that change while a program runs: where they could, what that saves, and that nothing is
// advised where nothing pays.
#include "replay/settings_search/phases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "allocator/types/reference_version.h"
#include "replay/replayer/replay_setup.h"
#include "tests/support/kit/program_file.h"
#include "tests/support/kit/text_program.h"
#include "traces/formats/open_trace.h"

namespace vramlab::replay {
namespace {

using support::free_line;
using support::malloc_line;
using support::mebibyte;
using support::ProgramFile;
using testing::HasSubstr;

/// Lines of main.py: 10 loads, 20 serves, 30 runs after each request.
constexpr const char* stacks =
    R"({"frame":1,"is":{"name":"main","filename":"/home/me/main.py","line":10}}
{"frame":2,"is":{"name":"main","filename":"/home/me/main.py","line":20}}
{"frame":3,"is":{"name":"main","filename":"/home/me/main.py","line":30}}
{"frame":4,"is":{"name":"forward","filename":"/usr/lib/python3/site-packages/torch/nn.py","line":7}}
{"stack":1,"frames":[1]}
{"stack":2,"frames":[4,2]}
{"stack":3,"frames":[3]}
)";

std::string at(int stack) { return ",\"stack\":" + std::to_string(stack); }

/// Weights that no rounding suits.
std::string load(std::uint64_t& id) {
  std::string lines;
  for (int weight = 0; weight < 24; ++weight) lines += malloc_line(++id, 33 * mebibyte, at(1));
  return lines;
}

/// Each round asks for a little more than the last one gave back.
std::string serve(std::uint64_t& id) {
  std::string lines;
  for (std::uint64_t round = 0; round < 12; ++round) {
    const std::uint64_t first = id + 1;
    for (int layer = 0; layer < 6; ++layer)
      lines += malloc_line(++id, (40 + 7 * round) * mebibyte, at(2));
    for (std::uint64_t i = first; i <= id; ++i) lines += free_line(i);
    lines += malloc_line(++id, 1024, at(3));
    lines += free_line(id);
  }
  return lines;
}

std::string load_and_serve(const std::string& between = "") {
  std::uint64_t id = 0;
  const std::string weights = load(id);
  return stacks + weights + between + serve(id);
}

struct Opened {
  explicit Opened(const std::string& lines)
      : file("phases_test", lines),
        recording(traces::open_trace(file.path())),
        replayer(recording) {}
  ProgramFile file;
  Recording recording;
  Replayer replayer;
};

RunSettings runner(const Replayer& replayer, const ReplayConditions& conditions) {
  return [&replayer, conditions](const std::vector<AskedSetting>& settings) {
    std::vector<SweepRow> rows;
    for (const AskedSetting& setting : settings) {
      ReplayConditions own = conditions;
      own.options = setting.conf;
      own.changes = setting.changes;
      rows.push_back({setting.conf, false, {}, {figures_of("case", replayer.figures(own))}});
    }
    return rows;
  };
}

AdviseOptions without_expandable() {
  AdviseOptions options;
  options.conditions.own_options = OwnOptions::kept;
  options.without = {"expandable_segments"};
  return options;
}

PhasesAdvice phases_of(const Opened& opened, const AdviseOptions& options) {
  const RunSettings run = runner(opened.replayer, options.conditions);
  ReplayConditions single = options.conditions;
  single.own_options = OwnOptions::left_out;
  const Advice advice = advise({&opened.replayer}, {single, options.preference, options.without},
                               [&](const std::vector<AskedSetting>& settings) {
                                 return runner(opened.replayer, single)(settings);
                               });
  return find_phases({opened.recording, options, advice.best.conf}, opened.replayer, run);
}

std::int64_t peak_of(const SweepRow& row) { return value_of(row.worst().metrics, "peak_reserved"); }

TEST(Phases, other_options_from_the_line_that_serves_on_pay) {
  const Opened opened(load_and_serve());
  const AdviseOptions options = without_expandable();
  const PhasesAdvice found = phases_of(opened, options);
  ASSERT_EQ(found.changes.size(), 1U);
  EXPECT_EQ(found.conf_at_start, "");
  EXPECT_THAT(found.changes.front().conf, HasSubstr("roundup_power2_divisions:"));
  const PhasePlace& place = found.changes.front().place;
  EXPECT_EQ(place.kind, PlaceKind::before_line);
  EXPECT_EQ(opened.recording.tables().frames.frame(*place.frame).line, 20);
  EXPECT_LT(peak_of(found.best), peak_of(found.single));
  EXPECT_LT(peak_of(found.best), peak_of(found.usual));
}

TEST(Phases, the_best_single_string_may_have_a_list_as_a_value) {
  const Opened opened(load_and_serve());
  const AdviseOptions options = without_expandable();
  const std::string single = "roundup_power2_divisions:[256:1, >:4], max_split_size_mb:200";
  const PhasesAdvice found = find_phases({opened.recording, options, single}, opened.replayer,
                                         runner(opened.replayer, options.conditions));
  EXPECT_EQ(found.single.conf, "max_split_size_mb:200,roundup_power2_divisions:[256:1,>:4]");
  EXPECT_LE(peak_of(found.best), peak_of(found.single));
}

TEST(Phases, nothing_is_advised_where_no_change_pays) {
  std::uint64_t id = 0;
  std::string lines = stacks + load(id);
  for (int round = 0; round < 10; ++round) {
    lines += malloc_line(++id, 64 * mebibyte, at(2));
    lines += free_line(id);
  }
  const PhasesAdvice found = phases_of(Opened(lines), without_expandable());
  EXPECT_TRUE(found.changes.empty());
  EXPECT_GT(found.place_count, 0U);
  EXPECT_EQ(peak_of(found.best), peak_of(found.single));
}

TEST(Phases, a_change_is_what_the_same_string_in_the_program_is) {
  const std::string conf = "roundup_power2_divisions:2,expandable_segments:True";
  const Opened plain(load_and_serve());
  ReplayConditions asked{.options = "", .own_options = OwnOptions::kept};
  asked.changes = {{24, plain.replayer.tables().texts.intern(conf)}};
  const Opened written(load_and_serve("{\"options\":\"" + conf + "\"}\n"));
  const ReplayConditions as_written{.options = "", .own_options = OwnOptions::kept};
  const auto changed = figures_of("case", plain.replayer.figures(asked));
  EXPECT_EQ(changed.metrics, figures_of("case", written.replayer.figures(as_written)).metrics);
  // Event by event the same.
  EXPECT_EQ(value_of(figures_of("case", plain.replayer.run(asked)).metrics, "peak_reserved"),
            value_of(changed.metrics, "peak_reserved"));
  const ReplayConditions none{.options = "", .own_options = OwnOptions::kept};
  EXPECT_NE(changed.metrics, figures_of("case", plain.replayer.figures(none)).metrics);
}

TEST(Phases, places_are_lines_that_run_for_the_first_time_and_marks) {
  const Opened opened(
      load_and_serve("{\"marker\":\"out of memory\"}\n{\"range_begin\":\"warm\"}\n"));
  const std::vector<PhasePlace> places = phase_places(opened.recording, opened.replayer);
  ASSERT_EQ(places.size(), 2U);
  // The mark stands for line 20, which runs first there.
  EXPECT_EQ(places[0].kind, PlaceKind::at_mark);
  EXPECT_EQ(places[0].mark, "warm");
  EXPECT_EQ(places[1].kind, PlaceKind::before_line);
  EXPECT_EQ(opened.recording.tables().frames.frame(*places[1].frame).line, 30);
  // It runs again in each round.
  EXPECT_GT(places[1].last_begin, places[1].event);
}

TEST(Phases, a_marked_place_is_as_good_as_a_line) {
  const Opened opened(load_and_serve("{\"range_begin\":\"warm\"}\n"));
  const PhasesAdvice found = phases_of(opened, without_expandable());
  ASSERT_EQ(found.changes.size(), 1U);
  EXPECT_EQ(found.changes.front().place.mark, "warm");
}

TEST(Phases, an_option_that_must_not_be_used_is_in_no_advice) {
  const Opened opened(load_and_serve());
  const RunSettings run = runner(opened.replayer, {});
  const Advice free_choice = advise({&opened.replayer}, {}, run);
  EXPECT_THAT(free_choice.best.conf, HasSubstr("expandable_segments:True"));
  AdviseOptions options;
  options.without = {"expandable_segments", "roundup_power2_divisions"};
  const Advice bound = advise({&opened.replayer}, options, run);
  EXPECT_FALSE(names_any(bound.best.conf, options.without)) << bound.best.conf;
  EXPECT_LT(bound.grid_size, free_choice.grid_size);
}

TEST(Phases, the_name_of_an_option_is_a_whole_word) {
  EXPECT_TRUE(names_any("a:1, max_split_size_mb:64", {"max_split_size_mb"}));
  EXPECT_FALSE(names_any("a:1,pinned_max_split_size_mb:64", {"max_split_size_mb"}));
  EXPECT_FALSE(names_any("", {"max_split_size_mb"}));
}

TEST(Phases, python_has_another_function_in_newer_versions) {
  EXPECT_EQ(python_setter("a:1", *allocator::find_reference_version("2.6")),
            "torch.cuda.memory._set_allocator_settings(\"a:1\")");
  EXPECT_EQ(python_setter("a:1", *allocator::find_reference_version("2.15")),
            "torch._C._accelerator_setAllocatorSettings(\"a:1\")");
}

}  // namespace
}  // namespace vramlab::replay
