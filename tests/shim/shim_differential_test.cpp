// The shim decides as the simulator does: the same requests through the shim over the fake driver
// and through the engine on a simulated device give the same history, statistics and blocks. Both
// place segments by the same rule, so that even the addresses differ by a constant at most.
#include <gtest/gtest.h>

#include <random>

#include "allocator/caching_allocator.h"
#include "streams/simulated_device.h"
#include "tests/shim/shim_world.h"

namespace vramlab::tests {
namespace {

using allocator::Address;
using allocator::Bytes;

/// The engine alone: one stream owns all blocks, another one stands for all that may use them.
class Alone {
 public:
  Alone(std::uint64_t memory, const allocator::Settings& settings)
      : device_({.total = {memory}}),
        engine_(device_, allocator::default_reference_version(), settings) {}

  allocator::MallocResult malloc(std::uint64_t bytes) { return engine_.malloc({bytes}, {0}); }
  void free(Address at) {
    device_.submit_work({1});
    engine_.record_stream(at, {1});
    engine_.free(at);
  }
  void finish_work() { device_.complete_work({1}); }
  allocator::CountingAllocator& engine() { return engine_; }

 private:
  streams::SimulatedDevice device_;
  allocator::CountingAllocator engine_;
};

class BothWays {
 public:
  BothWays(std::uint64_t seed, std::uint64_t memory, const std::string& settings)
      : random_(seed),
        world_(options_of(memory, settings)),
        alone_(memory, shim_options(shim::ShimMode::deferred, settings).settings) {
    stream_ = world_.make_stream();
    work_memory_ = world_.alloc(512);
    alone_work_memory_ = alone_.malloc(512).address;
  }

  void step() {
    const std::uint64_t what = random_() % 100;
    if (what < 50)
      allocate();
    else if (what < 95)
      free();
    else
      finish_work();
  }

  void expect_equal(std::uint64_t at_step) {
    ASSERT_EQ(world_.statistics(), alone_.engine().listeners().values()) << "step " << at_step;
    allocator::Snapshot ours = world_.snapshot();
    allocator::Snapshot theirs = alone_.engine().take_snapshot();
    for (allocator::Snapshot* snapshot : {&ours, &theirs}) rebase(*snapshot);
    ASSERT_EQ(ours, theirs) << "step " << at_step;
  }
  std::int64_t out_of_memory_count() { return world_.statistics().num_ooms; }
  std::int64_t release_count() { return world_.statistics().num_device_free; }
  std::string first_race() { return world_.first_race(); }

 private:
  struct Held {
    CUdeviceptr ours;
    Address theirs;
  };

  static WorldOptions options_of(std::uint64_t memory, const std::string& settings) {
    WorldOptions options = in_mode(shim::ShimMode::deferred, settings);
    options.shim.last_resort = shim::LastResort::none;
    options.fake.memory_bytes = memory;
    return options;
  }
  /// Addresses as their distance from the first segment.
  static void rebase(allocator::Snapshot& snapshot) {
    const std::uint64_t origin = first_of(snapshot);
    for (allocator::SnapshotSegment& segment : snapshot.segments) {
      segment.address.value -= origin;
      for (allocator::SnapshotBlock& block : segment.blocks) block.address.value -= origin;
    }
  }
  static std::uint64_t first_of(const allocator::Snapshot& snapshot) {
    return snapshot.segments.empty() ? 0 : snapshot.segments.front().address.value;
  }

  void allocate() {
    const std::uint64_t range = random_() % 3 == 0 ? 1 * mib : 30 * mib;
    const std::uint64_t bytes = 1 + random_() % range;
    CUdeviceptr ours = 0;
    const CUresult result = world_.try_alloc(&ours, bytes);
    const allocator::MallocResult theirs = alone_.malloc(bytes);
    ASSERT_EQ(result == CUDA_SUCCESS, static_cast<bool>(theirs)) << bytes;
    if (theirs) held_.push_back({ours, theirs.address});
  }
  void free() {
    if (held_.empty()) return;
    const std::size_t which = random_() % held_.size();
    const Held held = held_[which];
    held_[which] = held_.back();
    held_.pop_back();
    world_.work(stream_, work_memory_, 512, 1000);
    ASSERT_EQ(world_.free(held.ours), CUDA_SUCCESS);
    alone_.free(held.theirs);
  }
  void finish_work() {
    world_.advance(1000000000);
    alone_.finish_work();
  }

  std::mt19937_64 random_;
  ShimWorld world_;
  Alone alone_;
  CUstream stream_ = nullptr;
  CUdeviceptr work_memory_ = 0;
  Address alone_work_memory_;
  std::vector<Held> held_;
};

struct Setting {
  const char* name;
  const char* text;
  std::uint64_t memory;
};

class ShimDifferential : public testing::TestWithParam<Setting> {};
INSTANTIATE_TEST_SUITE_P(
    Settings, ShimDifferential,
    testing::Values(Setting{"defaults", "", 8ULL << 30}, Setting{"short_of_memory", "", 512 * mib},
                    Setting{"no_large_splits", "max_split_size_mb:21", 512 * mib},
                    Setting{"rounding", "roundup_power2_divisions:4", 1ULL << 30},
                    Setting{"garbage_collection", "garbage_collection_threshold:0.5", 1ULL << 30},
                    Setting{"expandable", "expandable_segments:True", 8ULL << 30},
                    Setting{"expandable_short_of_memory", "expandable_segments:True", 512 * mib}),
    [](const auto& setting) { return std::string(setting.param.name); });

TEST_P(ShimDifferential, the_shim_decides_as_the_simulator_does) {
  const Setting& setting = GetParam();
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    BothWays both(seed, setting.memory, setting.text);
    for (std::uint64_t step = 0; step < 1500; ++step) {
      both.step();
      if (step % 50 == 0) both.expect_equal(step);
      if (HasFatalFailure()) return;
    }
    both.expect_equal(1500);
    if (HasFatalFailure()) return;
    EXPECT_EQ(both.first_race(), "");
    if (setting.memory <= 512 * mib) {
      EXPECT_GT(both.out_of_memory_count(), 0) << "seed " << seed;
      EXPECT_GT(both.release_count(), 0) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace vramlab::tests
