// `vramlab explain` from outside: a failed request, a peak, several files, and its short form.
#include <algorithm>
#include <fstream>
#include <sstream>

#include "tests/support/kit/command_test.h"

namespace vramlab::tests {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

/// A recording that ends with a request of worst_case.py:27 or :14 that failed.
std::string failed_recording() {
  const std::string file = support::own_folder() + "explain_oom.json";
  const ProgramResult written =
      run_vramlab({"replay", samples + "fragments.vtrace", "--device-memory", "1GiB",
                   "--snapshot-out", file, "--snapshot-at", "oom", "--force"});
  EXPECT_EQ(written.exit_status, 0) << written.errors;
  return file;
}

/// The entry of the first failed request, and its number.
std::pair<json, std::size_t> oom_entry(const std::string& file) {
  const json snapshot = json::parse(content_of(file));
  const json& trace = snapshot.at("device_traces").at(0);
  for (std::size_t i = 0; i < trace.size(); ++i)
    if (trace.at(i).at("action") == "oom") return {trace.at(i), i};
  return {};
}

/// All frames are of the program itself, so the innermost is the line.
std::string line_of_entry(const json& entry) {
  const json& frame = entry.at("frames").at(0);
  const std::string file = frame.at("filename");
  return file + ":" + std::to_string(frame.at("line").get<int>()) + " " +
         frame.at("name").get<std::string>();
}

TEST(ExplainCommand, names_the_line_of_the_failed_request_as_the_recording_has_it) {
  const std::string file = failed_recording();
  const auto [entry, event] = oom_entry(file);
  const json answer = run_json({"explain", file}).at("answer");
  const std::string place = answer.at("out_of_memory").at("call_site");
  EXPECT_THAT(line_of_entry(entry), testing::EndsWith(place));
  EXPECT_EQ(answer.at("event"), event);
  EXPECT_THAT(answer.at("headline").get<std::string>(), HasSubstr("requested at " + place));
}

TEST(ExplainCommand, the_line_stands_in_snapshot_steps_and_replay_too) {
  const std::string file = failed_recording();
  const std::string event = std::to_string(oom_entry(file).second);
  const std::string place =
      run_json({"explain", file}).at("answer").at("out_of_memory").at("call_site");
  EXPECT_EQ(run_json({"snapshot", file, "--at", "oom"}).at("out_of_memory").at(0).at("call_site"),
            place);
  const json steps = run_json({"steps", file, "--from", event, "--count", "1"}).at("steps");
  EXPECT_EQ(steps.at(0).at("call_site"), place);
  const json replayed = run_json({"replay", file}).at("devices").at(0).at("out_of_memory");
  EXPECT_EQ(replayed.at(0).at("call_site"), place);
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"snapshot", file, "--at", "oom"},
        {"steps", file, "--from", event, "--count", "1"},
        {"replay", file}})
    EXPECT_THAT(run_vramlab(words).output, HasSubstr(" at " + place)) << words.front();
}

TEST(ExplainCommand, answers_in_at_most_14_lines_and_the_failure_comes_first) {
  const std::string file = failed_recording();
  for (const std::string& one : {file, leak, samples + "gpt_training.pickle.gz"}) {
    const std::string text = run_vramlab({"explain", one}).output;
    EXPECT_LE(std::ranges::count(text, '\n'), 14) << text;
    EXPECT_GE(std::ranges::count(text, '\n'), 5) << text;
  }
  EXPECT_THAT(run_vramlab({"explain", file}).output,
              StartsWith(file + ": out of memory on GPU 0: "));
}

TEST(ExplainCommand, a_setting_that_it_names_passes_in_a_replay) {
  const std::string file = failed_recording();
  const json failure = run_json({"explain", file}).at("answer").at("out_of_memory");
  ASSERT_FALSE(failure.at("tried").empty());
  for (const json& tried : failure.at("tried")) {
    const json replayed = run_json({"replay", file, "--conf", tried.at("options")});
    EXPECT_EQ(replayed.at("stopped_at").is_null(), tried.at("runs_through")) << tried;
  }
}

TEST(ExplainCommand, the_smallest_gpu_runs_the_history) {
  const json answer = run_json({"explain", leak}).at("answer");
  const std::string gpu = answer.at("smallest_gpu").at("name");
  EXPECT_TRUE(run_json({"replay", leak, "--gpu", gpu}).at("stopped_at").is_null());
}

TEST(ExplainCommand, a_file_in_place_of_a_command_is_explained) {
  EXPECT_EQ(run_vramlab({leak}).output, run_vramlab({"explain", leak}).output);
  EXPECT_EQ(run_json({leak}), run_json({"explain", leak}));
  expect_refused({"no_such_file.pickle"}, "there is no command 'no_such_file.pickle'");
}

TEST(ExplainCommand, of_several_files_the_worst_is_explained_and_all_are_in_the_table) {
  const std::string file = failed_recording();
  const json document = run_json({"explain", leak, file, training});
  EXPECT_EQ(document.at("answer").at("file"), file);
  ASSERT_EQ(document.at("recordings").size(), 3U);
  EXPECT_EQ(document.at("recordings").at(0).at("file"), leak);
  EXPECT_EQ(document.at("recordings").at(1).at("failures"), 1);
  const std::string text = run_vramlab({"explain", leak, file, training}).output;
  EXPECT_THAT(text, HasSubstr("peak reserved"));
  EXPECT_THAT(text, HasSubstr("eak.vtrace    0 "));
  const std::string table = run_vramlab({"info", leak, file, training}).output;
  EXPECT_EQ(std::ranges::count(table, '\n'), 4) << table;
}

TEST(ExplainCommand, another_failure_is_asked_for_by_its_event) {
  const std::string file = failed_recording();
  const std::string event = std::to_string(oom_entry(file).second);
  EXPECT_EQ(run_json({"explain", file, "--at", event, "--device", "0"}),
            run_json({"explain", file}));
  expect_refused({"explain", file, "--at", "0"}, "a request that failed");
}

TEST(ExplainCommand, markdown_is_a_table_without_lines_of_its_own) {
  const std::string text = run_vramlab({"explain", leak, "--format", "markdown"}).output;
  EXPECT_THAT(text, StartsWith("**"));
  EXPECT_THAT(text, HasSubstr("| holds most |"));
}

TEST(ExplainCommand, looks_past_failures_of_another_gpu_for_the_memory_that_is_enough) {
  const std::string program =
      "{\"format\":\"vramlab-trace\",\"version\":2,\"reference\":\"2.6\",\"devices\":"
      "[{\"device\":0,\"memory\":8589934592},{\"device\":1,\"memory\":1073741824}]}\n"
      "{\"malloc\":1,\"bytes\":4294967296}\n"
      "{\"malloc\":2,\"bytes\":600000000,\"device\":1}\n"
      "{\"malloc\":5,\"bytes\":600000000,\"device\":1}\n";
  const ProgramResult answer = run_vramlab({"explain", "-", "--json"}, program);
  ASSERT_EQ(answer.exit_status, 0) << answer.errors;
  const json found = json::parse(answer.output).at("answer").at("out_of_memory");
  EXPECT_EQ(found.at("device"), 1);
  EXPECT_GT(found.at("least_memory_bytes").get<std::uint64_t>(), 1'200'000'000U);
}

TEST(ExplainCommand, explains_a_replay_on_the_gpu_and_with_the_options_that_are_asked) {
  const json as_it_was = run_json({"explain", training, "--quick"});
  EXPECT_EQ(as_it_was.at("conditions"), "");
  EXPECT_TRUE(as_it_was.at("answer").at("out_of_memory").is_null());
  const json small = run_json({"explain", training, "--gpu", "gtx1050"});
  EXPECT_EQ(small.at("conditions"), "--gpu gtx1050");
  const json& failure = small.at("answer").at("out_of_memory");
  const json replayed =
      run_json({"replay", training, "--gpu", "gtx1050"}).at("devices").at(0).at("out_of_memory");
  EXPECT_EQ(failure.at("event"), replayed.at(0).at("event"));
  EXPECT_EQ(failure.at("call_site"), replayed.at(0).at("call_site"));
  const std::vector<std::string> expandable = {"--conf", "expandable_segments:True"};
  const json changed =
      run_json({"explain", training, expandable[0], expandable[1], "--quick"}).at("answer");
  const json changed_replay = run_json({"replay", training, expandable[0], expandable[1]});
  EXPECT_EQ(changed.at("metrics").at("peak_reserved"),
            changed_replay.at("metrics").at("peak_reserved"));
  EXPECT_EQ(changed.at("held_bytes"), changed.at("metrics").at("peak_allocated"));
  EXPECT_THAT(run_vramlab({"explain", training, "--gpu", "gtx1050"}).output,
              StartsWith(training + " with --gpu gtx1050: out of memory on GPU 0: "));
}

TEST(ExplainCommand, a_recording_that_failed_may_pass_with_more_memory) {
  const std::string file = failed_recording();
  const json answer = run_json({"explain", file, "--device-memory", "4GiB"}).at("answer");
  EXPECT_EQ(answer.at("failures"), 0);
  EXPECT_TRUE(answer.at("out_of_memory").is_null());
  expect_refused({"explain", file, "--gpu", "l4", "--at", "3"}, "a recorded failure");
}

TEST(ExplainCommand, a_broken_file_is_named_and_the_others_are_answered) {
  const std::string broken = support::own_folder() + "broken.pickle";
  std::ofstream(broken) << "no recording";
  for (const std::string command : {"explain", "info"}) {
    const ProgramResult answer = run_vramlab({command, broken, leak, training});
    EXPECT_EQ(answer.exit_status, 2);
    EXPECT_THAT(answer.errors, HasSubstr(broken + " at byte 0: expected"));
    EXPECT_THAT(answer.output, HasSubstr("leak.vtrace"));
    EXPECT_THAT(answer.output, HasSubstr("training.vtrace"));
  }
  expect_refused({"explain", broken, broken}, broken);
}

TEST(ExplainCommand, names_the_events_at_which_requests_failed) {
  const std::string file = failed_recording();
  expect_refused({"explain", file, "--at", "0"},
                 "a request that failed (event " + std::to_string(oom_entry(file).second) + ")");
}

TEST(ExplainCommand, lines_are_short_and_each_figure_has_its_moment) {
  for (const std::string& file : {failed_recording(), leak, samples + "gpt_training.pickle.gz"}) {
    std::istringstream text(run_vramlab({"explain", file}).output);
    std::string line;
    std::getline(text, line);
    while (std::getline(text, line))
      EXPECT_TRUE(line.size() <= 100 || line.find("vramlab ") != std::string::npos) << line;
  }
  const std::string peak = run_vramlab({"explain", samples + "gpt_training.pickle.gz"}).output;
  EXPECT_THAT(peak, HasSubstr("of the peak allocated)"));
  EXPECT_THAT(peak, HasSubstr("when most was reserved, event "));
}

TEST(ExplainCommand, names_in_markdown_are_no_links_mentions_or_html) {
  const std::string file = support::own_folder() + "@team #12 [x](https:__y) <b> `c`.vtrace";
  std::filesystem::copy_file(samples + "leak.vtrace", file,
                             std::filesystem::copy_options::overwrite_existing);
  const std::string text = run_vramlab({"explain", file, leak, "--format", "markdown"}).output;
  for (const char* live : {"@team", "#12", " [x]", "<b>", " `c`"})
    EXPECT_THAT(text, testing::Not(HasSubstr(live)));
  EXPECT_THAT(text, HasSubstr("@<!-- -->team #<!-- -->12 \\[x\\]"));
}

TEST(ExplainCommand, a_memory_timeline_is_answered_by_kinds_of_memory) {
  const std::string file = support::source_dir() + "/tests/traces/samples/memory_timeline.json";
  const std::string text = run_vramlab({file}).output;
  EXPECT_THAT(text, StartsWith(file + ": peak 48.75 KiB after 11.15 ms, in the profiler's sums\n"));
  for (const char* kind : {"parameters", "optimizer state", "gradients"})
    EXPECT_THAT(text, HasSubstr(" 16.25 KiB  " + std::string(kind) + "  (33.3 %)\n"));
  EXPECT_THAT(text, testing::Not(HasSubstr("activations")));
  const json document = run_json({"explain", file});
  EXPECT_TRUE(document.at("answer").is_null());
  EXPECT_EQ(document.at("memory_timeline").at("timeline"),
            run_json({"info", file}).at("files").at(0).at("timeline"));
  expect_refused({"explain", file, "--gpu", "l4"}, "found a memory timeline");
  expect_refused({"explain", file, "--at", "5"}, "which --at and --device name");
  expect_refused({"explain", file, "--device", "0"}, "which --at and --device name");
}

TEST(ExplainCommand, a_refused_option_string_of_the_recording_is_said) {
  const std::string file = failed_recording();
  json snapshot = json::parse(content_of(file));
  snapshot.at("allocator_settings").at("PYTORCH_CUDA_ALLOC_CONF") = "nonsense:1";
  const std::string changed = support::own_folder() + "explain_refused.json";
  std::ofstream(changed) << snapshot;
  const std::string text = run_vramlab({"explain", changed, "--reference", "2.6"}).output;
  EXPECT_THAT(text, HasSubstr("the recorded option string is refused: PyTorch 2.6 has no option"));
}

TEST(ExplainCommand, quotes_file_names_for_the_shell) {
  const std::string file = support::own_folder() + "a; rm b.vtrace";
  std::filesystem::copy_file(samples + "leak.vtrace", file,
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_THAT(run_vramlab({"explain", file, "--quick"}).output,
              HasSubstr("vramlab top '" + file + "'"));
}

TEST(ExplainCommand, of_a_failing_replay_names_a_gpu_that_runs_all_of_it) {
  const std::vector<std::string> question = {"explain", training, "--gpu", "gtx1050"};
  const json gpu = run_json(question).at("answer").at("smallest_gpu");
  const json capacity = run_json({"capacity", training}).at("rows").at(0);
  EXPECT_EQ(gpu, capacity.at("smallest_gpu"));
  const std::string text = run_vramlab(question).output;
  EXPECT_THAT(text, HasSubstr("larger; later requests fit\n"));
  EXPECT_THAT(text, HasSubstr(" is enough for this request, "));
}

TEST(ExplainCommand, frees_and_a_snapshot_are_no_sign_that_the_program_went_on) {
  const std::string program = support::own_folder() + "explain_ended.vtrace.jsonl";
  const std::string file = support::own_folder() + "explain_ended.json";
  const auto explained = [&](const std::string& rest) {
    std::ofstream(program) << "{\"format\":\"vramlab-trace\",\"version\":1}\n"
                           << "{\"malloc\":1,\"bytes\":629145600}\n"
                           << "{\"malloc\":2,\"bytes\":629145600}\n"
                           << rest;
    run_vramlab({"replay", program, "--device-memory", "1GiB", "--on-oom", "skip", "--snapshot-out",
                 file, "--force"});
    json snapshot = json::parse(content_of(file));
    json& trace = snapshot.at("device_traces").at(0);
    trace.push_back(trace.back());
    trace.back().at("action") = "snapshot";
    std::ofstream(file) << snapshot;
    return run_vramlab({"explain", file}).output;
  };
  EXPECT_THAT(explained("{\"free\":1}\n"), HasSubstr("; what follows is unknown"));
  EXPECT_THAT(explained("{\"malloc\":3,\"bytes\":512}\n"), HasSubstr("; later requests fit"));
}

TEST(ExplainCommand, of_a_later_failure_agrees_with_snapshot) {
  const std::string file = support::source_dir() + "/tests/truth/pooltight_440.pickle.gz";
  for (const char* const event : {"170", "252"}) {
    const json explained =
        run_json({"explain", file, "--at", event}).at("answer").at("out_of_memory");
    EXPECT_EQ(explained.at("event"), std::stoi(event));
    EXPECT_GE(explained.at("tried").size(), 1U);
    EXPECT_EQ(run_json({"snapshot", file, "--at", event}).at("out_of_memory").at(0), explained);
  }
}

TEST(ExplainCommand, of_a_replay_counts_the_events_of_the_recording) {
  const std::string file = samples + "gpt_training.pickle.gz";
  const json recorded = run_json({"explain", file, "--quick"}).at("recordings").at(0);
  const json replayed = run_json({"explain", file, "--quick", "--conf", "expandable_segments:True"})
                            .at("recordings")
                            .at(0);
  EXPECT_EQ(replayed.at("events"), recorded.at("events"));
}

TEST(ExplainCommand, what_is_left_is_what_the_fraction_allows) {
  const std::string text = run_vramlab({"explain", samples + "fragments.vtrace", "--device-memory",
                                        "2GiB", "--memory-fraction", "0.5"})
                               .output;
  EXPECT_THAT(text, HasSubstr(" with --device-memory 2GiB --memory-fraction 0.5: out of memory"));
  EXPECT_THAT(text,
              testing::ContainsRegex("cached, [0-9.]+ [a-zA-Z]+ left of the 1.00 GiB allowed"));
}

TEST(ExplainCommand, a_request_larger_than_any_device_is_explained) {
  const std::string program =
      "{\"format\":\"vramlab-trace\",\"version\":2,\"reference\":\"2.6\"}\n"
      "{\"malloc\":1,\"bytes\":10000000000000}\n";
  const ProgramResult answer = run_vramlab({"explain", "-", "--gpu", "h100-80gb"}, program);
  EXPECT_EQ(answer.exit_status, 0) << answer.errors;
  EXPECT_THAT(answer.output, HasSubstr("no GPU has so much memory"));
}

TEST(ExplainCommand, what_to_ask_next_keeps_the_conditions) {
  const std::string options = "--conf 'expandable_segments:True'";
  const std::string text =
      run_vramlab({"explain", leak, "--gpu", "l4", "--conf", "expandable_segments:True", "--quick"})
          .output;
  EXPECT_THAT(text, HasSubstr("vramlab advise " + leak + " --gpu l4\n"));
  EXPECT_THAT(text, HasSubstr("vramlab snapshot " + leak + " --at peak --gpu l4 " + options));
  const std::string failed =
      run_vramlab({"explain", training, "--device-memory", "4GB", "--quick"}).output;
  EXPECT_THAT(failed, HasSubstr("vramlab report " + training + " --device-memory 4GB\n"));
}

TEST(ExplainCommand, shows_sizes_as_they_are_typed) {
  for (const std::string size : {"80GB", "23.69GiB", "12100MiB", "40GiB", "104857601"})
    EXPECT_EQ(run_json({"explain", leak, "--quick", "--device-memory", size}).at("conditions"),
              "--device-memory " + size);
}

TEST(ExplainCommand, no_line_ends_with_a_blank) {
  const std::string file = support::own_folder() + "long_names.jsonl";
  const std::string name = "a_folder_with_a_rather_long_name/another_folder/module.py";
  for (std::size_t length = 1; length < 20; ++length) {
    const std::string function(length, 'f');
    std::ofstream(file) << R"({"format":"vramlab-trace","version":2,"reference":"2.6"})"
                        << "\n"
                        << R"({"frame":1,"is":{"name":")" << function << R"(","filename":")" << name
                        << R"(","line":12}})"
                        << "\n"
                        << R"({"stack":1,"frames":[1]})"
                        << "\n"
                        << R"({"malloc":1,"bytes":1048576,"stack":1})"
                        << "\n"
                        << R"({"free":1})"
                        << "\n";
    const std::string text = run_vramlab({"explain", file, "--quick"}).output;
    EXPECT_THAT(text, testing::Not(HasSubstr(" \n"))) << text;
  }
}

}  // namespace
}  // namespace vramlab::tests
