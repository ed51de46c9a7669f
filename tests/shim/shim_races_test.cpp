// No block is handed out, and no memory given back, while work of an earlier owner is pending:
// random programs under the race oracle, in every mode and with every kind of fence. And the oracle
// is loud when the fences are taken out.
#include <gtest/gtest.h>

#include "tests/shim/setup/shim_program.h"

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

ShimSetupOptions options_of(const Way& way, std::uint64_t memory) {
  ShimSetupOptions options = in_mode(way.mode, way.settings);
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
  ShimSetup setup(options_of(GetParam(), 4ULL << 30));
  ShimProgram(setup, 1).run(6000);
  EXPECT_EQ(setup.races().all(), 0U) << setup.first_race();
  EXPECT_EQ(setup.races().freed_in_use_but_waited, 0U) << setup.first_race();
}

TEST_P(ShimRaces, there_are_none_where_memory_is_short) {
  ShimSetup setup(options_of(GetParam(), 256 * mib));
  ShimProgram program(setup, 2);
  program.run(6000);
  EXPECT_GT(program.refusals(), 0U);
  EXPECT_EQ(setup.races().all(), 0U) << setup.first_race();
}

TEST(ShimRaces, are_found_without_fences_where_units_are_unmapped) {
  ShimSetupOptions options = options_of(
      {"", PreloadMode::deferred, FenceKind::automatic, "expandable_segments:True"}, 256 * mib);
  options.recorder = no_fences();
  ShimSetup setup(std::move(options));
  ShimProgram(setup, 1).run(4000);
  EXPECT_GT(setup.races().handed_out_in_use, 0U);
  EXPECT_GT(setup.races().released_in_use, 0U);
}

TEST(ShimRaces, are_found_without_fences) {
  ShimSetupOptions options =
      options_of({"", PreloadMode::deferred, FenceKind::automatic}, 4ULL << 30);
  options.recorder = no_fences();
  ShimSetup setup(std::move(options));
  ShimProgram(setup, 1).run(2000);
  EXPECT_GT(setup.races().handed_out_in_use, 0U);
}

/// A recorder that only records an event on the legacy stream.
class LegacyStreamOnly : public shim::FenceRecorder {
 private:
  CUresult record_in(shim::ContextRecord& context, shim::Fence& fence) override {
    return context.record_on(CU_STREAM_LEGACY, fence.awaited);
  }
};

TEST(ShimRaces, are_found_with_events_on_the_legacy_stream_alone) {
  ShimSetupOptions options =
      options_of({"", PreloadMode::deferred, FenceKind::automatic}, 4ULL << 30);
  options.recorder = std::make_unique<LegacyStreamOnly>();
  ShimSetup setup(std::move(options));
  ShimProgram(setup, 1).run(4000);
  EXPECT_GT(setup.races().handed_out_in_use, 0U);
}

TEST(ShimRaces, work_on_a_destroyed_stream_is_waited_for) {
  for (const FenceKind kind : {FenceKind::context_event, FenceKind::stream_events}) {
    ShimSetupOptions options;
    options.shim.fence = kind;
    ShimSetup setup(std::move(options));
    const CUdeviceptr first = setup.alloc(4 * mib);
    const CUdeviceptr second = setup.alloc(4 * mib);
    const CUstream stream = setup.make_stream();
    setup.work(stream, first, 4 * mib);
    setup.work(stream, second, 4 * mib);
    setup.destroy_stream(stream);
    EXPECT_EQ(setup.free(first), CUDA_SUCCESS);
    EXPECT_EQ(setup.free(second), CUDA_SUCCESS);
    EXPECT_NE(setup.alloc(8 * mib), first);
    EXPECT_EQ(setup.races().all(), 0U) << setup.first_race();
  }
}

}  // namespace
}  // namespace vramlab::tests
