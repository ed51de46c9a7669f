// The thread that works for those who may not, and the file that each process has of its own.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <mutex>
#include <sstream>

#include "tests/support/kit/own_folder.h"
#include "tools/preload/shim/reports.h"
#include "tools/preload/shim/worker.h"

namespace vramlab::tests {
namespace {

using shim::ReportFile;
using shim::Worker;

TEST(ShimWorker, does_its_work_before_whoever_asked_goes_on) {
  auto* const worker = new Worker;
  auto* const done = new std::atomic<int>(0);
  EXPECT_FALSE(worker->is_here());
  ASSERT_TRUE(worker->begin([done] { ++*done; }));
  EXPECT_TRUE(worker->is_here());
  for (int i = 1; i <= 3; ++i) {
    EXPECT_TRUE(worker->ask_and_wait());
    EXPECT_EQ(*done, i);
  }
  worker->ask();
  EXPECT_TRUE(worker->ask_and_wait());
  EXPECT_GE(*done, 4);
}

TEST(ShimWorker, is_not_waited_for_where_it_waits_for_the_one_who_asked) {
  auto* const worker = new Worker(std::chrono::milliseconds(20));
  auto* const mutex = new std::mutex;
  ASSERT_TRUE(worker->begin([mutex] { const std::lock_guard lock(*mutex); }));
  {
    const std::lock_guard lock(*mutex);
    EXPECT_FALSE(worker->ask_and_wait());
  }
  while (!worker->ask_and_wait()) continue;
}

TEST(ShimWorker, is_waited_for_as_long_as_it_works) {
  auto* const worker = new Worker(std::chrono::milliseconds(200));
  ASSERT_TRUE(worker->begin([] {
    timespec worked{};
    while (worked.tv_sec < 1) clock_gettime(CLOCK_THREAD_CPUTIME_ID, &worked);
  }));
  EXPECT_TRUE(worker->ask_and_wait()) << "it needs five times the patience";
}

TEST(ShimWorker, is_not_in_a_child_until_it_begins_there) {
  auto* const worker = new Worker;
  ASSERT_TRUE(worker->begin([] {}));
  // A thread that only begins may hold a lock of a sanitizer's, which the child would wait for.
  ASSERT_TRUE(worker->ask_and_wait());
  const pid_t child = fork();
  if (child == 0) {
    const bool was_here = worker->is_here();
    const bool begins = worker->begin([] {}) && worker->ask_and_wait();
    _exit(!was_here && begins ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

class ReportFiles : public testing::Test {
 protected:
  ReportFiles() { std::filesystem::create_directory(folder_); }
  ~ReportFiles() override { std::filesystem::remove_all(folder_); }

  std::string name(const std::string& file) const { return (folder_ / file).string(); }
  std::string text(const std::string& file) const {
    std::ostringstream text;
    text << std::ifstream(name(file)).rdbuf();
    return text.str();
  }
  std::size_t count() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder_),
                                                  std::filesystem::directory_iterator()));
  }
  const std::string process_ = std::to_string(getpid());

 private:
  const std::filesystem::path folder_ = support::own_folder() + "reports";
};

TEST_F(ReportFiles, replace_what_the_process_itself_wrote) {
  ReportFile file(name("a"), 0);
  file.write("first");
  file.write("second");
  EXPECT_EQ(text("a"), "second");
  EXPECT_EQ(count(), 1U);
}

TEST_F(ReportFiles, leave_the_files_of_others) {
  std::ofstream(name("a")) << "other";
  ReportFile file(name("a"), 0);
  file.write("mine");
  file.write("mine again");
  EXPECT_EQ(text("a"), "other");
  EXPECT_EQ(text("a." + process_), "mine again");
  EXPECT_EQ(count(), 2U);
}

TEST_F(ReportFiles, are_numbered_where_one_process_was_several_programs) {
  for (const char* const program : {"1", "2", "3", "4"}) ReportFile(name("a"), 0).write(program);
  for (const char* const program : {"1", "2", "3"}) ReportFile(name("%p"), 0).write(program);
  EXPECT_EQ(text("a"), "1");
  EXPECT_EQ(text("a." + process_), "2");
  EXPECT_EQ(text("a." + process_ + ".2"), "3");
  EXPECT_EQ(text("a." + process_ + ".3"), "4");
  EXPECT_EQ(text(process_), "1");
  EXPECT_EQ(text(process_ + ".2"), "2");
  EXPECT_EQ(text(process_ + ".3"), "3");
  EXPECT_EQ(count(), 7U);
}

TEST_F(ReportFiles, replace_those_of_earlier_runs_from_the_start) {
  std::ofstream(name("a")) << "earlier";
  ReportFile file(name("a"), ~0ULL);
  EXPECT_EQ(count(), 0U);
  file.write("mine");
  EXPECT_EQ(text("a"), "mine");
}

TEST_F(ReportFiles, go_through_no_link_to_a_file) {
  std::ofstream(name("target")) << "earlier";
  std::filesystem::create_symlink(name("target"), name("a"));
  std::filesystem::create_symlink(name("nothing"), name("b"));
  for (const char* const link : {"a", "b"}) {
    ReportFile(name(link), ~0ULL).write("mine");
    EXPECT_TRUE(std::filesystem::is_symlink(name(link)));
    EXPECT_EQ(text(link + ("." + process_)), "mine");
  }
  EXPECT_EQ(text("target"), "earlier");
  EXPECT_EQ(count(), 5U);
}

TEST_F(ReportFiles, go_through_links_to_what_is_no_file) {
  std::filesystem::create_symlink("/dev/null", name("a"));
  ReportFile(name("a"), ~0ULL).write("mine");
  EXPECT_TRUE(std::filesystem::is_symlink(name("a")));
  EXPECT_EQ(count(), 1U);
}

TEST_F(ReportFiles, stay_where_they_were_to_go) {
  const auto here = std::filesystem::current_path();
  std::filesystem::current_path(std::filesystem::path(name("")));
  ReportFile file("a", 0);
  std::filesystem::current_path("/");
  file.write("mine");
  std::filesystem::current_path(here);
  EXPECT_EQ(text("a"), "mine");
}

}  // namespace
}  // namespace vramlab::tests
