// Names are data: a frame, a file, an annotation or an option may be named to act on the terminal
// of whoever looks at the recording. Every command shows such names with escapes; JSON keeps them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

#include "tests/support/kit/command_test.h"
#include "traces/io/letters.h"

namespace vramlab::tests {
namespace {

using nlohmann::json;
using testing::HasSubstr;

/// Sets the colour of a terminal and the title of its window.
const std::string hostile = "for\x1b[31;1mward\x1b]0;pwned\x07";
const std::string hostile_shown = R"(for\x1b[31;1mward\x1b]0;pwned\x07)";
/// Ends its line, turns the next one around, and has a byte that is no UTF-8.
const std::string hostile_file_name = "a\x1b[2J\nBROKEN\xe2\x80\xae\xc2\x9b\xff";

/// The sample with a hostile name in place of each "forward".
std::string hostile_program() {
  std::string text = content_of(samples + "missing_record_stream.vtrace.jsonl");
  text = std::regex_replace(text, std::regex("\"name\":\"forward\""),
                            "\"name\":" + json(hostile).dump());
  text = std::regex_replace(text, std::regex("\"train.py\""), json("tr\nBROKEN.py").dump());
  text = std::regex_replace(text, std::regex("\"by hand\""), json(hostile).dump());
  return std::regex_replace(text, std::regex("\"step (.)\""), json(hostile).dump());
}

/// Expects text that acts on no terminal, with no line that a name has begun.
void expect_for_reading(const std::string& text) {
  EXPECT_TRUE(std::ranges::all_of(text, [](unsigned char letter) {
    return letter == '\n' || (letter >= ' ' && letter != 0x7F);
  })) << text;
  EXPECT_TRUE(traces::is_utf8(text)) << text;
  EXPECT_EQ(text.find("\xe2\x80\xae"), std::string::npos) << text;
  EXPECT_EQ(text.find("\xc2\x9b"), std::string::npos) << text;
  EXPECT_EQ(text.find("\nBROKEN"), std::string::npos) << text;
}

class HostileNames : public FolderTest {
 protected:
  HostileNames() {
    run_vramlab({"replay", program, "--snapshot-out", in_folder("plain.json")});
    const std::string plain = content_of(in_folder("plain.json"));
    const json settings = {{"PYTORCH_CUDA_ALLOC_CONF", ""}, {hostile, hostile + "\nBROKEN"}};
    const json mark = {{"name", hostile}, {"stage", "START"}, {"device", 0}, {"time_us", 1}};
    recording =
        write(hostile_file_name + ".json", plain.substr(0, plain.find("\"allocator_settings\"")) +
                                               "\"allocator_settings\": " + settings.dump() +
                                               ", \"external_annotations\": [" + mark.dump() +
                                               "], " + json(hostile).dump() + ": 1}");
  }

  ProgramResult expect_shown(const std::vector<std::string>& words) const {
    SCOPED_TRACE(testing::PrintToString(words));
    ProgramResult result = run_vramlab(words);
    EXPECT_NE(result.exit_status, 2) << result.errors;
    expect_for_reading(result.output);
    expect_for_reading(result.errors);
    return result;
  }

  const std::string program = write(hostile_file_name + ".jsonl", hostile_program());
  std::string recording;
};

TEST_F(HostileNames, are_shown_with_escapes_by_every_command) {
  const std::string memory = "28MiB";
  for (const std::string& file : {program, recording})
    for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
             {"info", file, file},
             {"replay", file, "-v"},
             {"replay", file, "--device-memory", memory, "--on-oom", "report"},
             {"top", file, "-v"},
             {"top", file, "--by", "stack"},
             {"top", file, "--by", "label"},
             {"top", file, "--growth"},
             {"top", file, "--folded"},
             {"snapshot", file, "--at", "20"},
             {"snapshot", file, "--device-memory", memory, "--at", "oom"},
             {"steps", file, "--count", "200"},
             {"streams", file},
             {"advise", file},
             {"advise", file, "--device-memory", memory},
             {"capacity", file},
             {"capacity", file, "--format", "markdown"},
             {"capacity", file, "--format", "csv"},
             {"sweep", file, file, "--conf", "", "--conf", "max_split_size_mb:64"},
             {"sweep", file, "--conf", "", "--conf", "max_split_size_mb:64", "--format",
              "markdown"},
             {"sweep", file, "--conf", "", "--conf", "max_split_size_mb:64", "--format", "csv"},
             {"pack", file},
             {"policies", file},
             {"policies", file, "--format", "markdown"},
             {"diff", file, leak, "--at", "end"},
             {"diff", leak, file, "--format", "markdown", "--fail-if", "peak_reserved > 1KiB"},
             {"diff", leak, file, "--format", "junit", "--fail-if", "peak_reserved > 1KiB"}})
      expect_shown(words);
  expect_shown({"verify", recording, recording});
}

TEST_F(HostileNames, can_be_told_from_each_other) {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"top", recording},
           {"top", recording, "--by", "stack"},
           {"info", recording},
           {"info", program},
           {"streams", program},
           {"diff", leak, recording},
           {"diff", leak, recording, "--format", "markdown"},
           {"diff", leak, recording, "--format", "junit", "--fail-if", "peak_reserved > 1KiB"}})
    EXPECT_THAT(expect_shown(words).output, HasSubstr(hostile_shown));
  EXPECT_THAT(expect_shown({"info", recording}).output,
              HasSubstr(R"(a\x1b[2J\nBROKEN\u202e\u009b\xff.json)"));
}

TEST_F(HostileNames, are_shown_with_escapes_in_messages) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"info", in_folder("none" + hostile_file_name)},
                                             {hostile_file_name},
                                             {"info", "--" + hostile_file_name},
                                             {"info", leak, "--" + hostile_file_name},
                                             {"replay", leak, "--conf", hostile},
                                             {"replay", leak, "--gpu", hostile},
                                             {"top", leak, "--at", hostile},
                                             {"merge", recording},
                                             {"conform", recording},
                                             {"manual", hostile},
                                             {"generate", hostile, "-o", in_folder("x")}}) {
    SCOPED_TRACE(testing::PrintToString(words));
    const ProgramResult result = run_vramlab(words);
    EXPECT_EQ(result.exit_status, 2);
    expect_for_reading(result.output);
    expect_for_reading(result.errors);
  }
}

TEST_F(HostileNames, are_kept_by_json) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"top", recording},
                                             {"info", recording},
                                             {"diff", leak, recording},
                                             {"streams", program}}) {
    std::vector<std::string> all = words;
    all.emplace_back("--json");
    const ProgramResult result = expect_shown(all);
    const json document = json::parse(result.output, nullptr, false);
    ASSERT_FALSE(document.is_discarded()) << result.output;
    EXPECT_THAT(document.dump(), HasSubstr(json(hostile).dump().substr(1, 20)));
  }
}

TEST_F(HostileNames, are_no_formulas_in_csv) {
  for (const auto& [name, cell] : std::vector<std::pair<std::string, std::string>>{
           {"=HYPERLINK(\"x\")", ",\"'=HYPERLINK(\"\"x\"\")\","},
           {"-1+1", ",'-1+1,"},
           {"+1+1", ",'+1+1,"},
           {"@SUM(1)", ",'@SUM(1),"},
           {"-1.5e3", ",-1.5e3,"}}) {
    write(name, content_of(leak));
    const ProgramResult result = run_program({"/usr/bin/env", "-C", folder, vramlab_path, "sweep",
                                              "--conf", "", "--format", "csv", "--", name});
    EXPECT_THAT(result.output, HasSubstr(cell)) << result.errors;
  }
}

}  // namespace
}  // namespace vramlab::tests
