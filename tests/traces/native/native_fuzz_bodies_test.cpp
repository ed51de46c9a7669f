// The questions of the fuzz targets, asked of the samples, of samples with bytes changed at random,
// and of inputs that once broke a rule.
#include "tests/support/fuzz/native_fuzz_bodies.h"

#include <gtest/gtest.h>

#include "tests/support/fuzz/native_rewriting.h"
#include "tests/support/recordings/native_samples.h"

namespace vramlab::tests {
namespace {

using support::broken_rule_of_native_binary;
using support::broken_rule_of_native_script;
using support::broken_rule_of_native_text;

void change_one_byte(std::string& bytes, std::uint64_t seed) {
  const std::uint64_t mixed = seed * 0x9E3779B97F4A7C15U;
  bytes[(mixed >> 32U) % bytes.size()] = static_cast<char>(mixed >> 24U);
}

TEST(NativeFuzzBodies, samples_keep_all_rules) {
  for (const char* name : {support::every_shape, support::whole_program}) {
    EXPECT_EQ(broken_rule_of_native_text(support::sample_bytes(name)), std::nullopt);
    EXPECT_EQ(broken_rule_of_native_binary(support::native_binary_of(support::sample_bytes(name))),
              std::nullopt);
  }
}

TEST(NativeFuzzBodies, changed_samples_keep_all_rules) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    std::string text =
        support::sample_bytes(seed % 2 == 0 ? support::every_shape : support::whole_program);
    change_one_byte(text, seed);
    EXPECT_EQ(broken_rule_of_native_text(text), std::nullopt) << seed;
  }
}

TEST(NativeFuzzBodies, scripts_with_changed_bytes_keep_all_rules) {
  const std::string whole =
      support::native_script_of(support::sample_bytes(support::whole_program));
  const std::string small =
      "program(memory=1*GiB)\nwith pool((0, 1)):\n  a = empty(4*MiB + 1)\n  del a # c\n";
  EXPECT_EQ(broken_rule_of_native_script(whole), std::nullopt);
  EXPECT_EQ(broken_rule_of_native_script(small), std::nullopt);
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    std::string script = seed % 4 == 0 ? whole : small;
    change_one_byte(script, seed);
    EXPECT_EQ(broken_rule_of_native_script(script), std::nullopt) << seed << "\n" << script;
  }
}

TEST(NativeFuzzBodies, bytes_with_right_checksums_reach_the_events) {
  const std::string lines = "{\"format\":\"vramlab-trace\",\"version\":1}\n";
  const std::string bytes =
      std::string{'\0', static_cast<char>(lines.size())} + lines + std::string(128, '\0');
  const auto read = support::rewrite_native_binary(support::assembled_binary(bytes));
  EXPECT_EQ(read.error, "");
  EXPECT_NE(read.text.find("{\"malloc\":0,\"bytes\":0}\n{\"malloc\":0"), std::string::npos);
  EXPECT_EQ(broken_rule_of_native_binary(support::assembled_binary(bytes)), std::nullopt);
}

TEST(NativeFuzzBodies, a_value_that_one_entry_holds_has_the_same_content_in_the_binary_form) {
  EXPECT_EQ(broken_rule_of_native_text(
                "{\"format\":\"vramlab-trace\",\"version\":1}\n{\"section\":\"device_traces\"}\n"
                "{\"trace\":0}\n{\"entry\":{\"action\":\"a\",\"new\":[[1],{\"a\":2}]}}\n"),
            std::nullopt);
}

}  // namespace
}  // namespace vramlab::tests
