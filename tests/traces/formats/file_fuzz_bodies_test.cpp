// The questions of the fuzz targets, asked of files that PyTorch 2.6 wrote, and of those with bytes
// changed at random.
#include "tests/support/fuzz/file_fuzz_bodies.h"

#include <gtest/gtest.h>

#include "tests/support/recordings/native_samples.h"
#include "tests/support/recordings/zip_writer.h"

namespace vramlab::support {
namespace {

constexpr const char* packed_samples[] = {"torch_save.pt", "trace_plot.html"};
constexpr const char* timelines[] = {"memory_timeline.json", "memory_timeline_raw.json"};

std::string with_another_byte(std::string bytes, std::uint64_t seed) {
  const std::uint64_t mixed = seed * 0x9E3779B97F4A7C15U;
  bytes[(mixed >> 32U) % bytes.size()] = static_cast<char>(mixed >> 24U);
  return bytes;
}

TEST(FileFuzzBodies, samples_keep_all_rules) {
  for (const char* name : packed_samples)
    EXPECT_EQ(broken_rule_of_packed_file(sample_bytes(name)), std::nullopt) << name;
  for (const char* name : timelines)
    EXPECT_EQ(broken_rule_of_memory_timeline(sample_bytes(name)), std::nullopt) << name;
}

TEST(FileFuzzBodies, changed_samples_keep_all_rules) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    for (const char* name : packed_samples)
      EXPECT_EQ(broken_rule_of_packed_file(with_another_byte(sample_bytes(name), seed)),
                std::nullopt)
          << name << seed;
    for (const char* name : timelines)
      EXPECT_EQ(broken_rule_of_memory_timeline(with_another_byte(sample_bytes(name), seed)),
                std::nullopt)
          << name << seed;
  }
}

TEST(FileFuzzBodies, file_that_is_packed_often_keeps_all_rules) {
  std::string bytes = "text";
  for (int i = 0; i < 5; ++i) {
    bytes = zip_archive({{"file", bytes}}, ZipStyle::deflated);
    EXPECT_EQ(broken_rule_of_packed_file(bytes), std::nullopt) << i;
  }
}

}  // namespace
}  // namespace vramlab::support
