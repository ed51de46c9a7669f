// `vramlab convert` from outside.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/support/fuzz/snapshot_listing.h"
#include "tests/support/kit/command_test.h"
#include "tests/support/processes/places.h"
#include "tests/support/recordings/pickle_writer.h"

namespace vramlab::tests {
namespace {

namespace fs = std::filesystem;
using support::PickleTree;

class Convert : public FolderTest {
 protected:
  ProgramResult convert(std::vector<std::string> arguments, const std::string& standard = "") {
    arguments.insert(arguments.begin(), "convert");
    return run_vramlab(std::move(arguments), standard);
  }
  std::size_t file_count() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
  }

  const std::string input = write("in.pickle", support::python_pickle(support::small_snapshot()));
};

TEST_F(Convert, a_pickle_goes_to_json_and_back) {
  const std::string as_json = in_folder("out.json");
  const ProgramResult there = convert({input, "-o", as_json});
  EXPECT_EQ(there.exit_status, 0) << there.errors;
  EXPECT_EQ(PickleTree::parse(content_of(as_json)), support::small_snapshot());
  EXPECT_EQ(convert({as_json, "-o", folder + "/back.pkl"}).exit_status, 0);
  EXPECT_EQ(support::read_pickle_bytes(content_of(folder + "/back.pkl")).lines,
            support::read_pickle_bytes(content_of(input)).lines);
}

TEST_F(Convert, standard_input_and_a_format_by_name) {
  const std::string output = folder + "/out";
  EXPECT_EQ(convert({"-", "-o", output, "--format", "json"}, content_of(input)).exit_status, 0);
  EXPECT_EQ(PickleTree::parse(content_of(output)), support::small_snapshot());
}

TEST_F(Convert, a_pickle_goes_to_a_native_trace_and_back) {
  for (const std::string ending : {".vtrace.jsonl", ".vtrace"}) {
    const std::string native = folder + "/out" + ending;
    const ProgramResult there = convert({input, "-o", native});
    EXPECT_EQ(there.exit_status, 0) << there.errors;
    const std::string back = folder + "/back" + ending + ".pickle";
    EXPECT_EQ(convert({"-", "-o", back}, content_of(native)).exit_status, 0);
    EXPECT_EQ(support::read_pickle_bytes(content_of(back)).lines,
              support::read_pickle_bytes(content_of(input)).lines);
  }
}

TEST_F(Convert, a_part_is_kept_and_names_are_replaced) {
  const std::string output = folder + "/out.vtrace.jsonl";
  const ProgramResult result =
      convert({input, "-o", output, "--anonymize", "--to", "2us", "--device", "0"});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_EQ(content_of(output).find("train.py"), std::string::npos);
  EXPECT_NE(content_of(output).find("file_1.py"), std::string::npos);
  EXPECT_EQ(content_of(output).find("\"segment\":"), std::string::npos);
  EXPECT_NE(content_of(output).find("\"action\":\"alloc\""), std::string::npos);
  EXPECT_EQ(content_of(output).find("\"action\":\"oom\""), std::string::npos);
}

TEST_F(Convert, a_time_needs_a_unit) {
  EXPECT_EQ(convert({input, "-o", folder + "/out.pickle", "--from", "10"}).exit_status, 2);
  EXPECT_EQ(convert({input, "-o", folder + "/out.pickle", "--from", "10us"}).exit_status, 0);
}

TEST_F(Convert, a_program_does_not_become_a_snapshot) {
  const std::string program_trace =
      support::source_dir() + "/tests/traces/samples/program.vtrace.jsonl";
  const ProgramResult result = convert({program_trace, "-o", folder + "/out.pickle"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_NE(result.errors.find("the event 'malloc'"), std::string::npos) << result.errors;
  EXPECT_EQ(file_count(), 1U);
}

TEST_F(Convert, info_counts_the_events_of_a_program) {
  const ProgramResult result =
      run_vramlab({"info", support::source_dir() + "/tests/traces/samples/program.vtrace.jsonl"});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_NE(result.output.find("57 (malloc 2, free 1"), std::string::npos) << result.output;
}

TEST_F(Convert, a_profiler_trace_becomes_a_program) {
  const std::string trace = support::source_dir() + "/tests/traces/samples/profiler.json";
  const std::string output = folder + "/out.vtrace.jsonl";
  EXPECT_EQ(convert({trace, "-o", output}).exit_status, 0);
  EXPECT_NE(content_of(output).find("{\"malloc\":2,\"bytes\":1024,\"time_ns\":5925203097001}"),
            std::string::npos);
  EXPECT_EQ(convert({trace, "-o", folder + "/out.pickle"}).exit_status, 2);
  const ProgramResult result = run_vramlab({"info", trace});
  EXPECT_NE(result.output.find("4 (malloc 2, free 2)"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("1 events of the CPU"), std::string::npos) << result.output;
}

TEST_F(Convert, an_rmm_log_goes_to_a_native_trace_and_back) {
  const std::string log = support::source_dir() + "/tests/traces/samples/rmm.csv";
  const std::string native = folder + "/out.vtrace";
  EXPECT_EQ(convert({"-", "-o", native}, content_of(log)).exit_status, 0);
  EXPECT_EQ(convert({native, "-o", folder + "/back.csv"}).exit_status, 0);
  EXPECT_EQ(content_of(folder + "/back.csv"),
            "Thread,Time,Action,Pointer,Size,Stream\n"
            "0,23:59:59:999998,allocate,0x200,1048576,0\n"
            "0,23:59:59:999999,allocate,0x400,2048,2\n"
            "0,00:00:00:000003,free,0x200,1048576,0\n"
            "0,00:00:00:000003,allocate failure,0x0,0,0\n"
            "0,00:00:01:500000,free,0x400,2048,2\n");
  const ProgramResult result = run_vramlab({"info", "--json", log});
  EXPECT_NE(result.output.find("\"failed_requests\": 1"), std::string::npos) << result.output;
}

TEST_F(Convert, a_recording_goes_to_an_rmm_log) {
  const std::string output = folder + "/out";
  EXPECT_EQ(convert({input, "-o", output, "--format", "rmm"}).exit_status, 0);
  EXPECT_NE(content_of(output).find("allocate,0x"), std::string::npos) << content_of(output);
}

TEST_F(Convert, a_recording_becomes_a_perfetto_trace) {
  const std::string output = folder + "/out.perfetto.json";
  const ProgramResult result = convert({input, "-o", output, "--anonymize", "--strip-frames"});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  const PickleTree trace = PickleTree::parse(content_of(output));
  std::string phases;
  PickleTree last_time = 0;
  for (const PickleTree& event : trace["traceEvents"]) {
    phases += event["ph"].get<std::string>();
    if (!event.contains("ts")) continue;
    EXPECT_GE(event["ts"], last_time);
    last_time = event["ts"];
  }
  EXPECT_EQ(phases.substr(0, 2), "MC") << phases;
  EXPECT_NE(phases.find('b'), std::string::npos) << phases;
  EXPECT_NE(content_of(output).find("annotation_1"), std::string::npos);
  EXPECT_EQ(content_of(output).find("\"step\""), std::string::npos);
}

TEST_F(Convert, a_perfetto_trace_needs_a_whole_history_of_an_allocator) {
  const std::string output = folder + "/out.perfetto.json";
  for (const char* option : {"--from", "--to"})
    EXPECT_EQ(convert({input, "-o", output, option, "1us"}).exit_status, 2);
  EXPECT_EQ(convert({input, "-o", output, "--stream", "0"}).exit_status, 2);
  EXPECT_EQ(file_count(), 1U);
}

TEST_F(Convert, a_program_is_replayed_for_a_perfetto_trace) {
  const std::string sample = support::source_dir() + "/traces/samples/training.vtrace";
  const std::string output = folder + "/out.perfetto.json";
  ASSERT_EQ(convert({sample, "-o", output}).exit_status, 0);
  std::uint64_t highest = 0;
  std::size_t slices = 0;
  const auto document = nlohmann::json::parse(content_of(output));
  for (const auto& event : document["traceEvents"]) {
    if (event["ph"] == "b") ++slices;
    if (event["ph"] == "C" && event["name"] == "all pools")
      highest = std::max<std::uint64_t>(highest, event["args"]["reserved"]);
  }
  const ProgramResult replayed =
      run_program({support::binary_dir() + "/vramlab", "replay", "--json", sample});
  const auto report = nlohmann::json::parse(replayed.output);
  EXPECT_EQ(highest, report["devices"][0]["peak_reserved"]["bytes"]);
  EXPECT_GT(slices, 0U);
}

TEST_F(Convert, stacks_can_be_left_out) {
  const std::string output = folder + "/out.pickle";
  EXPECT_EQ(convert({input, "-o", output, "--strip-frames"}).exit_status, 0);
  EXPECT_EQ(content_of(output).find("train.py"), std::string::npos);
}

TEST_F(Convert, nothing_is_overwritten_without_force) {
  const std::string output = folder + "/out.pickle";
  write("out.pickle", "other");
  const ProgramResult result = convert({input, "-o", output});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_NE(result.errors.find("--force"), std::string::npos);
  EXPECT_EQ(content_of(output), "other");
  EXPECT_EQ(convert({input, "-o", output, "--force"}).exit_status, 0);
  EXPECT_EQ(support::read_pickle_bytes(content_of(output)).lines,
            support::read_pickle_bytes(content_of(input)).lines);
}

TEST_F(Convert, a_broken_input_leaves_no_output) {
  write("in.pickle", content_of(input).substr(0, 500));
  EXPECT_EQ(convert({input, "-o", folder + "/out.pickle"}).exit_status, 2);
  EXPECT_EQ(file_count(), 1U);
}

TEST_F(Convert, an_ending_that_says_nothing_is_refused) {
  EXPECT_EQ(convert({input, "-o", folder + "/out.txt"}).exit_status, 2);
  EXPECT_EQ(file_count(), 1U);
}

/// A conversion that waits for more on its standard input, and has begun its output.
pid_t start_waiting(const std::string& output, int& input_end) {
  int ends[2] = {-1, -1};
  if (pipe(ends) != 0) return -1;
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    close(ends[1]);
    become_program({vramlab_path, "convert", "-", "-o", output});
  }
  close(ends[0]);
  input_end = ends[1];
  return child;
}

TEST_F(Convert, being_interrupted_leaves_nothing) {
  int input_end = -1;
  const pid_t child = start_waiting(folder + "/out.pickle", input_end);
  ASSERT_GT(child, 0);
  // More bytes than are read to tell the format, and fewer than a snapshot has.
  const std::string start = content_of(input).substr(0, 200);
  ASSERT_EQ(::write(input_end, start.data(), start.size()), 200);
  while (file_count() == 1) usleep(1000);
  int status = 0;
  kill(child, SIGINT);
  ASSERT_EQ(waitpid(child, &status, 0), child);
  close(input_end);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGINT);
  EXPECT_EQ(file_count(), 1U);
}

}  // namespace
}  // namespace vramlab::tests
