// No block is handed out, and no memory given back, while work of an earlier owner is pending:
// random programs under the race oracle, in every mode and with every kind of fence. And the oracle
// is loud when the fences are taken out.
#include <gtest/gtest.h>

#include "tests/shim/world/shim_program.h"

namespace vramlab::tests {
namespace {

using preload::PreloadMode;
using shim::FenceKind;

struct Way {
  const char* name;
  PreloadMode mode;
  FenceKind fence;
  const char* settings = "";
};

WorldOptions options_of(const Way& way, std::uint64_t memory) {
  WorldOptions options = in_mode(way.mode, way.settings);
  options.shim.fence = way.fence;
  options.fake.memory_bytes = memory;
  options.fake.mean_call_ns = 300;
  return options;
}

class ShimRaces : public testing::TestWithParam<Way> {};
INSTANTIATE_TEST_SUITE_P(
    Ways, ShimRaces,
    testing::Values(Way{"context_event", PreloadMode::deferred, FenceKind::context_event},
                    Way{"stream_events", PreloadMode::deferred, FenceKind::stream_events},
                    Way{"wait", PreloadMode::deferred, FenceKind::wait},
                    Way{"sync", PreloadMode::sync, FenceKind::automatic},
                    Way{"nosplit", PreloadMode::nosplit, FenceKind::automatic},
                    Way{"expandable", PreloadMode::deferred, FenceKind::automatic,
                        "expandable_segments:True"}),
    [](const auto& way) { return std::string(way.param.name); });

TEST_P(ShimRaces, there_are_none_in_a_random_program) {
  ShimWorld world(options_of(GetParam(), 4ULL << 30));
  ShimProgram(world, 1).run(6000);
  EXPECT_EQ(world.races().all(), 0U) << world.first_race();
  EXPECT_EQ(world.races().freed_in_use_but_waited, 0U) << world.first_race();
}

TEST_P(ShimRaces, there_are_none_where_memory_is_short) {
  ShimWorld world(options_of(GetParam(), 256 * mib));
  ShimProgram program(world, 2);
  program.run(6000);
  EXPECT_GT(program.refusals(), 0U);
  EXPECT_EQ(world.races().all(), 0U) << world.first_race();
}

TEST(ShimRaces, are_found_without_fences_where_units_are_unmapped) {
  WorldOptions options = options_of(
      {"", PreloadMode::deferred, FenceKind::automatic, "expandable_segments:True"}, 256 * mib);
  options.recorder = no_fences();
  ShimWorld world(std::move(options));
  ShimProgram(world, 1).run(4000);
  EXPECT_GT(world.races().handed_out_in_use, 0U);
  EXPECT_GT(world.races().released_in_use, 0U);
}

TEST(ShimRaces, are_found_without_fences) {
  WorldOptions options = options_of({"", PreloadMode::deferred, FenceKind::automatic}, 4ULL << 30);
  options.recorder = no_fences();
  ShimWorld world(std::move(options));
  ShimProgram(world, 1).run(2000);
  EXPECT_GT(world.races().handed_out_in_use, 0U);
}

/// What an event on the legacy stream alone would be.
class LegacyStreamOnly : public shim::FenceRecorder {
 private:
  CUresult record_in(shim::ContextRecord& context, shim::Fence& fence) override {
    return context.record_on(CU_STREAM_LEGACY, fence.awaited);
  }
};

TEST(ShimRaces, are_found_with_events_on_the_legacy_stream_alone) {
  WorldOptions options = options_of({"", PreloadMode::deferred, FenceKind::automatic}, 4ULL << 30);
  options.recorder = std::make_unique<LegacyStreamOnly>();
  ShimWorld world(std::move(options));
  ShimProgram(world, 1).run(4000);
  EXPECT_GT(world.races().handed_out_in_use, 0U);
}

TEST(ShimRaces, work_on_a_destroyed_stream_is_waited_for) {
  for (const FenceKind kind : {FenceKind::context_event, FenceKind::stream_events}) {
    WorldOptions options;
    options.shim.fence = kind;
    ShimWorld world(std::move(options));
    const CUdeviceptr first = world.alloc(4 * mib);
    const CUdeviceptr second = world.alloc(4 * mib);
    const CUstream stream = world.make_stream();
    world.work(stream, first, 4 * mib);
    world.work(stream, second, 4 * mib);
    world.destroy_stream(stream);
    EXPECT_EQ(world.free(first), CUDA_SUCCESS);
    EXPECT_EQ(world.free(second), CUDA_SUCCESS);
    EXPECT_NE(world.alloc(8 * mib), first);
    EXPECT_EQ(world.races().all(), 0U) << world.first_race();
  }
}

}  // namespace
}  // namespace vramlab::tests
