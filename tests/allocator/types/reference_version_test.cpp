#include "allocator/types/reference_version.h"

#include <gtest/gtest.h>

#include <string>

namespace vramlab::tests {
namespace {

using allocator::reference_version_of_release;

std::string row_of(const char* release) {
  const ReferenceVersion* const row = reference_version_of_release(release);
  return row == nullptr ? "none" : std::string(row->name);
}

TEST(ReferenceVersionOfRelease, is_the_last_that_began_before) {
  EXPECT_EQ(row_of("2.4.1"), "2.4");
  EXPECT_EQ(row_of("2.5.1"), "2.6");
  EXPECT_EQ(row_of("2.6.0+cu124"), "2.6");
  EXPECT_EQ(row_of("2.11.0"), "2.6");
  EXPECT_EQ(row_of("2.12.1+cu130"), "2.12.1");
  EXPECT_EQ(row_of("2.13.0a0+gitabc"), "2.13");
  EXPECT_EQ(row_of("2.14.1"), "2.14");
  EXPECT_EQ(row_of("3.0"), "2.15");
}

TEST(ReferenceVersionOfRelease, does_not_guess_at_what_is_no_release) {
  EXPECT_EQ(row_of(""), "none");
  EXPECT_EQ(row_of("main"), "none");
  EXPECT_EQ(row_of("2"), "none");
  EXPECT_EQ(row_of("2.x"), "none");
}

}  // namespace
}  // namespace vramlab::tests
