// An output exists as a whole or not at all; bytes become texts for pages.
#include "traces/io/byte_sink.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/support/kit/memory_source.h"
#include "tests/support/kit/own_folder.h"
#include "traces/io/byte_source.h"
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
  {
    OutputFile(path, Overwrite::allowed).write("new");
  }
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

TEST(Base64Text, is_as_the_standard_says) {
  EXPECT_EQ(base64_text(""), "");
  EXPECT_EQ(base64_text("f"), "Zg==");
  EXPECT_EQ(base64_text("fo"), "Zm8=");
  EXPECT_EQ(base64_text("foo"), "Zm9v");
  EXPECT_EQ(base64_text("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64_text("\xff\xfe\xfd"), "//79");
}

TEST(GzipPacked, is_what_it_was_when_it_is_unpacked) {
  std::string bytes;
  for (std::uint32_t i = 0; i < 300'000; ++i) bytes += static_cast<char>((i * i >> 7) & 0xff);
  for (const std::string& text : {std::string(), std::string("one"), bytes})
    EXPECT_EQ(read_all(open_bytes(support::make_memory_source(gzip_packed(text)), "packed")), text);
}

}  // namespace
}  // namespace vramlab::traces
