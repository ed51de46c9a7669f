// `vramlab table` from outside.
#include <cstring>
#include <map>
#include <sstream>

#include "tests/support/kit/command_test.h"

namespace vramlab::tests {
namespace {

class TableOf : public FolderTest {
 protected:
  /// The cells of a CSV without quotes, by the names of the columns.
  static std::vector<std::map<std::string, std::string>> rows_of(
      std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "table");
    const ProgramResult result = run_vramlab(std::move(arguments));
    EXPECT_EQ(result.exit_status, 0) << result.errors;
    std::istringstream lines(result.output);
    std::string line;
    std::getline(lines, line);
    const std::vector<std::string> names = cells_of(line);
    std::vector<std::map<std::string, std::string>> rows;
    while (std::getline(lines, line)) {
      const std::vector<std::string> cells = cells_of(line);
      rows.emplace_back();
      for (std::size_t i = 0; i < names.size(); ++i) rows.back()[names[i]] = cells[i];
    }
    return rows;
  }
  static std::vector<std::string> cells_of(const std::string& line) {
    std::vector<std::string> cells(1);
    for (const char letter : line) {
      if (letter == ',')
        cells.emplace_back();
      else
        cells.back() += letter;
    }
    return cells;
  }
};

TEST_F(TableOf, has_a_row_for_each_allocation_with_its_life) {
  const auto rows = rows_of({write("tie.vtrace.jsonl", program_with_a_tie)});
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_EQ(rows[1].at("event"), "1");
  EXPECT_EQ(rows[1].at("freed_event"), "3");
  EXPECT_EQ(rows[1].at("requested_bytes"), "12582912");
  EXPECT_EQ(rows[1].at("id"), "2");
  EXPECT_EQ(rows[1].at("pool"), "default");
  EXPECT_EQ(rows[4].at("freed_event"), "") << "it is held to the end";
  EXPECT_EQ(rows[4].at("call_site"), "");
}

TEST_F(TableOf, agrees_with_what_is_held_at_the_end) {
  const std::string recording = in_folder("leak.pickle");
  run_vramlab({"replay", leak, "--snapshot-out", recording});
  for (const std::string& file : {leak, recording}) {
    std::uint64_t held = 0;
    for (const auto& row : rows_of({file}))
      if (row.at("freed_event").empty()) held += std::stoull(row.at("bytes"));
    EXPECT_EQ(held, run_json({"replay", file})["metrics"]["end_allocated"]) << file;
  }
}

TEST_F(TableOf, has_memory_from_before_the_recording_and_after_it) {
  const std::string whole = in_folder("whole.pickle");
  const std::string part = in_folder("part.pickle");
  run_vramlab({"replay", leak, "--snapshot-out", whole});
  const ProgramResult cut =
      run_vramlab({"replay", leak, "--snapshot-out", part, "--history", "50"});
  ASSERT_EQ(cut.exit_status, 0) << cut.errors;
  std::uint64_t held = 0;
  bool has_earlier = false;
  for (const auto& row : rows_of({part})) {
    has_earlier = has_earlier || row.at("event").empty();
    if (row.at("freed_event").empty()) held += std::stoull(row.at("bytes"));
  }
  EXPECT_TRUE(has_earlier);
  EXPECT_EQ(held, run_json({"replay", whole})["metrics"]["end_allocated"]);
}

TEST_F(TableOf, leaves_out_memory_that_waited_when_the_recording_began) {
  const std::string recording = write("waited.json", R"({"segments":[{"device":0,
"address":1048576,"total_size":2097152,"allocated_size":0,"active_size":0,"stream":0,
"segment_type":"small","blocks":[{"address":1048576,"size":2097152,"requested_size":0,
"state":"inactive"}]}],"device_traces":[[
{"action":"free_completed","addr":1048576,"size":1024,"stream":0,"time_us":1},
{"action":"alloc","addr":1048576,"size":2048,"stream":0,"time_us":2},
{"action":"free_requested","addr":1048576,"size":2048,"stream":0,"time_us":3},
{"action":"free_completed","addr":1048576,"size":2048,"stream":0,"time_us":4}]]})");
  const auto rows = rows_of({recording});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].at("requested_bytes"), "2048");
  EXPECT_EQ(rows[0].at("freed_event"), "2");
  EXPECT_EQ(rows[0].at("life_ns"), "1000");
}

TEST_F(TableOf, names_events_by_the_words_of_pytorch) {
  const std::string recording = in_folder("leak.pickle");
  run_vramlab({"replay", leak, "--snapshot-out", recording});
  std::map<std::string, std::uint64_t> counts;
  for (const auto& row : rows_of({recording, "--rows", "events"})) ++counts[row.at("action")];
  const auto metrics = run_json({"replay", recording})["metrics"];
  EXPECT_EQ(counts.at("alloc"), metrics["requests"]);
  EXPECT_EQ(counts.at("free_requested"), metrics["frees"]);
  EXPECT_EQ(counts.at("segment_alloc"), metrics["device_allocs"]);
}

TEST_F(TableOf, says_what_memory_holds_where_that_is_guessed) {
  const auto rows = rows_of({samples + "gpt_training.pickle.gz", "--kinds", "guess"});
  std::map<std::string, int> kinds;
  for (const auto& row : rows) ++kinds[row.at("kind")];
  EXPECT_GT(kinds.size(), 2U);
}

TEST_F(TableOf, writes_columns_that_json_describes) {
  const std::string output = in_folder("leak.columns");
  const auto document = run_json({"table", leak, "-o", output});
  EXPECT_EQ(document["format"], "columns");
  const std::string bytes = content_of(output);
  const auto rows = rows_of({leak});
  EXPECT_EQ(document["row_count"], rows.size());
  for (const auto& column : document["columns"]) {
    const std::string name = column["name"];
    const auto& parts = column["parts"];
    EXPECT_EQ(parts["cells"]["offset"].get<std::size_t>() % 64, 0U);
    const std::size_t width = column["type"] == "text" ? 4 : 8;
    EXPECT_EQ(parts["cells"]["bytes"], rows.size() * width);
    std::uint64_t first = 0;
    std::memcpy(&first, bytes.data() + parts["cells"]["offset"].get<std::size_t>(), width);
    if (column["type"] != "text" && column["empty_cells"] == 0) {
      EXPECT_EQ(std::to_string(first), rows[0].at(name)) << name;
    }
  }
}

TEST_F(TableOf, refuses_json_that_would_stand_among_the_rows) {
  expect_refused({"table", leak, "--json"}, "--output FILE");
}

}  // namespace
}  // namespace vramlab::tests
