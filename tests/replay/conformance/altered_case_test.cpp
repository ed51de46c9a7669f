// A recorded case must be able to fail: each answer of a case, altered alone, is noticed.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "replay/conformance/case_differences.h"
#include "replay/replayer/subjects.h"
#include "tests/support/processes/places.h"
#include "traces/io/byte_source.h"
#include "traces/io/input_error.h"

namespace vramlab::replay {
namespace {

using nlohmann::json;
using Pointer = json::json_pointer;

struct Altered {
  const char* case_name;
  /// The part of its answers that is altered; null for all parts.
  const char* key = nullptr;
};

/// Together they have every key that a case can have. The long case has a key that no other case
/// has.
constexpr Altered altered_cases[] = {
    {"v212-checkpoint212-2170"}, {"v212-scopes-2058", "malloc_errors"}, {"v212-parse-2252"}};

json read_case(const std::string& name) {
  const std::string path = support::source_dir() + "/tests/conformance/" + name + ".json.gz";
  return json::parse(traces::read_input_bytes(path));
}

const Pointer expect_place("/expect");

/// The answers that are altered.
std::vector<Pointer> altered_answers(const json& recorded, const Altered& altered) {
  if (altered.key != nullptr) return {expect_place / altered.key};
  std::vector<Pointer> places;
  for (const auto& [key, value] : recorded["expect"].items()) places.push_back(expect_place / key);
  return places;
}

/// A case and the engine's answers to it. Altering its expectations does not change the answers.
class AlteredCase : public ::testing::TestWithParam<Altered> {
 protected:
  AlteredCase()
      : case_(read_case(GetParam().case_name)),
        altered_(altered_answers(case_, GetParam())),
        actual_(run(case_)) {}

  static CaseAnswers run(const json& text) {
    const auto recorded = traces::parse_recorded_case(text.dump(), "case");
    DeviceCaseRun run(recorded.program, {make_engine_subject});
    run.run_until(recorded.program.calls.size());
    return run.finish();
  }
  bool fails(const json& altered) const {
    try {
      return !find_differences(traces::parse_recorded_case(altered.dump(), "case"), actual_)
                  .empty();
    } catch (const traces::InputError&) {
      return true;
    }
  }
  bool is_refused(const json& altered) const {
    try {
      traces::parse_recorded_case(altered.dump(), "case");
      return false;
    } catch (const traces::InputError&) {
      return true;
    }
  }

  json case_;
  std::vector<Pointer> altered_;
  CaseAnswers actual_;
};

/// Another valid value of the same kind, where one exists.
json other_value(const json& value) {
  if (value.is_null()) return 512;
  if (value.is_boolean()) return !value.get<bool>();
  if (value.is_number()) return value.get<std::int64_t>() + 1;
  const std::string text = value.get<std::string>();
  if (text == "small") return "large";
  if (text == "large") return "small";
  if (text == "inactive") return "active_allocated";
  if (text.starts_with("active_")) return "inactive";
  if (text == "alloc") return "oom";
  if (text.find("out of memory") != std::string::npos) return text + " 1.00 MiB";
  return "alloc";
}

/// Calls `visit` with the place of each value, container or leaf, at and below the places in
/// `waiting`, and of an array only the first and the last.
template <typename Visit>
void visit_places(const json& document, std::vector<Pointer> waiting, const Visit& visit) {
  while (!waiting.empty()) {
    const Pointer place = waiting.back();
    waiting.pop_back();
    const json& value = document[place];
    visit(place, value);
    if (value.is_object())
      for (const auto& [name, child] : value.items()) waiting.push_back(place / name);
    if (value.is_array() && !value.empty()) {
      waiting.push_back(place / 0);
      if (value.size() > 1) waiting.push_back(place / (value.size() - 1));
    }
  }
}

TEST_P(AlteredCase, unaltered_it_passes) { EXPECT_FALSE(fails(case_)); }

TEST_P(AlteredCase, each_value_of_the_answers_is_compared) {
  std::size_t altered_count = 0;
  visit_places(case_, altered_, [&](const Pointer& place, const json& value) {
    if (value.is_structured()) return;
    json altered = case_;
    altered[place] = other_value(value);
    EXPECT_TRUE(fails(altered)) << place.to_string();
    ++altered_count;
  });
  EXPECT_GT(altered_count, GetParam().key != nullptr ? 1U : 150U);
}

TEST_P(AlteredCase, each_key_and_each_element_of_the_answers_is_missed) {
  visit_places(case_, altered_, [&](const Pointer& place, const json&) {
    json altered = case_;
    json& parent = altered[place.parent_pointer()];
    if (parent.is_object())
      parent.erase(place.back());
    else
      parent.erase(std::stoul(place.back()));
    EXPECT_TRUE(fails(altered)) << place.to_string();
  });
}

TEST_P(AlteredCase, an_element_more_in_any_list_is_noticed) {
  visit_places(case_, altered_, [&](const Pointer& place, const json& value) {
    if (!value.is_array() || value.empty()) return;
    json altered = case_;
    altered[place].push_back(value.back());
    EXPECT_TRUE(fails(altered)) << place.to_string();
  });
}

TEST_P(AlteredCase, an_unknown_key_anywhere_is_refused) {
  json altered = case_;
  altered["expect"]["another"] = 0;
  EXPECT_TRUE(is_refused(altered));
  visit_places(case_, altered_, [&](const Pointer& place, const json& value) {
    if (!value.is_object()) return;
    json with_key = case_;
    with_key[place]["another"] = 0;
    EXPECT_TRUE(is_refused(with_key)) << place.to_string();
  });
}

INSTANTIATE_TEST_SUITE_P(Recorded, AlteredCase, ::testing::ValuesIn(altered_cases),
                         [](const auto& instance) {
                           return "case_" + std::to_string(instance.index);
                         });

TEST(AlteredCases, between_them_they_have_every_key) {
  std::set<std::string> keys;
  for (const Altered& altered : altered_cases) {
    const json recorded = read_case(altered.case_name);
    for (const Pointer& place : altered_answers(recorded, altered))
      if (!recorded[place].empty()) keys.insert(place.back());
  }
  EXPECT_EQ(keys, (std::set<std::string>{"results", "trace", "trace_pools", "snapshots", "restores",
                                         "final_snapshot", "final_stats", "device_calls",
                                         "first_oom_message", "config_errors", "malloc_errors"}));
}

}  // namespace
}  // namespace vramlab::replay
