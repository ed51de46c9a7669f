// Every workload is a program that can be run, the same seed makes the same bytes, and both forms
// of the trace say the same.
#include "traces/workloads/workload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>

#include "tests/support/fuzz/native_rewriting.h"
#include "tests/support/kit/generated.h"
#include "tests/support/recordings/program_rules.h"
#include "traces/io/input_error.h"

namespace vramlab::traces {
namespace {

using support::generated_file;
using support::GeneratedEvents;
using support::ProgramRules;
using support::small_workload;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class EveryWorkload : public testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Workloads, EveryWorkload, testing::ValuesIn(support::workload_names));

TEST_P(EveryWorkload, keeps_the_rules_of_a_program) {
  for (const std::uint64_t seed : {0U, 1U, 2U, 3U, 4'000'000'000U}) {
    SnapshotTables tables;
    ProgramRules rules(tables);
    generate_workload(small_workload(GetParam(), seed), tables, rules);
    rules.finish();
    EXPECT_THAT(rules.broken(), IsEmpty()) << "seed " << seed;
    EXPECT_EQ(rules.count(ProgramEventKind::range_begin), rules.count(ProgramEventKind::range_end));
    EXPECT_GT(rules.count(ProgramEventKind::range_begin), 0U);
    EXPECT_GT(rules.count(ProgramEventKind::work), 0U);
  }
}

TEST_P(EveryWorkload, frees_all_but_what_is_leaked_on_purpose) {
  SnapshotTables tables;
  ProgramRules rules(tables);
  generate_workload(small_workload(GetParam()), tables, rules);
  const bool leaks = std::string(GetParam()) == "leak";
  EXPECT_EQ(rules.live_bytes() != 0, leaks);
}

TEST_P(EveryWorkload, has_about_as_many_events_as_were_asked_for) {
  for (const std::uint64_t asked : {50'000U, 200'000U}) {
    WorkloadRequest request = small_workload(GetParam());
    request.event_count = asked;
    SnapshotTables tables;
    ProgramRules rules(tables);
    generate_workload(request, tables, rules);
    EXPECT_GE(rules.event_count(), asked);
    EXPECT_LE(rules.event_count(), asked + 40'000);
  }
}

TEST_P(EveryWorkload, same_seed_same_bytes) {
  const WorkloadRequest request = small_workload(GetParam(), 7);
  for (const TraceFormat format : {TraceFormat::native_text, TraceFormat::native_binary})
    EXPECT_EQ(generated_file(request, format), generated_file(request, format));
}

TEST_P(EveryWorkload, another_seed_makes_another_program) {
  const GeneratedEvents one(small_workload(GetParam(), 1));
  const GeneratedEvents two(small_workload(GetParam(), 2));
  const auto is_other = [](const ProgramEvent& a, const ProgramEvent& b) {
    return a.kind != b.kind || a.bytes != b.bytes || a.duration_ns != b.duration_ns;
  };
  const std::size_t common = std::min(one.events.size(), two.events.size());
  std::size_t differing = 0;
  for (std::size_t i = 0; i < common; ++i)
    differing += is_other(one.events[i], two.events[i]) ? 1U : 0U;
  EXPECT_GT(differing, common / 20);
}

TEST_P(EveryWorkload, text_and_binary_form_say_the_same) {
  const WorkloadRequest request = small_workload(GetParam());
  const std::string text = generated_file(request, TraceFormat::native_text);
  const auto from_text = support::rewrite_native_text(text);
  EXPECT_EQ(from_text.error, "");
  EXPECT_TRUE(from_text.text == text);
  const auto from_binary =
      support::rewrite_native_binary(generated_file(request, TraceFormat::native_binary));
  EXPECT_EQ(from_binary.error, "");
  EXPECT_TRUE(from_binary.text == text);
}

TEST_P(EveryWorkload, begins_with_the_command_that_makes_it_again) {
  const GeneratedEvents generated(small_workload(GetParam(), 9));
  ASSERT_EQ(generated.events.front().kind, ProgramEventKind::marker);
  EXPECT_THAT(
      generated.text(generated.events.front()),
      StartsWith("vramlab generate " + std::string(GetParam()) + " --seed 9 --events 20000 --"));
}

TEST(Workloads, are_all_tested) {
  std::vector<std::string_view> names;
  for (const Workload& workload : workloads()) names.push_back(workload.name);
  EXPECT_THAT(names, ElementsAreArray(support::workload_names));
}

TEST(Workloads, have_options_with_sensible_defaults) {
  for (const Workload& workload : workloads())
    for (const WorkloadOption& option : workload.options) {
      EXPECT_GE(option.usual, option.least) << workload.name << " " << option.name;
      EXPECT_LE(option.usual, option.most) << workload.name << " " << option.name;
    }
}

enum class Extreme { least, most };

/// Sizes that make many events are small, also at their largest.
std::uint64_t extreme_size(const WorkloadOption& option, Extreme extreme) {
  static constexpr std::string_view counted[] = {"layers", "experts", "steps",
                                                 "graphs", "answer",  "blocks"};
  const bool is_counted =
      std::find(std::begin(counted), std::end(counted), option.name) != std::end(counted);
  if (extreme == Extreme::least) return option.least;
  return is_counted ? std::clamp<std::uint64_t>(4, option.least, option.most) : option.most;
}

TEST(Workloads, keep_the_rules_at_the_ends_of_their_ranges) {
  for (const Workload& workload : workloads()) {
    for (const Extreme extreme : {Extreme::least, Extreme::most}) {
      WorkloadRequest request = small_workload(std::string(workload.name));
      request.event_count = 1;
      for (const WorkloadOption& option : workload.options)
        request.sizes[std::string(option.name)] = extreme_size(option, extreme);
      SnapshotTables tables;
      ProgramRules rules(tables);
      generate_workload(request, tables, rules);
      rules.finish();
      EXPECT_THAT(rules.broken(), IsEmpty()) << workload.name;
    }
  }
}

std::string error_of(const WorkloadRequest& request) {
  SnapshotTables tables;
  ProgramRules rules(tables);
  try {
    generate_workload(request, tables, rules);
  } catch (const InputError& error) {
    EXPECT_EQ(rules.event_count(), 0U);
    return error.what();
  }
  return "";
}

TEST(Workloads, refuse_what_they_do_not_know) {
  EXPECT_THAT(error_of({.name = "nothing"}), HasSubstr("one of training, serving"));
  EXPECT_THAT(error_of({.name = "leak", .sizes = {{"experts", 3}}}),
              HasSubstr("the workload leak: expected one of its options --layers"));
  EXPECT_THAT(error_of({.name = "leak", .sizes = {{"layers", 0}}}),
              HasSubstr("--layers: expected a number from 1 to 1000, found 0"));
}

}  // namespace
}  // namespace vramlab::traces
