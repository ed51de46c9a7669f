// The work for a recording grows with what it holds: ten times as many pools, streams or segments
// cost about ten times as much, counted in allocations of memory. A number in a file costs nothing.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <new>

#include "replay/explain/explanation.h"
#include "replay/metrics/fragmentation.h"
#include "replay/recording/recorded_states.h"
#include "replay/recording/recording.h"
#include "replay/replayer/recorded_run.h"
#include "replay/replayer/replayer.h"

namespace {

std::atomic<std::uint64_t> allocation_count = 0;

}  // namespace

void* operator new(std::size_t size) {
  allocation_count.fetch_add(1, std::memory_order_relaxed);
  if (void* const memory = std::malloc(size > 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}
/// Sorting's buffers come from here, and go the same way as all.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  allocation_count.fetch_add(1, std::memory_order_relaxed);
  return std::malloc(size > 0 ? size : 1);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace vramlab::replay {
namespace {

using allocator::Action;
using allocator::Address;
using allocator::BlockState;
using allocator::Bytes;
using allocator::PoolId;
using allocator::StreamId;

constexpr Bytes segment_size{2U << 20};
constexpr Bytes block_size{1000};
constexpr Bytes rounded_size{1024};

/// The place of a segment; all are alike otherwise.
struct Shape {
  PoolId pool;
  StreamId stream;
  bool is_expandable = false;
};

class GrowingRecording {
 public:
  explicit GrowingRecording(std::size_t device_count = 1) {
    for (std::size_t i = 0; i < device_count; ++i) {
      DeviceHistory& device = history_.devices.emplace_back();
      device.device = static_cast<std::int64_t>(i);
      device.traits.requests_frees = true;
    }
  }

  DeviceHistory& device(std::size_t number = 0) { return history_.devices[number]; }

  /// A segment with one block, and its two events.
  void add(std::uint64_t number, const Shape& shape, std::size_t on_device = 0) {
    DeviceHistory& history = device(on_device);
    const std::uint64_t distance = shape.is_expandable ? 1ULL << 34 : segment_size.count;
    const Address at{(1ULL << 40) + number * distance};
    const Action got = shape.is_expandable ? Action::segment_map : Action::segment_alloc;
    history.events.push_back({got, at, segment_size, shape.stream, shape.pool, 0});
    history.events.push_back({Action::alloc, at, block_size, shape.stream, shape.pool, 0});
    history.stacks.push_back({});
    history.stacks.push_back({});
    allocator::SnapshotSegment segment;
    segment.address = at;
    segment.total_size = segment_size;
    segment.allocated_size = segment.active_size = rounded_size;
    segment.stream = shape.stream;
    segment.pool = shape.pool;
    segment.is_expandable = shape.is_expandable;
    segment.blocks.push_back({at, rounded_size, block_size, BlockState::active_allocated});
    segment.blocks.push_back(
        {at + rounded_size, segment_size - rounded_size, Bytes{}, BlockState::inactive});
    history.final_segments.push_back(segment);
  }

  /// The allocations of a question to the recording.
  std::uint64_t cost_of(const std::function<void(Recording&)>& question) const {
    Recording recording("growing", history_, std::make_shared<traces::SnapshotTables>(), {});
    const std::uint64_t before = allocation_count;
    question(recording);
    return allocation_count - before;
  }

 private:
  RecordedHistory history_;
};

void verify_all(Recording& recording) { EXPECT_FALSE(verify(recording).devices.empty()); }
void replay(Recording& recording) { EXPECT_FALSE(Replayer(recording).run({}).devices.empty()); }
void show(Recording& recording) {
  EXPECT_FALSE(recorded_states(recording, {MomentKind::peak}).states.empty());
}

using Make = std::function<GrowingRecording(std::size_t count)>;

/// Work that is quadratic grows by a hundred.
void expect_linear(const Make& make, std::size_t count = 60) {
  constexpr std::uint64_t most_growth = 14;
  for (const auto& question : {verify_all, replay, show}) {
    const std::uint64_t few = make(count).cost_of(question);
    const std::uint64_t many = make(count * 10).cost_of(question);
    EXPECT_LT(many, few * most_growth) << "with " << few << " for " << count;
  }
}

TEST(SmallFiles, private_pools_that_events_name_cost_what_they_are) {
  expect_linear([](std::size_t count) {
    GrowingRecording recording;
    recording.device().traits.names_pools = true;
    recording.device().traits.segments_say_pool = false;
    for (std::size_t i = 0; i < count; ++i) recording.add(i, {{0, i + 1}, {}});
    return recording;
  });
}

TEST(SmallFiles, private_pools_that_the_end_names_cost_what_they_are) {
  expect_linear([](std::size_t count) {
    GrowingRecording recording;
    for (std::size_t i = 0; i < count; ++i) recording.add(i, {{0, i + 1}, {}});
    return recording;
  });
}

TEST(SmallFiles, streams_cost_what_they_are) {
  for (const bool is_expandable : {false, true})
    expect_linear([is_expandable](std::size_t count) {
      GrowingRecording recording;
      for (std::size_t i = 0; i < count; ++i) recording.add(i, {{}, {i}, is_expandable});
      return recording;
    });
}

TEST(SmallFiles, devices_cost_what_they_are) {
  expect_linear(
      [](std::size_t count) {
        GrowingRecording recording(count);
        for (std::size_t i = 0; i < count; ++i) recording.add(i, {}, i);
        return recording;
      },
      12);
}

TEST(SmallFiles, failures_cost_what_they_are) {
  expect_linear([](std::size_t count) {
    GrowingRecording recording;
    recording.add(0, {});
    for (std::size_t i = 0; i < count; ++i) {
      recording.device().events.push_back({Action::oom, {1U << 20}, {1U << 30}, {}, {}, 0});
      recording.device().stacks.push_back({});
    }
    return recording;
  });
}

TEST(SmallFiles, size_that_a_file_says_costs_nothing) {
  for (const unsigned bits : {40U, 50U, 62U}) {
    allocator::SnapshotSegment segment;
    segment.address = {1ULL << 40};
    segment.total_size = {1ULL << bits};
    segment.is_expandable = true;
    const Bytes live{10U << 20};
    segment.blocks.push_back({segment.address, live, live, BlockState::active_allocated});
    segment.blocks.push_back(
        {segment.address + live, segment.total_size - live, Bytes{}, BlockState::inactive});
    const auto parts = release_parts(segment, Bytes{2U << 20});
    EXPECT_LE(parts.size(), 6U);
    EXPECT_EQ(parts.back().at + parts.back().size, segment.address + segment.total_size);
    Bytes idle;
    for (const ReleasePart& part : parts) idle += part.idle;
    EXPECT_EQ(idle, segment.total_size - live);
    // No block is said to be there.
    segment.blocks.pop_back();
    EXPECT_LE(release_parts(segment, Bytes{2U << 20}).size(), 6U);
  }
}

}  // namespace
}  // namespace vramlab::replay
