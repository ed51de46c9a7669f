// `vramlab pack` with searches that are ended by time and by Ctrl-C.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/kit/command_test.h"
#include "tests/support/recordings/packing_instances.h"

namespace vramlab::tests {
namespace {

using nlohmann::json;
using testing::HasSubstr;

/// Buffers that take long to search through, and that no heuristic packs to their load.
std::string hard_list() {
  std::ostringstream text;
  text << "id,lower,upper,size\n";
  std::size_t id = 0;
  for (const replay::Buffer& buffer : support::guillotine_buffers(1, 2'000, 1'000'000'000))
    text << id++ << ',' << buffer.begin << ',' << buffer.end << ',' << buffer.size.count << '\n';
  return text.str();
}

class PackEnd : public FolderTest {
 protected:
  pid_t start_pack(const std::string& list, const std::string& output) const {
    const pid_t child = fork();
    if (child != 0) return child;
    if (std::freopen(output.c_str(), "w", stdout) == nullptr) _exit(125);
    become_program({vramlab_path, "pack", list});
  }
};

bool holds_back_interrupts(pid_t process) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("SigBlk:"))
      return (std::stoull(line.substr(7), nullptr, 16) >> (SIGINT - 1) & 1U) != 0;
  return false;
}

TEST_F(PackEnd, by_an_interrupt_prints_the_best_so_far) {
  const std::string list = write("list.csv", hard_list());
  const pid_t child = start_pack(list, in_folder("output"));
  ASSERT_GT(child, 0);
  int status = 0;
  while (!holds_back_interrupts(child)) {
    ASSERT_EQ(waitpid(child, &status, WNOHANG), 0) << "it ended by itself";
    usleep(1000);
  }
  kill(child, SIGINT);
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status)) << "by signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 130);
  const std::string output = content_of(in_folder("output"));
  EXPECT_THAT(output, HasSubstr("best: "));
  EXPECT_THAT(output, HasSubstr("interrupted before the searches were done"));
}

TEST_F(PackEnd, by_time_says_that_it_cannot_be_repeated) {
  const std::string list = write("list.csv", hard_list());
  const ProgramResult result = run_vramlab({"pack", "--time", "1ms", list});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("the time was over before the searches were done"));
  EXPECT_EQ(run_json({"pack", "--time", "1ms", list})["ended_by"], "time");
  expect_refused({"pack", "--time", "0s", list}, "--time");
  expect_refused({"pack", "--time", "10", list}, "--time");
}

TEST_F(PackEnd, in_good_time_is_no_end) {
  const json document =
      json::parse(run_vramlab({"pack", "--time", "3600s", "--json", "-"}, buffer_list).output);
  EXPECT_EQ(document["ended_by"], nullptr);
}

}  // namespace
}  // namespace vramlab::tests
