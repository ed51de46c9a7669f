// Runs every recorded case of pinned memory in tests/conformance/host, and shows that it can fail.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "replay/conformance/case_verdict.h"
#include "tests/support/fuzz/recorded_case_fuzz_body.h"
#include "tests/support/processes/places.h"
#include "tests/support/twin/host_twin.h"
#include "traces/cases/recorded_case.h"
#include "traces/io/byte_source.h"
#include "traces/io/input_error.h"

namespace vramlab::replay {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using Pointer = json::json_pointer;

std::string path_of(const std::string& name) {
  return support::source_dir() + "/tests/conformance/host/" + name + ".json.gz";
}

std::vector<std::string> bundled_host_cases() {
  std::vector<std::string> names;
  for (const auto& entry :
       fs::directory_iterator(support::source_dir() + "/tests/conformance/host"))
    if (entry.path().filename().string().starts_with("host-"))
      names.push_back(entry.path().stem().stem().string());
  std::ranges::sort(names);
  return names;
}

traces::HostCase read_bundled_host(const std::string& name) {
  return std::get<traces::HostCase>(traces::read_any_case(path_of(name)));
}

class HostCase : public ::testing::TestWithParam<std::string> {};

TEST_P(HostCase, the_engine_answers_as_the_reference_did) {
  const CaseVerdict verdict = judge_case(read_bundled_host(GetParam()), make_host_engine_subject);
  EXPECT_TRUE(verdict.passed()) << verdict_text(verdict);
}

TEST_P(HostCase, the_twin_answers_as_the_reference_did) {
  const CaseVerdict verdict = judge_case(read_bundled_host(GetParam()), tests::make_host_twin);
  EXPECT_TRUE(verdict.passed()) << verdict_text(verdict);
}

INSTANTIATE_TEST_SUITE_P(Recorded, HostCase, ::testing::ValuesIn(bundled_host_cases()),
                         [](const auto& instance) {
                           std::string name = instance.param;
                           std::ranges::replace_if(
                               name, [](char letter) { return letter == '-' || letter == '.'; },
                               '_');
                           return name;
                         });

TEST(HostCases, every_kind_of_call_occurs) {
  std::set<traces::HostCallKind> kinds;
  for (const std::string& name : bundled_host_cases())
    for (const traces::HostCall& call : read_bundled_host(name).program.calls)
      kinds.insert(call.kind);
  EXPECT_EQ(kinds.size(), traces::host_call_forms().size());
}

TEST(OptionCase, the_shared_parser_answers_as_that_of_2_14_did) {
  const auto recorded =
      std::get<traces::OptionCase>(traces::read_any_case(path_of("config-cases-2.14-b")));
  EXPECT_EQ(recorded.runs.size(), 100U);
  const CaseVerdict verdict = judge_case(recorded);
  EXPECT_TRUE(verdict.passed()) << verdict_text(verdict);
}

json read_json(const std::string& name) {
  return json::parse(traces::read_input_bytes(path_of(name)));
}

/// Every number, text and truth below a place.
void add_values(const json& value, const Pointer& at, std::vector<Pointer>& places) {
  if (value.is_object())
    for (const auto& [key, inner] : value.items()) add_values(inner, at / key, places);
  else if (value.is_array())
    for (std::size_t i = 0; i < value.size(); ++i) add_values(value[i], at / i, places);
  else if (!value.is_null())
    places.push_back(at);
}

json altered(const json& value) {
  if (value.is_boolean()) return !value.get<bool>();
  if (value.is_string()) return value == "alloc" ? "free_requested" : "alloc";
  if (value.is_number_float()) return value.get<double>() + 0.25;
  return value.get<std::int64_t>() + 1;
}

bool is_noticed(const json& recorded) {
  try {
    return !judge_case(traces::parse_any_case(recorded.dump(), "case"), CaseStreams::counters)
                .passed();
  } catch (const traces::InputError&) {
    return true;
  }
}

class AlteredHostCase : public ::testing::TestWithParam<const char*> {};

TEST_P(AlteredHostCase, each_altered_answer_is_noticed) {
  const json recorded = read_json(GetParam());
  std::vector<Pointer> places;
  add_values(recorded.at("expect"), Pointer("/expect"), places);
  ASSERT_GT(places.size(), 20U);
  for (const Pointer& place : places) {
    json changed = recorded;
    changed[place] = altered(recorded.at(place));
    EXPECT_TRUE(is_noticed(changed)) << place;
  }
}

INSTANTIATE_TEST_SUITE_P(Recorded, AlteredHostCase,
                         ::testing::Values("host-2.14-edge-pooltrace", "host-2.14-edge-ring",
                                           "host-2.14-edge-reservefail", "host-2.6-edge-rotate"),
                         [](const auto& instance) {
                           return "case_" + std::to_string(instance.index);
                         });

TEST(OptionCase, each_altered_answer_is_noticed) {
  json recorded = read_json("config-cases-2.14-b");
  recorded.erase(recorded.begin() + 3, recorded.end());
  for (const char* const place :
       {"/0/0/warned", "/1/0/state/expandable_segments", "/2/0/state/large_segment_size",
        "/0/0/state/roundup_power2_divisions/3", "/0/1/state/last"}) {
    json changed = recorded;
    changed[Pointer(place)] = altered(recorded.at(Pointer(place)));
    EXPECT_TRUE(is_noticed(changed)) << place;
  }
}

std::string error_of(const std::string& text) {
  try {
    traces::parse_any_case(text, "case.json");
  } catch (const traces::InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(HostCases, broken_files_are_refused_with_their_place) {
  const json recorded = read_json("host-2.14-edge-ring");
  const auto error_with = [&](const char* place, const json& value) {
    json changed = recorded;
    changed[Pointer(place)] = value;
    return error_of(changed.dump());
  };
  EXPECT_EQ(error_with("/reference", "PyTorch 1.0").substr(0, 33),
            "case.json at reference: expected ");
  EXPECT_EQ(error_with("/ops/0", json::array({"mallocate", 1})),
            "case.json at ops[0][0]: expected the name of a call, found \"mallocate\"");
  EXPECT_EQ(error_with("/ops/0", json::array({"malloc", 1})),
            "case.json at ops[0]: expected 'malloc' with 2 values after it, found an array of 2");
  EXPECT_EQ(error_with("/ops/0", json::array({"record_history", true, "some", 1, false})),
            "case.json at ops[0][2]: expected never, state, alloc or all, found \"some\"");
  EXPECT_EQ(error_with("/expect/results/0", 7),
            "case.json at expect.results[0]: expected a whole number from 0 to 0, found 7");
}

TEST(RecordedCaseFuzzBody, holds_for_cases_with_a_byte_changed) {
  const std::string text = read_json("host-2.14-edge-pooltrace").dump();
  for (std::size_t at = 0; at < text.size(); at += 7) {
    std::string changed = text;
    changed[at] = static_cast<char>('0' + at % 10);
    EXPECT_EQ(support::broken_rule_of_recorded_case(changed), std::nullopt) << at;
  }
}

}  // namespace
}  // namespace vramlab::replay
