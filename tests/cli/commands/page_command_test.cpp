// `vramlab page` from outside, in an installation of its own.
#include <sched.h>

#include "tests/support/kit/command_test.h"

namespace vramlab::tests {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Page : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    fs::create_directories(folder + "/bin");
    fs::create_directories(folder + "/share/vramlab");
    // Another name of the same file: the program looks beside its own.
    std::error_code error;
    fs::create_hard_link(vramlab_path, program, error);
    if (error) fs::copy_file(vramlab_path, program);
  }
  void install_page() { std::ofstream(page) << "<html>a page"; }

  /// Runs it with these words before, such as a variable of the environment.
  ProgramResult run_page(const std::vector<std::string>& before,
                         const std::vector<std::string>& after) {
    std::vector<std::string> words = {"/usr/bin/env",    "-u", "DISPLAY", "-u",
                                      "WAYLAND_DISPLAY", "-u", "BROWSER"};
    words.insert(words.end(), before.begin(), before.end());
    words.insert(words.end(), {program, "page"});
    words.insert(words.end(), after.begin(), after.end());
    return run_program(words);
  }

  const std::string program = folder + "/bin/vramlab";
  const std::string page = folder + "/share/vramlab/vramlab.html";
};

TEST_F(Page, is_named_where_there_is_no_display) {
  install_page();
  const ProgramResult result = run_page({}, {});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_EQ(result.output, page + "\n");
  EXPECT_THAT(result.errors, HasSubstr("no browser was started"));
}

TEST_F(Page, is_opened_by_the_desktop_where_there_is_one) {
  install_page();
  const std::string opener = folder + "/bin/xdg-open";
  std::ofstream(opener) << "#!/bin/sh\necho \"$1\" >" << folder << "/made\nmv " << folder
                        << "/made " << folder << "/opened\n";
  fs::permissions(opener, fs::perms::owner_all);
  const ProgramResult result =
      run_page({"DISPLAY=:7", "PATH=" + folder + "/bin:/usr/bin:/bin"}, {});
  EXPECT_EQ(result.output, page + "\n");
  EXPECT_EQ(result.errors, "");
  // The browser may outlive the program, so it is waited for here.
  while (!fs::exists(folder + "/opened")) sched_yield();
  EXPECT_EQ(content_of(folder + "/opened"), page + "\n");
}

TEST_F(Page, is_written_to_a_file_or_standard_output) {
  install_page();
  EXPECT_EQ(run_page({"DISPLAY=:7"}, {"-o", folder + "/out.html"}).output, "");
  EXPECT_EQ(content_of(folder + "/out.html"), "<html>a page");
  EXPECT_EQ(run_page({}, {"-o", "-"}).output, "<html>a page");
  expect_refused_in_one_line(run_page({}, {"-o", folder + "/out.html"}), "--force");
}

TEST_F(Page, is_missed_in_one_line) {
  expect_refused_in_one_line(run_page({"DISPLAY=:7"}, {}), "this installation has no vramlab.html");
}

}  // namespace
}  // namespace vramlab::tests
