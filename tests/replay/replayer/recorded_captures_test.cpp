// Captures in a history of 2.13 or later: whether a request in a private pool could
// release what was cached decides what a replay with other memory does.
#include <gtest/gtest.h>

#include "allocator/types/answers.h"
#include "replay/replayer/replayer.h"
#include "tests/support/devices/allocator_setup.h"
#include "tests/support/recordings/replayed.h"

namespace vramlab::replay {
namespace {

using namespace allocator::literals;
using allocator::Bytes;
using allocator::PoolId;
using allocator::StreamId;

constexpr StreamId legacy{};
constexpr StreamId side{1};
constexpr PoolId graphs_own{1, 0};
constexpr PoolId named_by_program{0, 1};

/// A program on an allocator of 2.15, and its history.
struct RecordedProgram {
  tests::AllocatorSetup setup{{1_GiB, "2.15", {}}};
  traces::SnapshotTables tables;
  bool has_stacks = false;

  void scope_request(PoolId pool, Bytes size, StreamId stream) {
    setup.engine.begin_scope(pool, [](StreamId) { return true; });
    setup.get(size, stream.value);
    setup.engine.end_scope(pool);
  }
  RecordedHistory recorded() {
    const traces::FrameId frame = tables.frames.intern({});
    const traces::StackId stack = tables.stacks.intern(std::span(&frame, 1));
    RecordedHistory history;
    DeviceHistory& device = history.devices.emplace_back();
    device.traits.names_pools = device.traits.requests_frees = true;
    device.final_segments = setup.engine.take_snapshot().segments;
    for (const allocator::AllocatorEvent& event : setup.history().entries()) {
      if (event.action == allocator::Action::snapshot) continue;
      device.events.push_back(event);
      if (has_stacks) device.stacks.push_back(stack);
    }
    return history;
  }
  DeviceReport replay(std::optional<Bytes> memory = {}) {
    ReplayConditions conditions;
    conditions.memory = memory;
    conditions.on_out_of_memory = OnOutOfMemory::skip;
    const tests::Replayed replayed(recorded(), tables, allocator::find_reference_version("2.15"));
    return replayed.run(conditions).devices.front();
  }
};

/// 60 MiB are cached, then a private pool asks for 50 MiB, on a device that has room for both.
DeviceReport replayed_with_less(PoolId pool, StreamId stream) {
  RecordedProgram program;
  program.setup.free(program.setup.get(60_MiB));
  program.scope_request(pool, 50_MiB, stream);
  return program.replay(80_MiB);
}

TEST(RecordedCaptures, request_in_a_pool_that_a_capture_made_releases_nothing) {
  EXPECT_EQ(replayed_with_less(graphs_own, side).failures.size(), 1U);
}

TEST(RecordedCaptures, request_on_the_legacy_stream_was_never_captured) {
  const DeviceReport report = replayed_with_less(named_by_program, legacy);
  EXPECT_TRUE(report.failures.empty());
  EXPECT_EQ(report.statistics.num_alloc_retries, 1);
}

TEST(RecordedCaptures, other_pool_on_another_stream_is_taken_for_that_of_a_capture) {
  EXPECT_EQ(replayed_with_less(named_by_program, side).failures.size(), 1U);
}

TEST(RecordedCaptures, request_that_completed_a_free_was_not_captured) {
  RecordedProgram program;
  const Address used = program.setup.get(1_MiB);
  program.setup.free(program.setup.get(60_MiB));
  program.setup.use_on(7, used);
  program.setup.free(used);
  program.setup.get(512_B);
  program.setup.complete(7);
  program.scope_request(named_by_program, 50_MiB, side);
  EXPECT_TRUE(program.replay(80_MiB).failures.empty());
}

TEST(RecordedCaptures, refused_request_of_a_capture_has_not_tried_again) {
  for (const bool has_stacks : {false, true}) {
    RecordedProgram program;
    program.has_stacks = has_stacks;
    program.setup.leave_free(100_MiB);
    program.setup.free(program.setup.get(60_MiB));
    program.setup.begin_scope(named_by_program.user);
    program.setup.device.begin_capture(side);
    EXPECT_EQ(program.setup.outcome_of(70_MiB, side.value), MallocOutcome::out_of_memory);
    program.setup.device.end_capture(side);
    program.setup.end_scope(named_by_program.user);
    const DeviceReport report = program.replay();
    EXPECT_EQ(report.failures.size(), 1U);
    EXPECT_EQ(report.statistics.num_alloc_retries, 0);
  }
}

TEST(RecordedCaptures, release_by_a_refused_request_in_a_scope_is_the_requests_own) {
  RecordedProgram program;
  program.setup.leave_free(100_MiB);
  program.setup.free(program.setup.get(60_MiB));
  program.scope_request(named_by_program, 70_MiB, legacy);
  EXPECT_EQ(program.replay().statistics.num_alloc_retries, 1);
  EXPECT_EQ(program.replay(200_MiB).peak_reserved.bytes, 130_MiB) << "it needed not be released";
}

}  // namespace
}  // namespace vramlab::replay
