// The history that the shim's snapshots have where one is asked for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/shim/setup/shim_program.h"
#include "tools/preload/shim/reports.h"

namespace vramlab::tests {
namespace {

using allocator::Action;
using allocator::AllocatorEvent;
using allocator::BlockState;
using preload::PreloadMode;
using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

ShimSetupOptions with_history(PreloadMode mode, std::size_t entries) {
  ShimSetupOptions options = in_mode(mode);
  options.shim.history_entries = entries;
  options.fake.memory_bytes = 768 * mib;
  return options;
}

struct SeenArena {
  shim::ArenaHistory history;
  allocator::Snapshot snapshot;
};

SeenArena look_at(ShimSetup& setup) {
  SeenArena seen;
  setup.shim().arenas()->current()->look_at([&](shim::BlockCache& cache) {
    seen.history = cache.history();
    seen.snapshot = cache.snapshot();
  });
  return seen;
}

auto is_event(Action action, std::uint64_t at, std::uint64_t size) {
  return AllOf(Field(&AllocatorEvent::action, action),
               Field(&AllocatorEvent::address, allocator::Address{at}),
               Field(&AllocatorEvent::size, allocator::Bytes{size}));
}

TEST(ShimHistory, is_not_kept_unless_asked_for) {
  for (const PreloadMode mode : {PreloadMode::deferred, PreloadMode::nosplit}) {
    ShimSetup setup(in_mode(mode));
    EXPECT_EQ(setup.free(setup.alloc(mib)), CUDA_SUCCESS);
    EXPECT_THAT(look_at(setup).history, IsEmpty());
  }
}

TEST(ShimHistory, has_a_free_twice_when_asked_for_and_when_its_fence_is_over) {
  ShimSetup setup(with_history(PreloadMode::deferred, 100));
  const CUdeviceptr at = setup.alloc(12 * mib);
  setup.work(setup.make_stream(), at, 12 * mib, 1000000);
  EXPECT_EQ(setup.free(at), CUDA_SUCCESS);
  EXPECT_THAT(look_at(setup).history, ElementsAre(is_event(Action::segment_alloc, at, 12 * mib),
                                                  is_event(Action::alloc, at, 12 * mib),
                                                  is_event(Action::free_requested, at, 12 * mib)));
  setup.advance(2000000);
  EXPECT_EQ(setup.alloc(12 * mib), at);
  const shim::ArenaHistory history = look_at(setup).history;
  ASSERT_THAT(history, SizeIs(6));
  EXPECT_EQ(history[3].action, Action::snapshot);
  EXPECT_THAT(history[4], is_event(Action::free_completed, at, 12 * mib));
  EXPECT_THAT(history[5], is_event(Action::alloc, at, 12 * mib));
}

TEST(ShimHistory, keeps_the_newest_entries) {
  for (const PreloadMode mode : {PreloadMode::deferred, PreloadMode::nosplit}) {
    ShimSetup setup(with_history(mode, 10));
    for (int i = 0; i < 50; ++i) EXPECT_EQ(setup.free(setup.alloc(mib)), CUDA_SUCCESS);
    const CUdeviceptr last = setup.alloc(3 * mib);
    const shim::ArenaHistory history = look_at(setup).history;
    ASSERT_THAT(history, SizeIs(10));
    EXPECT_EQ(history.back().action, Action::alloc);
    EXPECT_EQ(history.back().address.value, last);
  }
}

TEST(ShimHistory, tells_of_a_request_that_got_nothing) {
  for (const PreloadMode mode : {PreloadMode::deferred, PreloadMode::nosplit}) {
    ShimSetup setup(with_history(mode, 100));
    CUdeviceptr at = 0;
    EXPECT_EQ(setup.try_alloc(&at, 4096 * mib), CUDA_ERROR_OUT_OF_MEMORY);
    EXPECT_THAT(look_at(setup).history,
                ElementsAre(AllOf(Field(&AllocatorEvent::action, Action::oom),
                                  Field(&AllocatorEvent::size, allocator::Bytes{4096 * mib}))));
  }
}

/// The blocks that a history leaves: sizes by address.
struct Leftovers {
  std::map<std::uint64_t, std::uint64_t> held;
  std::map<std::uint64_t, std::uint64_t> waiting;
  std::map<std::uint64_t, std::uint64_t> segments;

  friend bool operator==(const Leftovers&, const Leftovers&) = default;
};

Leftovers after(const shim::ArenaHistory& history) {
  Leftovers left;
  std::uint64_t time = 1;
  for (const AllocatorEvent& event : history) {
    const std::uint64_t at = event.address.value;
    EXPECT_GE(event.time_us, time);
    time = event.time_us;
    EXPECT_TRUE(event.action != Action::alloc || left.waiting.count(at) == 0);
    if (event.action == Action::alloc) left.held[at] = event.size.count;
    if (event.action == Action::free_requested) left.waiting.insert(left.held.extract(at));
    if (event.action == Action::free_completed) left.waiting.erase(at);
    if (event.action == Action::segment_alloc) left.segments[at] = event.size.count;
    if (event.action == Action::segment_free) left.segments.erase(at);
  }
  return left;
}

Leftovers in_segments(const allocator::Snapshot& snapshot) {
  Leftovers left;
  for (const allocator::SnapshotSegment& segment : snapshot.segments) {
    left.segments[segment.address.value] = segment.total_size.count;
    for (const allocator::SnapshotBlock& block : segment.blocks) {
      if (block.state == BlockState::active_allocated)
        left.held[block.address.value] = block.requested.count;
      if (block.state == BlockState::active_pending_free)
        left.waiting[block.address.value] = block.requested.count;
    }
  }
  return left;
}

class ShimHistories : public testing::TestWithParam<PreloadMode> {};
INSTANTIATE_TEST_SUITE_P(Modes, ShimHistories,
                         testing::Values(PreloadMode::deferred, PreloadMode::sync,
                                         PreloadMode::nosplit));

TEST_P(ShimHistories, end_where_the_blocks_are) {
  ShimSetup setup(with_history(GetParam(), 1000000));
  ShimProgram program(setup, 7);
  for (int i = 0; i < 20; ++i) {
    program.run(100);
    const SeenArena seen = look_at(setup);
    ASSERT_EQ(after(seen.history), in_segments(seen.snapshot));
  }
  EXPECT_GT(look_at(setup).history.size(), 2000U);
}

TEST_P(ShimHistories, change_no_decision) {
  std::vector<allocator::Snapshot> ends;
  for (const std::size_t entries : {std::size_t{0}, std::size_t{100}}) {
    ShimSetup setup(with_history(GetParam(), entries));
    ShimProgram(setup, 3).run(1000);
    ends.push_back(setup.snapshot());
    EXPECT_EQ(setup.races().all(), 0U);
  }
  EXPECT_EQ(ends[0], ends[1]);
}

TEST(ShimHistory, is_spelled_as_in_pytorchs_snapshots) {
  const shim::ArenaHistory first = {{{Action::segment_alloc, {4096}, {2048}, {}, {}, 5}},
                                    {{Action::oom, {77}, {512}, {}, {}, 9}}};
  const shim::ArenaHistory second = {{{Action::free_completed, {8192}, {100}, {}, {}, 6}}};
  const shim::TakenStacks none({});
  EXPECT_EQ(shim::history_json({&first, &second}, none),
            "[\n"
            R"({"action": "segment_alloc", "addr": 4096, "size": 2048, "stream": 0, "time_us": 5, )"
            "\"frames\": []},\n"
            R"({"action": "free_completed", "addr": 8192, "size": 100, "stream": 0, "time_us": 6, )"
            "\"frames\": []},\n"
            R"({"action": "oom", "device_free": 77, "size": 512, "stream": 0, "time_us": 9, )"
            "\"frames\": []}]");
  EXPECT_EQ(shim::history_json({}, none), "[]");
}

}  // namespace
}  // namespace vramlab::tests
