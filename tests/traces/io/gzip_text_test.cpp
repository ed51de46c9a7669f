// Bytes as texts for pages.
#include "traces/io/byte_sink.h"

#include <gtest/gtest.h>

#include "tests/support/kit/memory_source.h"
#include "traces/io/byte_source.h"

namespace vramlab::traces {
namespace {

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
