// The library as it is built: what it needs, what it shows, what it does when it is loaded.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "tests/preload/preloaded_run.h"
#include "tools/preload/ground/hook_table.h"

namespace vramlab::tests {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAreArray;

std::string said_by(std::vector<std::string> command) {
  command.insert(command.begin(), "/usr/bin/env");
  command.push_back(preload_library());
  const ProgramResult result = run_program(command);
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  return result.output;
}

std::vector<std::string> lines_with(const std::string& text, const std::string& part) {
  std::vector<std::string> found;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.find(part) != std::string::npos) found.push_back(line);
  return found;
}

TEST(PreloadLibrary, needs_nothing_but_the_c_library) {
  const auto needed = lines_with(said_by({"readelf", "-dW"}), "(NEEDED)");
  ASSERT_FALSE(needed.empty());
  // The threads and the loader's functions had libraries of their own up to glibc 2.33.
  for (const std::string& line : needed)
    EXPECT_THAT(line, ContainsRegex("\\[(lib(c|m)\\.so\\.6|libpthread\\.so\\.0|libdl\\.so\\.2|"
                                    "ld-linux[-_.a-z0-9]*)\\]"));
}

TEST(PreloadLibrary, shows_the_hooks_dlsym_ends_what_is_for_programs_and_nothing_else) {
  std::vector<std::string> expected = {"dlsym", "_exit", "_Exit",
                                       "vramlab_add_free_memory_callback"};
  for (const preload::HookRow& row : preload::hook_rows()) expected.emplace_back(row.symbol);
  std::vector<std::string> shown;
  std::istringstream lines(said_by({"nm", "-D", "--defined-only"}));
  for (std::string address, kind, name; lines >> address >> kind >> name;) shown.push_back(name);
  EXPECT_THAT(shown, UnorderedElementsAreArray(expected));
}

TEST(PreloadLibrary, runs_nothing_of_ours_when_it_is_loaded_and_destroys_nothing) {
  const std::string symbols = said_by({"nm", "-C"});
  // Allocations of the C++ runtime: room for exceptions, names of errors, the default memory
  // resource.
  const auto constructors = lines_with(symbols, "_GLOBAL__sub_I_");
  for (const std::string& line : constructors)
    EXPECT_THAT(line, ContainsRegex("(eh_alloc|system_error|memory_resource)\\.cc$"));
  EXPECT_THAT(lines_with(symbols, "ios_base::Init"), IsEmpty());
  EXPECT_THAT(lines_with(symbols, "guard variable for vramlab"), IsEmpty());
  // One more, for the compiler's own bookkeeping.
  const std::string bytes = std::to_string(8 * (constructors.size() + 1));
  EXPECT_THAT(said_by({"readelf", "-dW"}), ContainsRegex("INIT_ARRAYSZ\\) +" + bytes + " "));
}

TEST(PreloadLibrary, obeys_no_variable_in_a_setuid_program) {
  const std::string symbols = said_by({"nm", "-D", "--undefined-only"});
  EXPECT_THAT(lines_with(symbols, " secure_getenv"), testing::SizeIs(1));
  EXPECT_THAT(lines_with(symbols, " getenv"), IsEmpty());
}

TEST(PreloadLibrary, has_none_of_the_heavy_libraries_inside) {
  const std::string symbols = said_by({"nm", "-C"});
  for (const char* const part : {"spdlog", "nlohmann", "CLI::", "std::cout"})
    EXPECT_THAT(lines_with(symbols, part), IsEmpty()) << part;
}

TEST(PreloadLibrary, hands_over_dlsym_by_a_jump) {
  const std::string code = said_by({"objdump", "-d", "--no-show-raw-insn", "--disassemble=dlsym"});
  const auto jumps = lines_with(code, "jmp ");
  ASSERT_EQ(jumps.size(), 1U) << code;
  EXPECT_THAT(jumps.front(), HasSubstr("*%rax"));
  EXPECT_THAT(lines_with(code, "\tret"), IsEmpty());
  EXPECT_EQ(lines_with(code, "call ").size(), 1U);
}

TEST(PreloadLibrary, is_loaded_without_a_trace_by_a_program_without_cuda) {
  PreloadedRun run;
  run.set("VRAMLAB_SHIM", "record");
  const ProgramResult result = run.run_command({"/bin/sh", "-c", "echo $((1 + 1))"});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_EQ(result.output, "2\n");
  EXPECT_EQ(result.errors, "");
  EXPECT_THAT(run.recordings(), IsEmpty());
}

}  // namespace
}  // namespace vramlab::tests
