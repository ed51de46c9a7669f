// The rules that the fuzz target of pinned memory checks hold for samples, and for what becomes of
// them when lines are missing.
#include "tests/support/fuzz/host_memory_fuzz_body.h"

#include <gtest/gtest.h>

#include <sstream>

#include "tests/support/processes/places.h"

namespace vramlab::replay {
namespace {

using support::broken_rule_of_host_memory;

const std::string pinned_recording =
    "{\"format\":\"vramlab-trace\",\"version\":1}\n"
    "{\"unknown_section\":[{\"address\":8192,\"total_size\":100,\"blocks\":[{\"state\":"
    "\"active_allocated\"}]}],\"key\":\"host_segments\"}\n"
    "{\"unknown_section\":[{\"action\":\"segment_alloc\",\"addr\":8192,\"size\":100},"
    "{\"action\":\"alloc\",\"addr\":8192,\"size\":100}],\"key\":\"host_traces\"}\n";

std::string without_line(const std::string& text, std::size_t number) {
  std::istringstream lines(text);
  std::string kept;
  std::string line;
  for (std::size_t i = 0; std::getline(lines, line); ++i)
    if (i != number) kept += line + "\n";
  return kept;
}

TEST(HostMemoryFuzzBody, holds_for_samples) {
  EXPECT_EQ(broken_rule_of_host_memory(pinned_recording), std::nullopt);
  const std::string sample =
      support::content_of(support::source_dir() + "/traces/samples/dataloader.vtrace.jsonl");
  EXPECT_EQ(broken_rule_of_host_memory(sample), std::nullopt);
}

TEST(HostMemoryFuzzBody, holds_for_a_recording_whose_segments_overlap) {
  const std::string overlapping =
      R"({"format":"vramlab-trace","version":1})"
      "\n"
      R"({"unknown_section":[{"address":8192,"total_size":1024,"blocks":[)"
      R"({"address":8192,"size":1024,"state":"active_allocated"}]}],"key":"host_segments"})"
      "\n"
      R"({"unknown_section":[{"action":"segment_alloc","addr":4096,"size":1048576},)"
      R"({"action":"segment_alloc","addr":8192,"size":1048576},)"
      R"({"action":"alloc","addr":8192,"size":1024}],"key":"host_traces"})"
      "\n";
  EXPECT_EQ(broken_rule_of_host_memory(overlapping), std::nullopt);
}

TEST(HostMemoryFuzzBody, holds_where_lines_are_missing) {
  const std::string sample =
      support::content_of(support::source_dir() + "/traces/samples/dataloader.vtrace.jsonl");
  for (std::size_t line = 1; line < 60; ++line)
    EXPECT_EQ(broken_rule_of_host_memory(without_line(sample, line)), std::nullopt) << line;
}

}  // namespace
}  // namespace vramlab::replay
