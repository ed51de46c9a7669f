// `vramlab diff` from outside: differences that it finds, and changes that it lets pass.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tests/support/kit/diff_runs.h"
#include "tests/support/processes/places.h"

namespace vramlab::tests {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using support::malloc_line;
using testing::HasSubstr;
using testing::Not;

constexpr const char* every_rise[] = {
    "--fail-if", "peak_allocated > +0%", "--fail-if", "peak_reserved > +0%",
    "--fail-if", "device_allocs > +0",   "--fail-if", "group_growth > 0",
    "--fail-if", "new_groups > 0"};

class Diff : public DiffRuns {
 protected:
  ProgramResult diff_without_any_rise(const std::string& base, const std::string& now) const {
    std::vector<std::string> arguments = {base, now};
    arguments.insert(arguments.end(), std::begin(every_rise), std::end(every_rise));
    return diff(arguments);
  }
  json read_json(const std::string& name) const { return json::parse(content_of(in_folder(name))); }
  /// A snapshot, with the whole history, of a replay.
  void record(const std::string& file, const std::string& name,
              const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {"replay", file, "--quiet", "--snapshot-out", name};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProgramResult result = run(arguments);
    ASSERT_EQ(result.exit_status, 0) << result.errors;
  }
};

TEST_F(Diff, of_a_file_with_itself_is_empty) {
  for (const char* name : {"leak.vtrace", "graphs.vtrace.jsonl", "serving.vtrace.jsonl"}) {
    const ProgramResult result = diff_without_any_rise(samples + name, samples + name);
    EXPECT_EQ(result.exit_status, 0) << result.output << result.errors;
    EXPECT_THAT(result.output, HasSubstr("\nno difference\n"));
  }
}

/// Memory that exists when a recording begins and is freed by `finish`; then `step` asks for less.
std::string recording_of_old_memory() {
  const auto stack = [](const std::string& name, int line) {
    return R"([{"name": ")" + name + R"(", "filename": "train.py", "line": )" +
           std::to_string(line) + "}]";
  };
  const auto entry = [](const std::string& action, int size, const std::string& frames) {
    return R"({"action": ")" + action + R"(", "addr": 2097152, "size": )" + std::to_string(size) +
           R"(, "stream": 0, "time_us": 1000, "frames": )" + frames + "}";
  };
  return R"({"segments": [{"device": 0, "address": 2097152, "total_size": 2097152,
    "allocated_size": 0, "active_size": 0, "requested_size": 0, "stream": 0,
    "segment_type": "small", "segment_pool_id": [0, 0], "is_expandable": false, "frames": [],
    "blocks": [{"address": 2097152, "size": 2097152, "requested_size": 0, "state": "inactive",
    "frames": []}]}], "device_traces": [[)" +
         entry("free_requested", 8000, stack("finish", 20)) + ", " +
         entry("free_completed", 8000, stack("finish", 20)) + ", " +
         entry("alloc", 4000, stack("step", 30)) + ", " +
         entry("free_requested", 4000, stack("step", 30)) + ", " +
         entry("free_completed", 4000, stack("step", 30)) + "]]}";
}

TEST_F(Diff, of_a_recording_that_began_late_with_a_replay_of_it_is_empty) {
  write("late.json", recording_of_old_memory());
  for (const char* memory : {"", "1GiB"}) {
    SCOPED_TRACE(memory);
    std::vector<std::string> more = {"--force"};
    if (*memory != '\0') more.insert(more.end(), {"--device-memory", memory});
    record("late.json", "replayed.json", more);
    const ProgramResult result = diff_without_any_rise("late.json", "replayed.json");
    EXPECT_EQ(result.exit_status, 0) << result.output << result.errors;
    EXPECT_THAT(result.output, HasSubstr("\nno difference\n"));
  }
}

/// The snapshot with every address this much higher.
void shift_addresses(json& value, std::uint64_t by) {
  if (value.is_object())
    for (const char* key : {"address", "addr"})
      if (value.contains(key)) value[key] = value[key].get<std::uint64_t>() + by;
  if (value.is_structured())
    for (json& part : value) shift_addresses(part, by);
}

TEST_F(Diff, of_the_same_work_at_other_addresses_is_empty) {
  for (const char* name : {"leak.vtrace", "experts.vtrace"}) {
    SCOPED_TRACE(name);
    record(samples + name, "base.json", {"--force"});
    json shifted = read_json("base.json");
    const auto first = shifted["segments"][0]["address"].get<std::uint64_t>();
    shift_addresses(shifted, std::uint64_t{1} << 40);
    ASSERT_NE(shifted["segments"][0]["address"], first);
    write("shifted.json", shifted.dump());
    const ProgramResult result = diff_without_any_rise("base.json", "shifted.json");
    EXPECT_EQ(result.exit_status, 0) << result.output << result.errors;
    EXPECT_THAT(result.output, HasSubstr("\nno difference\n"));
  }
}

TEST_F(Diff, of_a_recording_and_its_replay_at_other_addresses_is_empty) {
  record(leak, "base.json");
  json shifted = read_json("base.json");
  shift_addresses(shifted, std::uint64_t{1} << 38);
  write("elsewhere.json", shifted.dump());
  // Under another condition it is a replay, no copy of the recording.
  record("elsewhere.json", "replayed.json", {"--device-memory", "200GiB"});
  ASSERT_NE(read_json("replayed.json")["segments"][0]["address"],
            read_json("base.json")["segments"][0]["address"]);
  const ProgramResult result = diff_without_any_rise("base.json", "replayed.json");
  EXPECT_EQ(result.exit_status, 0) << result.output << result.errors;
  EXPECT_THAT(result.output, HasSubstr("\nno difference\n"));
}

TEST_F(Diff, of_a_recording_that_began_in_mid_run_and_its_replay_is_empty) {
  record(leak, "whole.json");
  json cut = read_json("whole.json");
  json& entries = cut["device_traces"][0];
  // The memory of the optimizer and the model existed before, and only the segments name its sites.
  entries.erase(entries.begin(), entries.begin() + 3000);
  write("cut.json", cut.dump());
  record("cut.json", "replayed.json", {"--device-memory", "200GiB"});
  const ProgramResult result = diff_without_any_rise("cut.json", "replayed.json");
  EXPECT_EQ(result.exit_status, 0) << result.output << result.errors;
  EXPECT_THAT(result.output, HasSubstr("\nno difference\n"));
  EXPECT_THAT(run({"top", "replayed.json"}).output, HasSubstr("history.py:21 append"));
}

/// The sample as text, with the requests of one call site a twentieth larger.
std::string with_larger_requests(const std::string& text, int line) {
  std::istringstream lines(text);
  std::string changed;
  std::set<int> frames;
  std::set<int> stacks;
  for (std::string row; std::getline(lines, row);) {
    nlohmann::ordered_json event = nlohmann::ordered_json::parse(row);
    if (event.contains("frame") && event["is"]["line"] == line)
      frames.insert(event["frame"].get<int>());
    if (event.contains("frames") && event.contains("stack") &&
        frames.contains(event["frames"][0].get<int>()))
      stacks.insert(event["stack"].get<int>());
    if (event.contains("malloc") && event.contains("stack") &&
        stacks.contains(event["stack"].get<int>()))
      event["bytes"] = event["bytes"].get<std::uint64_t>() * 105 / 100;
    changed += event.dump() + "\n";
  }
  return changed;
}

TEST_F(Diff, finds_a_call_site_that_asks_for_a_twentieth_more) {
  ASSERT_EQ(run({"convert", leak, "-o", "base.jsonl"}).exit_status, 0);
  const std::string site = "nn/functional.py:310 cross_entropy";
  write("new.jsonl", with_larger_requests(content_of(in_folder("base.jsonl")), 310));
  const std::vector<std::string> limits = {"--fail-if", "peak_allocated > +1%", "--fail-if",
                                           "group_growth > 5MiB"};
  for (const char* format : {"text", "json", "markdown", "junit"}) {
    SCOPED_TRACE(format);
    std::vector<std::string> arguments = {"base.jsonl", "new.jsonl", "--format", format};
    arguments.insert(arguments.end(), limits.begin(), limits.end());
    const ProgramResult result = diff(arguments);
    EXPECT_EQ(result.exit_status, 1) << result.errors;
    EXPECT_THAT(result.output, HasSubstr(site));
  }
  const json found = json::parse(diff({"base.jsonl", "new.jsonl", "--json"}).output);
  EXPECT_EQ(found["groups"].size(), 1U);
  EXPECT_EQ(found["groups"][0]["group"], site);
  EXPECT_EQ(found["groups"][0]["fate"], "grown");
  EXPECT_NEAR(found["groups"][0]["change_bytes"].get<double>(),
              found["groups"][0]["base_bytes"].get<double>() * 0.05, 1024);
}

TEST_F(Diff, of_one_call_site_that_grew_names_it_alone) {
  write("base.jsonl", program_of({{1, {mebibyte, mebibyte}}, {2, {4 * mebibyte}}}));
  write("new.jsonl", program_of({{1, {mebibyte, mebibyte}}, {2, {4 * mebibyte, mebibyte}}}));
  const json found = json::parse(diff({"base.jsonl", "new.jsonl", "--json"}).output);
  ASSERT_EQ(found["groups"].size(), 1U);
  EXPECT_EQ(found["groups"][0],
            json::parse(R"({"group": "train.py:2 work", "fate": "grown", "base_bytes": 4194304,
                "new_bytes": 5242880, "change_bytes": 1048576, "base_requested_bytes": 4194304,
                "new_requested_bytes": 5242880, "base_blocks": 1, "new_blocks": 2})"));
}

TEST_F(Diff, of_work_that_moved_to_another_call_site_keeps_the_sums) {
  write("base.jsonl", program_of({{1, {mebibyte}}, {2, {4 * mebibyte}}}));
  write("new.jsonl", program_of({{1, {mebibyte}}, {3, {4 * mebibyte}}}));
  const ProgramResult result = diff({"base.jsonl", "new.jsonl", "--fail-if", "new_groups > 0"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.output, HasSubstr("train.py:3 work (new)"));
  EXPECT_THAT(result.output, HasSubstr("train.py:2 work (gone)"));
  EXPECT_THAT(result.output, Not(HasSubstr("train.py:1")));
  EXPECT_THAT(result.output, Not(HasSubstr("peak_allocated")));
  for (const char* other : {"size", "stream", "pool", "position"})
    EXPECT_THAT(diff({"base.jsonl", "new.jsonl", "--by", other}).output,
                HasSubstr("\nno difference\n"))
        << other;
}

TEST_F(Diff, by_position_says_which_request_of_an_iteration_grew) {
  const json found =
      json::parse(diff({leak, training, "--by", "position", "--json", "--at", "end"}).output);
  EXPECT_EQ(found["grouped_by"], "position");
  ASSERT_FALSE(found["groups"].empty());
  for (const json& group : found["groups"])
    EXPECT_TRUE(group["group"].get<std::string>().starts_with("request ")) << group;
}

TEST_F(Diff, of_a_call_site_that_is_gone_says_so_and_breaks_no_limit_on_growth) {
  write("base.jsonl", program_of({{1, {mebibyte}}, {2, {4 * mebibyte}}}));
  write("new.jsonl", program_of({{1, {mebibyte}}}));
  const ProgramResult result = diff_without_any_rise("base.jsonl", "new.jsonl");
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("train.py:2 work (gone)"));
  EXPECT_EQ(diff({"base.jsonl", "new.jsonl", "--fail-if", "gone_groups > 0"}).exit_status, 1);
}

TEST_F(Diff, compares_one_device_where_that_is_asked) {
  const std::string header = "{\"format\":\"vramlab-trace\",\"version\":1}\n";
  write("base.jsonl", header + malloc_line(1, mebibyte) + malloc_line(2, 512, ",\"device\":1"));
  write("new.jsonl", header + malloc_line(1, 2 * mebibyte) + malloc_line(2, 512, ",\"device\":1"));
  EXPECT_THAT(diff({"base.jsonl", "new.jsonl"}).output, Not(HasSubstr("no difference")));
  EXPECT_THAT(diff({"base.jsonl", "new.jsonl", "--device", "0"}).output,
              Not(HasSubstr("no difference")));
  EXPECT_THAT(diff({"base.jsonl", "new.jsonl", "--device", "1"}).output,
              HasSubstr("no difference"));
}

TEST_F(Diff, of_reports_compares_their_figures) {
  const std::string report = run({"replay", leak, "--json"}).output;
  write("base.json", report);
  json changed = json::parse(report);
  changed["metrics"]["peak_reserved"] = changed["metrics"]["peak_reserved"].get<int>() + 1;
  // A report begins with the version of its schema; it is written in the order of names here.
  changed.erase("devices");
  std::string text = changed.dump();
  text = "{\"schema_version\":1," + text.substr(1);
  write("new.json", text);
  EXPECT_THAT(diff({"base.json", "base.json"}).output, HasSubstr("no difference"));
  const ProgramResult result = diff({"base.json", "new.json", "--fail-if", "peak_reserved > +0%"});
  EXPECT_EQ(result.exit_status, 1) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("BROKEN  peak_reserved > +0%"));
}

TEST_F(Diff, of_a_report_and_the_program_it_is_of_finds_no_other_figures) {
  write("report.json", run({"replay", leak, "--json"}).output);
  const json found = json::parse(diff({"report.json", leak, "--json"}).output);
  EXPECT_FALSE(found["groups_compared"]);
  std::size_t compared = 0;
  for (const auto& [name, change] : found["changes"].items()) {
    if (change["base"].is_null()) continue;
    EXPECT_EQ(change["change"], 0) << name;
    ++compared;
  }
  EXPECT_GT(compared, 10U);
}

TEST_F(Diff, writes_to_a_file_that_is_not_there_yet) {
  const std::string file = leak;
  const ProgramResult result = diff({file, file, "--format", "markdown", "-o", "comment.md"});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_EQ(result.output, "");
  EXPECT_THAT(content_of(in_folder("comment.md")),
              testing::StartsWith("### Memory: no difference\n"));
  expect_refused({file, file, "-o", "comment.md"}, "comment.md");
}

TEST_F(Diff, writes_what_the_ending_of_a_name_says_unless_a_format_is_asked_for) {
  const std::string file = leak;
  const std::pair<const char*, std::vector<std::string>> beginnings[] = {
      {"{", {"-o", "a.json"}},
      {"###", {"-o", "a.md"}},
      {"<?xml", {"-o", "a.xml"}},
      {"base", {"-o", "a.txt"}},
      {"base", {"-o", "b.md", "--format", "text"}},
      {"{", {"-o", "c.md", "--json"}}};
  for (const auto& [beginning, more] : beginnings) {
    std::vector<std::string> arguments = {file, file};
    arguments.insert(arguments.end(), more.begin(), more.end());
    EXPECT_EQ(diff(arguments).exit_status, 0);
    EXPECT_THAT(content_of(in_folder(more[1])), testing::StartsWith(beginning)) << more[1];
  }
}

TEST_F(Diff, writes_its_answer_where_a_limit_is_broken_too) {
  write("base.jsonl", program_of({{1, {mebibyte}}}));
  const ProgramResult result = diff({"base.jsonl", "base.jsonl", "--fail-if", "requests > 0",
                                     "--format", "junit", "-o", "report.xml"});
  EXPECT_EQ(result.exit_status, 1) << result.errors;
  EXPECT_GT(fs::file_size(in_folder("report.xml")), 100U);
}

}  // namespace
}  // namespace vramlab::tests
