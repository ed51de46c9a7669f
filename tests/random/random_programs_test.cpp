// The generator of random programs: the same on every machine, and wide enough.
#include "tests/support/programs/random_programs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

#include "replay/replayer/program_runner.h"
#include "streams/device/simulated_device.h"
#include "tests/support/kit/random_numbers.h"
#include "tests/support/twin/textbook_twin.h"
#include "traces/model/call_forms.h"

namespace vramlab::tests {
namespace {

using allocator::MallocOutcome;
using traces::ProgramEventKind;

std::string text_of(const traces::RecordedProgram& program) {
  std::string text = describe(program);
  for (const traces::ProgramEvent& call : program.calls)
    text.append(1, '\n').append(call_text(call, program.text_of(call)));
  return text;
}

TEST(RandomNumbers, are_the_published_splitmix64_sequence) {
  RandomNumbers numbers(1234567);
  EXPECT_EQ(numbers.next(), 6457827717110365317ULL);
  EXPECT_EQ(numbers.next(), 3203168211198807973ULL);
  EXPECT_EQ(numbers.next(), 9817491932198370423ULL);
}

TEST(RandomPrograms, same_seed_gives_the_same_program) {
  for (std::uint64_t seed = 1; seed < 50; ++seed)
    EXPECT_EQ(text_of(make_random_program(seed)), text_of(make_random_program(seed)));
}

TEST(RandomPrograms, other_seed_gives_another_program) {
  EXPECT_NE(text_of(make_random_program(1)), text_of(make_random_program(2)));
}

TEST(RandomPrograms, make_every_kind_of_call) {
  std::set<ProgramEventKind> kinds;
  for (std::uint64_t seed = 1; seed < 200; ++seed)
    for (const traces::ProgramEvent& call : make_random_program(seed).calls)
      kinds.insert(call.kind);
  for (const traces::CallForm& form : traces::call_forms())
    EXPECT_TRUE(kinds.contains(form.kind)) << form.name;
}

TEST(RandomPrograms, keep_an_older_version_from_calls_it_does_not_have) {
  for (const std::string_view family : random_families(allocator::default_reference_version())) {
    const auto program = make_random_program({&allocator::default_reference_version(), family, 9});
    EXPECT_TRUE(std::ranges::none_of(program.calls, [](const traces::ProgramEvent& call) {
      return call.kind == ProgramEventKind::pool_create ||
             call.kind == ProgramEventKind::capture_begin;
    })) << family;
  }
}

/// How often each way to answer a request came up.
std::map<MallocOutcome, int> outcomes_of(std::uint64_t seed_count) {
  std::map<MallocOutcome, int> outcomes;
  for (std::uint64_t seed = 1; seed < seed_count; ++seed) {
    const auto program = make_random_program(seed);
    if (program.name.starts_with("misuse")) continue;
    streams::SimulatedDevice device(program.device_total);
    TextbookTwin twin(device, *program.version, program.config);
    replay::ProgramRunner runner(program.calls, program.texts, {twin, device});
    for (std::size_t call = 0; call < program.calls.size(); ++call) {
      try {
        runner.step(call);
      } catch (const std::runtime_error&) {
        // A checkpoint that does not fit any more: refused, and the program goes on.
      }
    }
    for (const auto& result : runner.answers().results) ++outcomes[result.outcome];
  }
  return outcomes;
}

TEST(RandomPrograms, meet_every_way_to_answer_a_request) {
  const auto outcomes = outcomes_of(400);
  for (const MallocOutcome outcome :
       {MallocOutcome::allocated, MallocOutcome::nothing, MallocOutcome::out_of_memory,
        MallocOutcome::rejected, MallocOutcome::scope_already_open})
    EXPECT_TRUE(outcomes.contains(outcome)) << static_cast<int>(outcome);
}

}  // namespace
}  // namespace vramlab::tests
