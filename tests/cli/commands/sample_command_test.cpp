// `vramlab sample` from outside.
#include <set>

#include "tests/support/kit/command_test.h"

namespace vramlab::tests {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

class Sample : public FolderTest {};

nlohmann::json all_samples() { return run_json({"sample"})["samples"]; }

TEST_F(Sample, each_that_is_listed_is_written_and_its_question_has_an_answer) {
  for (const auto& row : all_samples()) {
    const std::string name = row["name"];
    const std::string output = folder + "/" + row["file"].get<std::string>();
    const ProgramResult result = run_vramlab({"sample", name, "-o", output});
    EXPECT_EQ(result.exit_status, 0) << result.errors;
    const std::string question = row["question"];
    EXPECT_THAT(result.output, HasSubstr("\nask next: vramlab " + question + " " + output));
    const ProgramResult answer =
        run_program({"/usr/bin/env", "bash", "-c", vramlab_path + " " + question + " " + output});
    EXPECT_EQ(answer.exit_status, 0) << answer.errors;
  }
}

TEST_F(Sample, has_the_bytes_of_the_bundled_recording) {
  const std::string output = folder + "/made";
  const auto document = run_json({"sample", "leak", "-o", output});
  EXPECT_EQ(document["samples"][0]["output"], output);
  EXPECT_TRUE(content_of(output) == content_of(leak));
  EXPECT_TRUE(run_vramlab({"sample", "leak", "-o", "-"}).output == content_of(leak));
}

TEST_F(Sample, every_program_of_the_tour_is_one_with_its_title) {
  std::set<std::string> listed;
  for (const auto& row : all_samples()) listed.insert(row["file"]);
  for (const auto& entry : fs::directory_iterator(support::source_dir() + "/tools/web/page/tour")) {
    const std::string file = entry.path().filename().string();
    if (file.ends_with(".vtrace.py")) {
      EXPECT_TRUE(listed.contains(file)) << file;
    }
  }
  const ProgramResult list = run_vramlab({"sample"});
  EXPECT_THAT(list.output, HasSubstr("station 3 of the tour: Best fit and splitting"));
}

TEST_F(Sample, goes_into_the_current_folder_and_replaces_nothing) {
  const std::vector<std::string> words = {"/usr/bin/env", "-C",     folder,
                                          vramlab_path,   "sample", "out_of_memory"};
  const ProgramResult first = run_program(words);
  EXPECT_EQ(first.exit_status, 0) << first.errors;
  EXPECT_THAT(first.output, StartsWith("out_of_memory.pickle.gz: "));
  expect_refused_in_one_line(run_program(words), "--force");
}

TEST_F(Sample, refuses_an_unknown_name_and_an_output_without_a_name) {
  expect_refused_in_one_line(run_vramlab({"sample", "leaks"}), "the nearest is leak");
  expect_refused_in_one_line(run_vramlab({"sample", "-o", folder + "/x"}), "name of a sample");
  EXPECT_TRUE(fs::is_empty(folder));
}

}  // namespace
}  // namespace vramlab::tests
