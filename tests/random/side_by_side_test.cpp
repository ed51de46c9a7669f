// The comparison itself: differences are noticed, and told.
#include "tests/support/twin/side_by_side.h"

#include <gtest/gtest.h>

#include "tests/support/kit/calls.h"
#include "tests/support/programs/random_programs.h"

namespace vramlab::tests {
namespace {

using namespace allocator::literals;
using Call = traces::ProgramEvent;

traces::RecordedProgram program_of(std::vector<Call> calls) {
  traces::RecordedProgram program;
  program.name = "by hand";
  program.version = &allocator::default_reference_version();
  program.device_total = 1_GiB;
  program.calls = std::move(calls);
  return program;
}

/// A twin that starts with other options than it was told.
replay::SubjectFactory twin_with(std::string other_options) {
  return [other_options](allocator::Device& device, const allocator::ReferenceVersion& version,
                         std::string_view, std::optional<allocator::SettingsError>& error) {
    return make_twin_subject(device, version, other_options, error);
  };
}

const Pairing twins{make_twin_subject, make_twin_subject};

TEST(SideBySide, two_equal_allocators_do_not_differ) {
  for (std::uint64_t seed = 1; seed < 20; ++seed)
    EXPECT_FALSE(first_difference(make_random_program(seed), RuleChecks::none, twins));
}

TEST(SideBySide, another_address_is_named_with_its_call) {
  const auto program = program_of({malloc_call(1, 600_KiB), malloc_call(2, 5_MiB)});
  const auto difference = first_difference(
      program, RuleChecks::none, {make_twin_subject, twin_with("expandable_segments:True")});
  ASSERT_TRUE(difference);
  EXPECT_NE(difference->find("call 0, malloc, 1, 614400, 0"), std::string::npos) << *difference;
  EXPECT_NE(difference->find("results differ"), std::string::npos) << *difference;
}

TEST(SideBySide, equal_addresses_do_not_hide_another_block_size) {
  const auto program = program_of({malloc_call(1, 5000_B)});
  const auto difference = first_difference(
      program, RuleChecks::none, {make_twin_subject, twin_with("roundup_power2_divisions:2")});
  ASSERT_TRUE(difference);
  EXPECT_NE(difference->find("statistics differ"), std::string::npos) << *difference;
}

TEST(SideBySide, explanation_leaves_out_what_does_not_matter) {
  std::vector<Call> calls;
  for (std::uint64_t id = 1; id < 40; ++id) calls.push_back(malloc_call(id, 512_B));
  for (std::uint64_t id = 1; id < 40; ++id) calls.push_back(free_call(id));
  calls.push_back(malloc_call(100, 5000_B));
  const std::string text =
      explain_difference(program_of(calls), RuleChecks::none,
                         {make_twin_subject, twin_with("roundup_power2_divisions:2")});
  EXPECT_NE(text.find(" 1 calls"), std::string::npos) << text;
  EXPECT_NE(text.find("0: malloc, 100, 5000, 0"), std::string::npos) << text;
}

}  // namespace
}  // namespace vramlab::tests
