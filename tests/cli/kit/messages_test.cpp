// Messages on standard error to a program that started this one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/kit/own_folder.h"
#include "tests/support/processes/places.h"
#include "tests/support/processes/run_program.h"

namespace vramlab::tests {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

ProgramResult run_speaking(const std::string& form, const std::vector<std::string>& arguments) {
  std::vector<std::string> command = {"/usr/bin/env", "VRAMLAB_MESSAGES=" + form,
                                      support::binary_dir() + "/vramlab"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return run_program(command);
}

TEST(MessagesAsJson, name_the_parts_of_an_input_error) {
  const ProgramResult result = run_speaking("json", {"info", "no such\nfile"});
  EXPECT_EQ(result.exit_status, 2);
  const json message = json::parse(result.errors);
  EXPECT_THAT(result.errors, StartsWith(R"({"vramlab_message":)"));
  EXPECT_EQ(message.at("vramlab_message"), "input_error");
  EXPECT_EQ(message.at("file"), "no such\nfile");
  EXPECT_TRUE(message.at("position").is_null());
  EXPECT_EQ(message.at("expected"), "a file that can be read");
  EXPECT_EQ(message.at("found"), "No such file or directory");
  EXPECT_THAT(message.at("text").get<std::string>(), StartsWith("no such\\nfile: expected a file"));
}

TEST(MessagesAsJson, tell_wrong_usage) {
  for (const auto& arguments : {std::vector<std::string>{"inof"}, {"info", "--wrong", "x"}}) {
    const ProgramResult result = run_speaking("json", arguments);
    EXPECT_EQ(result.exit_status, 2);
    const json message = json::parse(result.errors);
    EXPECT_EQ(message.at("vramlab_message"), "error");
    EXPECT_THAT(message.at("text").get<std::string>(), HasSubstr("--help says more"));
    EXPECT_EQ(message.value("unknown_option", false), arguments.size() > 1);
  }
}

TEST(MessagesAsJson, tell_how_much_is_read) {
  const std::string file = support::source_dir() + "/traces/samples/training.vtrace";
  const ProgramResult result = run_speaking("json", {"info", "--json", file});
  EXPECT_EQ(result.exit_status, 0);
  std::istringstream lines(result.errors);
  std::string line;
  ASSERT_TRUE(std::getline(lines, line));
  const json message = json::parse(line);
  EXPECT_EQ(message.at("vramlab_message"), "progress");
  EXPECT_EQ(message.at("what"), file);
  EXPECT_LE(message.at("bytes_read"), message.at("bytes_total"));
}

TEST(MessagesAsJson, tell_the_steps_of_work_and_how_far_it_is) {
  const std::string file = support::source_dir() + "/traces/samples/training.vtrace";
  const std::string page = support::own_folder() + "told.html";
  const ProgramResult result = run_speaking("json", {"report", file, "-o", page, "--force"});
  EXPECT_EQ(result.exit_status, 0);
  std::istringstream lines(result.errors);
  std::vector<json> told;
  for (std::string line; std::getline(lines, line);)
    if (json message = json::parse(line); message.at("vramlab_message") == "work")
      told.push_back(std::move(message));
  ASSERT_FALSE(told.empty());
  EXPECT_EQ(told.front().at("step"), "draws run 1 of 1");
  EXPECT_TRUE(told.front().at("done").is_null());
  for (const json& message : told)
    if (!message.at("done").is_null()) {
      EXPECT_LE(message.at("done"), message.at("total"));
    }
}

TEST(MessagesAsJson, are_not_told_quietly) {
  const std::string file = support::source_dir() + "/traces/samples/training.vtrace";
  EXPECT_EQ(run_speaking("json", {"info", "--json", "--quiet", file}).errors, "");
}

TEST(MessagesAsJson, of_another_form_are_refused) {
  const ProgramResult result = run_speaking("xml", {"info", "x"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_EQ(result.errors, "vramlab: VRAMLAB_MESSAGES: expected text or json, found xml\n");
}

}  // namespace
}  // namespace vramlab::tests
