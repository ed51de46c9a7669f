// `vramlab bisect` from outside, with a fake PyTorch: an environment is a script that sets the size
// of the last block.
#include <filesystem>

#include "tests/support/kit/dry_run_test.h"

namespace vramlab::tests {
namespace {

using nlohmann::json;

using testing::HasSubstr;

constexpr const char* three_blocks = R"(
import os, subprocess, torch
torch.cuda.init()
scratch = os.environ['VRAMLAB_DRY_RUN_NOTES'] + '/made.'
with open(scratch + 'jsonl', 'w') as file:
    file.write('{"format":"vramlab-trace","version":1,"origin":"test","has_end":true}\n')
    for number, size in enumerate([40, 20, int(os.environ['LAST'])]):
        file.write('{"malloc":%d,"bytes":%d}\n' % (number + 1, size << 20))
    file.write('{"end":true}\n')
words = [os.environ['VRAMLAB'], 'replay', scratch + 'jsonl', '--snapshot-out', scratch + 'pickle']
subprocess.run(words, check=True, stdout=subprocess.DEVNULL, env={'PATH': os.environ['PATH']})
os.environ['FAKE_TORCH_SNAPSHOT'] = scratch + 'pickle'
print('said')
)";

class Bisect : public DryRunTest {
 protected:
  /// The option for an environment whose last block has so many MiB.
  std::string python(const std::string& name, int last) const {
    const std::string path = write(
        name, "#!/bin/sh\nLAST=" + std::to_string(last) + " exec /usr/bin/env python3 \"$@\"\n");
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return "--python=" + name + "=" + path;
  }

  ProgramResult bisect(std::vector<std::string> options) const {
    const std::string script = write("program.py", three_blocks);
    std::vector<std::string> words = {
        "/usr/bin/env",
        "TMPDIR=" + in_folder("scratch"),
        "VRAMLAB=" + vramlab_path,
        "PYTHONPATH=" + support::source_dir() + "/tests/cuda_standins/command/fake_torch",
        "PYTHONDONTWRITEBYTECODE=1",
        vramlab_path,
        "bisect"};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--", "python", script});
    return run_program(words);
  }
};

TEST_F(Bisect, first_two_that_differ_are_compared) {
  const ProgramResult result = bisect(
      {"--json", python("one", 20), python("two", 20), python("three", 60), python("four", 80)});
  EXPECT_EQ(result.exit_status, 1) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("said"));
  const json answer = json::parse(result.output, nullptr, false);
  ASSERT_EQ(answer["runs"].size(), 4U) << result.output;
  EXPECT_EQ(answer["runs"][0]["environment"], "one");
  EXPECT_EQ(answer["runs"][0]["torch"], "2.6.0+fake");
  EXPECT_EQ(answer["runs"][0]["peak_allocated_bytes"], 80 << 20);
  EXPECT_EQ(answer["runs"][3]["peak_allocated_bytes"], 140 << 20);
  const json& difference = answer["first_difference"];
  EXPECT_EQ(difference["base"], "two");
  EXPECT_EQ(difference["new"], "three");
  EXPECT_THAT(difference["event"]["base"].get<std::string>(), HasSubstr("20.00 MiB"));
  EXPECT_THAT(difference["event"]["new"].get<std::string>(), HasSubstr("60.00 MiB"));
  EXPECT_EQ(difference["groups_at_peak"][0]["new_bytes"], 120 << 20);
}

TEST_F(Bisect, text_names_peaks_event_and_growth) {
  const std::string histories = in_folder("histories");
  const ProgramResult result = bisect({python("old", 20), python("new", 60), "-o", histories});
  EXPECT_EQ(result.exit_status, 1) << result.errors;
  for (const char* const text :
       {"first that differ  old and new", "is the first that differs",
        "old: segment_alloc of 20.00 MiB", "at the peak        +40.00 MiB"})
    EXPECT_THAT(result.output, HasSubstr(text));
  EXPECT_TRUE(std::filesystem::exists(histories + "/old.pickle"));
  EXPECT_TRUE(std::filesystem::exists(histories + "/new.pickle"));
}

TEST_F(Bisect, same_peaks_are_no_difference) {
  const ProgramResult result = bisect({python("old", 20), python("new", 20)});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("none: all have the same peaks"));
}

TEST_F(Bisect, environments_that_are_missing_are_refused) {
  expect_refused_in_one_line(bisect({python("old", 20)}), "expected two versions or more");
  expect_refused_in_one_line(bisect({python("old", 20), "--torch", "0.1.2"}),
                             "--python 0.1.2=PATH), found none");
  expect_refused_in_one_line(bisect({python("old", 20), "--python", "word"}),
                             "expected NAME=PATH, such as mine=venv/bin/python, found word");
}

}  // namespace
}  // namespace vramlab::tests
