// Pages of PyTorch's viewer, with a snapshot in base64.
#include "traces/io/viewer_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/kit/dribbling_source.h"
#include "traces/io/byte_sink.h"
#include "traces/io/input_error.h"

namespace vramlab::traces {
namespace {

using testing::HasSubstr;

std::string page_with(const std::string& base64) {
  return "\n<!DOCTYPE html>\n<html>\n<head>\n</head>\n<body>\n<script type=\"module\">\n"
         "import {add_local_files} from \"https://cdn.example.org/MemoryViz.js\"\n"
         "const local_files = [{\"name\": \"snapshot.pickle\", \"base64\": \"" +
         base64 + "\"}]\nadd_local_files(local_files, 'Active Memory Timeline')\n</script>\n";
}

std::string snapshot_in_page(const std::string& page, std::size_t bytes_at_a_time = 1000) {
  std::unique_ptr<ByteSource> source =
      std::make_unique<support::DribblingSource>(page, bytes_at_a_time);
  try {
    auto snapshot = open_page_snapshot(source, "file");
    if (!snapshot) return "no snapshot in " + read_all({"file", {}, std::move(source), {}});
    return read_all({"file", {}, std::move(snapshot), {}});
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(ViewerPage, gives_the_bytes_that_it_spells) {
  std::string bytes;
  for (int i = 0; i < 1000; ++i) bytes += static_cast<char>(i * 7);
  for (const std::size_t count : {0U, 1U, 2U, 3U, 4U, 998U, 999U, 1000U}) {
    const std::string some = bytes.substr(0, count);
    for (const std::size_t at_a_time : {1U, 3U, 1000U})
      EXPECT_EQ(snapshot_in_page(page_with(base64_text(some)), at_a_time), some) << count;
  }
}

TEST(ViewerPage, can_be_read_again) {
  const std::string page = page_with(base64_text("snapshot"));
  std::unique_ptr<ByteSource> source = std::make_unique<support::DribblingSource>(page, 1000);
  const auto snapshot = open_page_snapshot(source, "file");
  EXPECT_EQ(read_all({"file", {}, snapshot->reopen(), {}}), "snapshot");
}

TEST(ViewerPage, without_a_snapshot_stays_as_it_is) {
  for (const char* page : {"<html></html>", "<html>\"base64\"", "<html>\"base64\" : 7"})
    EXPECT_EQ(snapshot_in_page(page), std::string("no snapshot in ") + page);
}

TEST(ViewerPage, that_is_damaged_is_refused) {
  EXPECT_THAT(snapshot_in_page(page_with("gAR9!")),
              HasSubstr("a snapshot in base64, found another letter"));
  EXPECT_THAT(snapshot_in_page(page_with("gAR9g")),
              HasSubstr("a snapshot in base64, found another letter"));
  EXPECT_THAT(snapshot_in_page("<html>{\"base64\": \"gAR9"),
              HasSubstr("the rest of a snapshot in base64, found the end of the file"));
}

}  // namespace
}  // namespace vramlab::traces
