// Names of files in which each process puts itself.
#include "tools/preload/names/file_names.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

namespace vramlab::tests {
namespace {

using names::expanded_name;
using names::ProcessFacts;

const ProcessFacts some_process = {
    42, "node7", [](const char* name) { return std::string_view(name) == "RANK" ? "3" : nullptr; }};

TEST(FileNames, have_the_process_the_host_and_variables_in_place) {
  EXPECT_EQ(expanded_name("a.%p.json", some_process), "a.42.json");
  EXPECT_EQ(expanded_name("%h/rank%q{RANK}-%p", some_process), "node7/rank3-42");
  EXPECT_EQ(expanded_name("%p%p", some_process), "4242");
}

TEST(FileNames, have_nothing_in_place_of_a_variable_that_is_not_set) {
  EXPECT_EQ(expanded_name("r%q{NODE}.txt", some_process), "r.txt");
  EXPECT_EQ(expanded_name("%q{}", some_process), "");
}

TEST(FileNames, keep_all_that_has_no_meaning) {
  for (const char* const name : {"", "plain", "a%", "%x", "%q", "%qRANK", "%q{RANK", "100%.txt"})
    EXPECT_EQ(expanded_name(name, some_process), name);
}

TEST(FileNames, say_a_percent_sign_with_two) {
  EXPECT_EQ(expanded_name("100%%.txt", some_process), "100%.txt");
  EXPECT_EQ(expanded_name("%%p", some_process), "%p") << "not the process";
}

TEST(FileNames, name_the_process_or_do_not) {
  EXPECT_TRUE(names::names_process("a.%p"));
  EXPECT_TRUE(names::names_process("%%%p"));
  EXPECT_FALSE(names::names_process("%%p-%h-%q{RANK}"));
  EXPECT_FALSE(names::names_process("%q{%p}"));
}

TEST(FileNames, of_one_file_exactly_can_be_had) {
  for (const char* const name : {"", "plain", "50%p", "%q{RANK}%%"})
    EXPECT_EQ(expanded_name(names::literal_name(name), some_process), name);
}

TEST(FileNames, are_absolute_wherever_the_process_goes) {
  EXPECT_EQ(names::from_this_folder("/a/%p"), "/a/%p");
  const std::string here = std::filesystem::current_path();
  EXPECT_EQ(expanded_name(names::from_this_folder("a.%p"), some_process), here + "/a.42");
}

TEST(FileNames, of_this_process_have_its_own_number_host_and_variables) {
  const ProcessFacts facts = names::facts_of_this_process();
  EXPECT_EQ(facts.process, getpid());
  EXPECT_FALSE(facts.host.empty());
  EXPECT_EQ(expanded_name("%q{PATH}", facts), std::getenv("PATH"));
}

}  // namespace
}  // namespace vramlab::tests
