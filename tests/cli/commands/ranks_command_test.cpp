// `vramlab ranks` from outside.
#include "tests/support/kit/command_test.h"

namespace vramlab::tests {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class Ranks : public FolderTest {
 protected:
  /// A folder with recordings of equal ranks, of which one holds more.
  void write_job(int count, int larger) const {
    for (int rank = 0; rank < count; ++rank)
      write("rank" + std::to_string(rank) + ".vtrace.jsonl",
            program_with_a_tie.substr(0, program_with_a_tie.find("{\"end\"")) +
                (rank == larger ? "{\"malloc\":6,\"bytes\":83886080}\n" : "") + "{\"end\":true}\n");
  }
};

TEST_F(Ranks, has_a_row_for_each_and_names_the_outlier) {
  write_job(12, 7);
  const auto document = run_json({"ranks", folder});
  EXPECT_EQ(document["recordings"], 12);
  EXPECT_EQ(document["outliers"], 1);
  EXPECT_EQ(document["rows"].size(), 12U);
  EXPECT_THAT(document["rows"][0]["file"].get<std::string>(), HasSubstr("rank7."));
  EXPECT_THAT(document["rows"][0]["outlier"][0].get<std::string>(),
              testing::MatchesRegex("reserves .* more than the median"));
  // Equal ones stand in the order of their numbers.
  EXPECT_THAT(document["rows"][11]["file"].get<std::string>(), HasSubstr("rank11."));
  EXPECT_EQ(document["rows"][11]["outlier"].size(), 0U);
  EXPECT_GT(document["imbalance"].get<double>(), 1.0);
}

TEST_F(Ranks, agrees_with_replay_and_top) {
  const auto row = run_json({"ranks", leak})["rows"][0];
  const auto metrics = run_json({"replay", leak})["metrics"];
  EXPECT_EQ(row["peak_allocated_bytes"], metrics["peak_allocated"]);
  EXPECT_EQ(row["peak_reserved_bytes"], metrics["peak_reserved"]);
  const auto holder = run_json({"top", leak, "--limit", "1"})["devices"][0]["groups"][0];
  EXPECT_EQ(row["worst_line"], holder["key"]);
  EXPECT_EQ(row["worst_line_bytes"], holder["bytes"]);
}

TEST_F(Ranks, puts_failures_first_with_their_line) {
  const std::string failed = in_folder("rank3.pickle");
  run_vramlab({"replay", samples + "fragments.vtrace", "--device-memory", "1GiB", "--on-oom",
               "skip", "--snapshot-out", failed});
  run_vramlab({"replay", training, "--snapshot-out", in_folder("rank0.pickle")});
  const auto document = run_json({"ranks", folder});
  EXPECT_EQ(document["failed"], 1);
  EXPECT_EQ(document["rows"][0]["file"], failed);
  EXPECT_GT(document["rows"][0]["failures"], 0);
  EXPECT_EQ(document["rows"][0]["worst_line_bytes"], nullptr);
}

/// The drawings of a page, as the heights of their areas and lines.
std::vector<std::string> drawings_in(const std::string& page) {
  std::vector<std::string> drawings;
  for (std::size_t at = page.find("<svg"); at != std::string::npos; at = page.find("<svg", at + 1))
    drawings.push_back(page.substr(at, page.find("</svg>", at) - at));
  return drawings;
}

TEST_F(Ranks, draws_each_on_one_scale) {
  write_job(5, 3);
  const std::string page = in_folder("ranks.html");
  ASSERT_EQ(run_vramlab({"ranks", folder, "-o", page}).exit_status, 0);
  const std::string text = content_of(page);
  const std::vector<std::string> drawings = drawings_in(text);
  ASSERT_EQ(drawings.size(), 5U);
  // The largest reaches the top, and the equal ones look the same and stay below it.
  EXPECT_THAT(drawings[0], HasSubstr("V0H"));
  EXPECT_THAT(drawings[1], Not(HasSubstr("V0H")));
  EXPECT_EQ(drawings[1], drawings[4]);
  EXPECT_EQ(text.find("class=\"far\""), text.rfind("class=\"far\""));
  EXPECT_THAT(text, HasSubstr("rank3."));
  EXPECT_THAT(text, Not(HasSubstr("<script")));
}

TEST_F(Ranks, draws_a_history_as_its_replay) {
  const std::string recording = in_folder("a.pickle"), page = in_folder("b.html");
  run_vramlab({"replay", training, "--snapshot-out", recording});
  ASSERT_EQ(run_vramlab({"ranks", recording, training, "-o", page}).exit_status, 0);
  const std::vector<std::string> drawings = drawings_in(content_of(page));
  ASSERT_EQ(drawings.size(), 2U);
  EXPECT_THAT(drawings[0], HasSubstr("0H"));
  EXPECT_THAT(drawings[1], HasSubstr("0H"));
}

TEST_F(Ranks, names_in_a_page_are_no_markup) {
  write("<b>&.vtrace.jsonl", program_with_a_tie);
  const std::string page = in_folder("page.html");
  ASSERT_EQ(run_vramlab({"ranks", in_folder("<b>&.vtrace.jsonl"), "-o", page}).exit_status, 0);
  EXPECT_THAT(content_of(page), HasSubstr("&lt;b&gt;&amp;.vtrace.jsonl"));
  EXPECT_THAT(content_of(page), Not(HasSubstr("<b>")));
}

TEST_F(Ranks, leaves_out_other_files_of_a_folder_and_refuses_named_ones) {
  write_job(2, -1);
  write(".hidden", "x");
  const std::string other = write("notes.txt", "no recording");
  const auto document = run_json({"ranks", folder});
  EXPECT_EQ(document["left_out"], nlohmann::json{other});
  EXPECT_EQ(run_vramlab({"ranks", in_folder("rank0.vtrace.jsonl"), other}).exit_status, 2);
  expect_refused({"ranks", other}, "notes.txt");
  fs::create_directory(in_folder("empty"));
  expect_refused({"ranks", in_folder("empty")}, "a folder with recordings");
}

TEST_F(Ranks, is_a_table_for_people_spreadsheets_and_pull_requests) {
  write_job(30, 4);
  const std::string text = run_vramlab({"ranks", folder}).output;
  EXPECT_THAT(text, StartsWith("30 recordings, 30 devices: peak reserved "));
  EXPECT_THAT(text, HasSubstr("and 10 more (--limit 0 shows all)"));
  EXPECT_THAT(run_vramlab({"ranks", folder, "--limit", "0"}).output, Not(HasSubstr("more (")));
  const std::string csv = run_vramlab({"ranks", folder, "--format", "csv"}).output;
  EXPECT_THAT(csv, StartsWith("file,device,events,peak_allocated_bytes,"));
  EXPECT_EQ(std::ranges::count(csv, '\n'), 31);
  const std::string output = in_folder("ranks.md");
  EXPECT_EQ(run_vramlab({"ranks", folder, "-o", output}).exit_status, 0);
  EXPECT_THAT(content_of(output), HasSubstr("| rank4.vtrace.jsonl | 0 |"));
}

}  // namespace
}  // namespace vramlab::tests
