// The questions of the fuzz targets, asked of the samples, of samples with bytes changed at random,
// and of inputs that once broke a rule.
#include "tests/support/fuzz/log_fuzz_bodies.h"

#include <gtest/gtest.h>

#include "tests/support/recordings/native_samples.h"

namespace vramlab::tests {
namespace {

std::string with_changed_byte(std::string bytes, std::uint64_t seed) {
  const std::uint64_t mixed = seed * 0x9E3779B97F4A7C15U;
  bytes[(mixed >> 32U) % bytes.size()] = static_cast<char>(mixed >> 24U);
  return bytes;
}

TEST(LogFuzzBodies, samples_keep_all_rules) {
  EXPECT_EQ(support::broken_rule_of_profiler_json(support::sample_bytes("profiler.json")),
            std::nullopt);
  EXPECT_EQ(support::broken_rule_of_rmm_log(support::sample_bytes("rmm.csv")), std::nullopt);
  EXPECT_EQ(support::broken_rule_of_bfc_log(support::sample_bytes("bfc.log")), std::nullopt);
}

TEST(LogFuzzBodies, changed_samples_keep_all_rules) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const std::string trace = with_changed_byte(support::sample_bytes("profiler.json"), seed);
    EXPECT_EQ(support::broken_rule_of_profiler_json(trace), std::nullopt) << seed;
    const std::string log = with_changed_byte(support::sample_bytes("rmm.csv"), seed);
    EXPECT_EQ(support::broken_rule_of_rmm_log(log), std::nullopt) << seed;
    const std::string output = with_changed_byte(support::sample_bytes("bfc.log"), seed);
    EXPECT_EQ(support::broken_rule_of_bfc_log(output), std::nullopt) << seed;
  }
}

}  // namespace
}  // namespace vramlab::tests
