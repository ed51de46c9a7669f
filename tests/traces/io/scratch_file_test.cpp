#include "traces/io/long_sequence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>

#include "tests/support/kit/own_folder.h"
#include "traces/io/input_error.h"

namespace vramlab::traces {
namespace {

class ScratchFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    folder = support::own_folder() + "scratch_files";
    std::filesystem::remove_all(folder);
    std::filesystem::create_directory(folder);
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  std::string folder;
};

TEST_F(ScratchFiles, give_back_what_was_written_anywhere) {
  ScratchFile file(folder);
  const std::array<std::byte, 4> first = {std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}};
  const std::array<std::byte, 2> second = {std::byte{5}, std::byte{6}};
  file.append(first);
  file.append(second);
  std::array<std::byte, 3> read{};
  file.read(2, read);
  EXPECT_EQ(read, (std::array{std::byte{3}, std::byte{4}, std::byte{5}}));
  file.read(0, read);
  EXPECT_EQ(read, (std::array{std::byte{1}, std::byte{2}, std::byte{3}}));
}

TEST_F(ScratchFiles, have_no_name_even_while_they_are_used) {
  ScratchFile file(folder);
  file.append(std::array<std::byte, 1>{std::byte{1}});
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

TEST_F(ScratchFiles, in_a_folder_that_there_is_not_are_refused) {
  try {
    const ScratchFile file(folder + "/nothing");
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("TMPDIR"));
    EXPECT_THAT(error.what(), ::testing::HasSubstr("/nothing"));
  }
}

}  // namespace
}  // namespace vramlab::traces
