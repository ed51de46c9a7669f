// An output is there as a whole or not at all.
#include "traces/io/byte_sink.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/support/kit/own_folder.h"
#include "traces/io/input_error.h"

namespace vramlab::traces {
namespace {

namespace fs = std::filesystem;

class OutputFileTest : public testing::Test {
 protected:
  void SetUp() override {
    folder = support::own_folder() + "output_file_test_" +
             testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder);
    fs::create_directory(folder);
    path = folder + "/out";
  }
  void TearDown() override { fs::remove_all(folder); }

  static std::string content(const std::string& file) {
    std::ostringstream bytes;
    bytes << std::ifstream(file).rdbuf();
    return bytes.str();
  }
  std::size_t file_count() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
  }

  std::string folder;
  std::string path;
};

TEST_F(OutputFileTest, it_has_its_name_once_it_is_finished) {
  OutputFile file(path, Overwrite::refused);
  file.write("some");
  EXPECT_FALSE(fs::exists(path));
  file.write("thing");
  file.finish();
  EXPECT_EQ(content(path), "something");
  EXPECT_EQ(file_count(), 1U);
}

TEST_F(OutputFileTest, nothing_is_left_of_what_was_not_finished) {
  std::ofstream(path) << "old";
  { OutputFile(path, Overwrite::allowed).write("new"); }
  EXPECT_EQ(content(path), "old");
  EXPECT_EQ(file_count(), 1U);
}

TEST_F(OutputFileTest, a_file_is_overwritten_only_on_request) {
  std::ofstream(path) << "old";
  EXPECT_THROW(OutputFile(path, Overwrite::refused), InputError);
  OutputFile file(path, Overwrite::allowed);
  file.write("new");
  file.finish();
  EXPECT_EQ(content(path), "new");
}

TEST_F(OutputFileTest, a_file_that_came_meanwhile_is_not_overwritten) {
  OutputFile file(path, Overwrite::refused);
  std::ofstream(path) << "other";
  EXPECT_THROW(file.finish(), InputError);
  EXPECT_EQ(content(path), "other");
}

TEST_F(OutputFileTest, a_link_stays_a_link) {
  std::ofstream(folder + "/target") << "old";
  fs::create_symlink(folder + "/target", path);
  OutputFile file(path, Overwrite::allowed);
  file.write("new");
  file.finish();
  EXPECT_TRUE(fs::is_symlink(path));
  EXPECT_EQ(content(folder + "/target"), "new");
}

TEST_F(OutputFileTest, what_is_no_file_or_has_no_folder_is_refused) {
  EXPECT_THROW(OutputFile(folder, Overwrite::allowed), InputError);
  EXPECT_THROW(OutputFile("/dev/null", Overwrite::allowed), InputError);
  EXPECT_THROW(OutputFile(folder + "/no/such/folder", Overwrite::refused), InputError);
}

}  // namespace
}  // namespace vramlab::traces
