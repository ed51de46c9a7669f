// Sizes on the command line as people write them, and as PyTorch's messages write them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/processes/places.h"
#include "tests/support/processes/run_program.h"

namespace vramlab::tests {
namespace {

using testing::HasSubstr;

ProgramResult run_with(const std::string& size) {
  return run_program({support::binary_dir() + "/vramlab", "replay",
                      support::source_dir() + "/traces/samples/overlap.vtrace.jsonl", "--json",
                      "--device-memory", size});
}

std::uint64_t bytes_of(const std::string& size) {
  const auto report = nlohmann::json::parse(run_with(size).output);
  return report.at("devices").at(0).at("memory_bytes").get<std::uint64_t>();
}

TEST(SizeArguments, have_units_of_1000_and_of_1024) {
  EXPECT_EQ(bytes_of("104857601"), 104857601U);
  EXPECT_EQ(bytes_of("80GiB"), 85899345920U);
  EXPECT_EQ(bytes_of("80gb"), 80000000000U);
}

TEST(SizeArguments, may_have_a_point) {
  EXPECT_EQ(bytes_of("1.5GiB"), 1610612736U);
  EXPECT_EQ(bytes_of("23.69GiB"), 25436943810U);
  EXPECT_EQ(bytes_of("0.999999999TiB"), 1099511626676U);
}

TEST(SizeArguments, that_are_none_are_refused) {
  for (const char* size : {"1.GiB", ".5GiB", "1.5.5GiB", "1.5XiB", "-1.5GiB", "-1", "99.5EiB",
                           "1.0000000001GiB", "1.5GiB more", ".", "many", "99999999999999999999"}) {
    const ProgramResult result = run_with(size);
    EXPECT_EQ(result.exit_status, 2) << size;
    EXPECT_THAT(result.errors, HasSubstr("expected a size such as 80GiB")) << size;
  }
}

}  // namespace
}  // namespace vramlab::tests
