// Decisions on a live device beside simulated ones. The live device of these tests is simulated,
// too, with other addresses or with faults.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replay/conformance/live_beside_simulated.h"
#include "replay/recording/starting_state.h"
#include "replay/replayer/replay_setup.h"
#include "streams/device/simulated_device.h"
#include "tests/support/cases/live_case.h"
#include "tests/support/devices/fault_injecting_device.h"

namespace vramlab::replay {
namespace {

using namespace allocator::literals;
using testing::HasSubstr;
using testing::IsEmpty;
using traces::ProgramEvent;
using traces::ProgramEventKind;

/// Places memory from the top down, far from where the simulation would put it.
MakeDevice elsewhere() {
  return [](const streams::MemoryOptions& memory) {
    streams::MemoryOptions options = memory;
    options.placement =
        [next = std::uint64_t{0x200000000000}](const streams::PlaceRequest& request) mutable {
          next -= request.size.count + (1ULL << 30);
          next -= next % (1ULL << 21);
          return std::optional(allocator::Address{next});
        };
    return both_sides(std::make_shared<streams::SimulatedDevice>(std::move(options)));
  };
}

struct FaultyParts {
  explicit FaultyParts(streams::MemoryOptions memory) : inner(std::move(memory)) {}
  streams::SimulatedDevice inner;
  tests::FaultInjectingDevice faulty{inner};
};

MakeDevice failing_at(std::uint64_t call) {
  return [call](const streams::MemoryOptions& memory) {
    const auto parts = std::make_shared<FaultyParts>(memory);
    parts->faulty.set_fault(tests::Fault{call});
    return DeviceSides{parts, &parts->faulty, &parts->inner};
  };
}

ProgramEvent request(std::uint64_t id, allocator::Bytes bytes) {
  ProgramEvent event;
  event.kind = ProgramEventKind::malloc;
  event.id = id;
  event.bytes = bytes;
  return event;
}

ProgramEvent free_of(std::uint64_t id) {
  ProgramEvent event;
  event.kind = ProgramEventKind::free;
  event.id = id;
  return event;
}

class LiveBeside : public testing::Test {
 protected:
  void run(const MakeDevice& live, const std::vector<ProgramEvent>& events,
           const std::vector<StartingSegment>& start = {}) {
    ReplaySetup setup = setup_of("a program", {}, {});
    LiveBesideSimulated device({}, {setup, 1_GiB}, live, result_);
    device.adopt(start);
    for (std::size_t i = 0; i < events.size(); ++i) device.apply(events[i], i, texts_);
    device.finish();
  }

  traces::TextTable texts_;
  std::shared_ptr<DecisionComparison> result_ = std::make_shared<DecisionComparison>();
};

TEST_F(LiveBeside, other_addresses_are_no_other_decisions) {
  run(elsewhere(), {request(1, 5_MiB), request(2, 30_MiB), request(3, 30_MiB), free_of(2),
                    free_of(3), request(4, 29_MiB), free_of(1), request(5, 4_MiB)});
  EXPECT_FALSE(result_->difference.has_value());
  EXPECT_EQ(result_->events, 8U);
  EXPECT_EQ(result_->device_actions, 3U);
}

TEST_F(LiveBeside, a_starting_state_is_laid_out_where_the_device_puts_it) {
  StartingSegment segment;
  segment.segment.base = {0x7f1234000000};
  segment.segment.kind = allocator::PoolKind::large;
  segment.segment.blocks = {{5_MiB, 5_MiB, allocator::GivenUse::live},
                            {15_MiB, 0_B, allocator::GivenUse::free}};
  segment.ids = {1, 0};
  segment.stacks = {{}, {}};
  run(elsewhere(), {request(2, 10_MiB), free_of(1), free_of(2)}, {segment});
  EXPECT_FALSE(result_->difference.has_value());
  EXPECT_EQ(result_->events, 3U);
  EXPECT_EQ(result_->device_actions, 1U) << "the segment at the start serves all of it";
}

TEST_F(LiveBeside, a_refusal_is_found_at_its_event) {
  run(failing_at(3), {request(1, 5_MiB), request(2, 30_MiB)});
  ASSERT_TRUE(result_->difference.has_value());
  EXPECT_EQ(result_->difference->event, 1U);
  EXPECT_EQ(result_->difference->what, "what was asked of the device");
  EXPECT_THAT(result_->difference->live, HasSubstr("allocate 30.00 MiB: no room"));
  EXPECT_THAT(result_->difference->simulated, HasSubstr("allocate 30.00 MiB at"));
  EXPECT_EQ(result_->events, 1U);
}

TEST_F(LiveBeside, after_a_difference_the_live_device_goes_on_alone) {
  run(failing_at(2), {request(1, 5_MiB), request(2, 30_MiB), request(3, 6_MiB)});
  ASSERT_TRUE(result_->difference.has_value());
  EXPECT_EQ(result_->difference->event, 0U);
  EXPECT_EQ(result_->events, 0U);
}

traces::RecordedProgram small_program() {
  traces::RecordedProgram program;
  program.version = &allocator::default_reference_version();
  program.device_total = 64_MiB;
  for (std::uint64_t id = 1; id < 6; ++id) {
    traces::ProgramEvent call;
    call.kind = traces::ProgramEventKind::malloc;
    call.id = id;
    call.bytes = 15_MiB;
    program.calls.push_back(call);
  }
  return program;
}

TEST(LiveCaseDifferences, there_are_none_between_two_places) {
  EXPECT_THAT(tests::live_differences(small_program(), elsewhere()), IsEmpty());
}

TEST(LiveCaseDifferences, a_refusal_shows_in_every_part_that_it_changes) {
  const auto differences = tests::live_differences(small_program(), failing_at(2));
  ASSERT_GE(differences.size(), 2U);
  EXPECT_THAT(differences[0], HasSubstr("device actions[0]: simulated allocate"));
}

}  // namespace
}  // namespace vramlab::replay
