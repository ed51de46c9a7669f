// `vramlab verify` from outside.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/kit/command_test.h"

namespace vramlab::tests {
namespace {

class Verify : public FolderTest {
 protected:
  /// One segment, one live block at this place in it.
  std::string snapshot(const std::string& alloc_address) {
    return R"({"segments": [{"device": 0, "address": 139637976727552, "total_size": 2097152,
      "allocated_size": 512, "active_size": 512, "requested_size": 100, "stream": 0,
      "segment_type": "small", "segment_pool_id": [0, 0], "is_expandable": false, "blocks": [
      {"address": 139637976727552, "size": 512, "requested_size": 100, "state": "active_allocated"},
      {"address": 139637976728064, "size": 2096640, "requested_size": 0, "state": "inactive"}]}],
      "device_traces": [[
      {"action": "segment_alloc", "addr": 139637976727552, "size": 2097152, "stream": 0},
      {"action": "alloc", "addr": )" +
           alloc_address + R"(, "size": 100, "stream": 0}]]})";
  }
  ProgramResult verify(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "verify");
    return run_vramlab(std::move(arguments));
  }
};

TEST_F(Verify, says_exact_and_exits_with_0) {
  const ProgramResult result = verify({write("file.json", snapshot("139637976727552"))});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_NE(result.output.find(": exact\n"), std::string::npos);
  EXPECT_NE(result.output.find("allocs at the recorded address   1 of 1"), std::string::npos);
}

TEST_F(Verify, shows_the_first_difference) {
  const ProgramResult result = verify({write("file.json", snapshot("139637976728064"))});
  EXPECT_NE(result.output.find("first difference, at event 1"), std::string::npos) << result.output;
  EXPECT_EQ(result.output.find(": exact\n"), std::string::npos);
}

/// A request of 43 MiB takes a whole block of 80 MiB, which no usual options allow. The file has
/// the options that were set last.
TEST_F(Verify, calls_a_file_approximate_whose_options_changed_to_some_that_are_not_found) {
  std::string lines = R"({"format":"vramlab-trace","version":1}
{"options":"max_split_size_mb:40,max_non_split_rounding_mb:38"}
{"malloc":1,"bytes":83886080}
{"free":1}
{"malloc":2,"bytes":45088768}
{"malloc":3,"bytes":31457280}
)";
  for (int i = 0; i < 15; ++i) lines += "{\"malloc\":4,\"bytes\":1000}\n{\"free\":4}\n";
  const std::string program = write("program.vtrace.jsonl", lines + "{\"options\":\"\"}\n");
  const std::string recording = in_folder("recording.pickle");
  EXPECT_EQ(run_vramlab({"replay", program, "--snapshot-out", recording}).exit_status, 0);
  const ProgramResult result = verify({recording});
  EXPECT_EQ(result.exit_status, 0) << result.output;
  EXPECT_NE(result.output.find(": approximate\n"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("settings seem to have changed: others than the recorded ones "
                               "explain events 6 to "),
            std::string::npos)
      << result.output;
  EXPECT_EQ(verify({recording, "--require", "exact"}).exit_status, 1);
}

TEST_F(Verify, labels_a_file_without_history_and_lets_it_pass_unless_exact_is_required) {
  const std::string file = write("file.json", R"({"segments": [], "device_traces": [[]]})");
  EXPECT_EQ(verify({file}).exit_status, 0);
  EXPECT_NE(verify({file}).output.find("final state only"), std::string::npos);
  EXPECT_EQ(verify({file, "--require", "exact"}).exit_status, 1);
}

TEST_F(Verify, leaves_out_devices_that_held_nothing) {
  std::string of_two = snapshot("139637976727552");
  of_two.insert(of_two.size() - 2, ", []");
  const ProgramResult result = verify({write("file.json", of_two)});
  EXPECT_NE(result.output.find("  device 0: exact\n"), std::string::npos) << result.output;
  EXPECT_EQ(result.output.find("device 1"), std::string::npos) << result.output;
}

TEST_F(Verify, refuses_a_program_with_what_it_lacks) {
  const ProgramResult result = verify({leak});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_NE(result.errors.find(
                "expected a recording of PyTorch's allocator, for a replay to be compared with it, "
                "found a program, which says nothing of what an allocator did"),
            std::string::npos)
      << result.errors;
}

TEST_F(Verify, refuses_a_file_that_is_no_recording_and_an_unknown_version) {
  EXPECT_EQ(verify({write("file.txt", "nothing")}).exit_status, 2);
  EXPECT_EQ(
      verify({"--reference", "1.0", write("file.json", snapshot("139637976727552"))}).exit_status,
      2);
}

TEST_F(Verify, says_that_a_history_no_allocator_makes_was_not_replayed) {
  const std::string odd = write("odd.json", snapshot("139637976727553"));
  const ProgramResult verified = verify({odd});
  EXPECT_EQ(verified.exit_status, 0);
  EXPECT_NE(verified.output.find(": not replayed\n"), std::string::npos) << verified.output;
  EXPECT_EQ(verify({odd, "--require", "exact"}).exit_status, 1);
  const ProgramResult shown = run_vramlab({"snapshot", odd, "--at", "peak"});
  EXPECT_EQ(shown.exit_status, 2) << shown.output;
  EXPECT_NE(shown.errors.find("event 1"), std::string::npos) << shown.errors;
}

TEST_F(Verify, refuses_a_dict_that_is_no_snapshot) {
  const ProgramResult other = verify({write("other.json", R"({"a": 1})")});
  EXPECT_EQ(other.exit_status, 2) << other.output;
  EXPECT_NE(other.errors.find("found a dict with 'a'"), std::string::npos) << other.errors;
  EXPECT_EQ(verify({write("empty.json", "{}")}).exit_status, 2);
  EXPECT_EQ(
      verify({write("other.pickle", std::string("\x80\x04}\x8c\x01\x61K\x01s.", 10))}).exit_status,
      2);
}

TEST_F(Verify, names_the_versions_that_write_such_a_file) {
  const std::string plain = snapshot("139637976727552");
  EXPECT_NE(verify({write("file.json", plain)})
                .output.find("rules of PyTorch 2.6, as the file seems to be written by PyTorch 2.1 "
                             "or 2.2, options"),
            std::string::npos);
  const std::string newest =
      plain.substr(0, plain.size() - 1) +
      R"(, "allocator_settings": {"max_round_threshold": -1}, "host_segments": [],)"
      R"( "host_traces": []})";
  EXPECT_NE(
      verify({write("file.json", newest)})
          .output.find("rules of PyTorch 2.15, as the file seems to be written by PyTorch 2.14 "
                       "or newer, options"),
      std::string::npos);
}

TEST_F(Verify, prints_one_document_with_json) {
  const ProgramResult result = verify({"--json", write("file.json", snapshot("139637976727552"))});
  EXPECT_NE(result.output.find("\"schema_version\": 2"), std::string::npos);
  EXPECT_NE(result.output.find("\"label\": \"exact\""), std::string::npos);
}

}  // namespace
}  // namespace vramlab::tests
