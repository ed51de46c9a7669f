// Memory that is idle in the cache counts as free for everybody: other contexts of the device,
// requests in captures, and the driver's other functions.
#include <gtest/gtest.h>

#include "tests/shim/setup/shim_setup.h"

namespace vramlab::tests {
namespace {

using preload::PreloadMode;

constexpr std::uint64_t gib = 1ULL << 30;

ShimSetupOptions eight_gib(PreloadMode mode, const std::string& conf = {}) {
  ShimSetupOptions options = in_mode(mode, conf);
  options.fake.memory_bytes = 8 * gib;
  return options;
}

class ShimIdleMemory : public testing::TestWithParam<PreloadMode> {
 protected:
  ShimIdleMemory() : setup_(eight_gib(GetParam())) {}
  ~ShimIdleMemory() override { EXPECT_EQ(setup_.races().all(), 0U) << setup_.first_race(); }

  void free_with_work_under_way(std::uint64_t bytes) {
    const CUdeviceptr at = setup_.alloc(bytes);
    setup_.work(setup_.make_stream(), at, bytes);
    EXPECT_EQ(setup_.free(at), CUDA_SUCCESS);
  }

  ShimSetup setup_;
};
INSTANTIATE_TEST_SUITE_P(Modes, ShimIdleMemory,
                         testing::Values(PreloadMode::deferred, PreloadMode::sync,
                                         PreloadMode::nosplit),
                         [](const auto& mode) {
                           return mode.param == PreloadMode::deferred ? "deferred"
                                  : mode.param == PreloadMode::sync   ? "sync"
                                                                      : "nosplit";
                         });

TEST_P(ShimIdleMemory, serves_another_context_of_the_device) {
  free_with_work_under_way(6 * gib);
  setup_.make_context();
  EXPECT_EQ(setup_.free_memory(), setup_.total_memory());
  setup_.alloc(7 * gib);
  EXPECT_EQ(setup_.statistics().num_ooms, 0);
}

TEST_P(ShimIdleMemory, serves_a_request_in_a_relaxed_capture) {
  free_with_work_under_way(6 * gib);
  const CUstream stream = setup_.make_stream();
  ASSERT_EQ(setup_.begin_capture(stream, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
  const CUdeviceptr at = setup_.alloc(7 * gib);
  EXPECT_EQ(setup_.free(at), CUDA_SUCCESS);
  EXPECT_EQ(setup_.end_capture(stream), CUDA_SUCCESS);
  setup_.alloc(7 * gib);
}

TEST_P(ShimIdleMemory, is_given_back_once_for_a_call_that_was_refused) {
  free_with_work_under_way(6 * gib);
  EXPECT_TRUE(setup_.shim().make_room(preload::current_device));
  EXPECT_EQ(setup_.driver_allocations(), 0U);
  EXPECT_FALSE(setup_.shim().make_room(preload::current_device));
}

TEST_P(ShimIdleMemory, of_another_device_stays) {
  ShimSetupOptions options = eight_gib(GetParam());
  options.fake.device_count = 2;
  ShimSetup setup(std::move(options));
  setup.free(setup.alloc(4 * gib));
  setup.make_context(1);
  EXPECT_FALSE(setup.shim().make_room(preload::current_device));
  CUdeviceptr at = 0;
  EXPECT_EQ(setup.try_alloc(&at, 9 * gib), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(setup.driver_allocations(), 1U);
}

TEST_P(ShimIdleMemory, is_given_back_by_a_trim) {
  const CUdeviceptr held = setup_.alloc(gib);
  free_with_work_under_way(6 * gib);
  setup_.shim().trim();
  EXPECT_EQ(setup_.driver_allocations(), 1U);
  EXPECT_EQ(setup_.free(held), CUDA_SUCCESS);
}

TEST_P(ShimIdleMemory, stays_within_its_limit) {
  ShimSetupOptions options = eight_gib(GetParam());
  options.shim.idle_limit.bytes = allocator::Bytes{gib};
  ShimSetup setup(std::move(options));
  const CUdeviceptr first = setup.alloc(2 * gib);
  const CUdeviceptr second = setup.alloc(gib);
  EXPECT_EQ(setup.free(first), CUDA_SUCCESS);
  EXPECT_EQ(setup.free(second), CUDA_SUCCESS);
  setup.alloc(64 * mib);
  EXPECT_LE(setup.shim().arenas()->current()->idle_bytes(), gib);
  EXPECT_GE(setup.driver_allocations(), 1U);
}

TEST(ShimIdleBlocks, inside_of_used_segments_serve_requests_in_a_capture) {
  ShimSetup setup(eight_gib(PreloadMode::deferred));
  const CUdeviceptr whole = setup.alloc(6 * gib);
  EXPECT_EQ(setup.free(whole), CUDA_SUCCESS);
  const CUdeviceptr held = setup.alloc(2 * gib);
  const CUstream stream = setup.make_stream();
  ASSERT_EQ(setup.begin_capture(stream, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
  const CUdeviceptr at = setup.alloc(4 * gib);
  EXPECT_EQ(at, held + 2 * gib);
  EXPECT_EQ(setup.end_capture(stream), CUDA_SUCCESS);
  EXPECT_EQ(setup.free(at), CUDA_SUCCESS);
}

TEST(ShimIdleBlocks, whose_fence_the_driver_says_nothing_about_are_given_back) {
  ShimSetup setup(eight_gib(PreloadMode::deferred));
  const CUdeviceptr at = setup.alloc(4 * mib);
  setup.work(setup.make_stream(), at, 4 * mib);
  EXPECT_EQ(setup.free(at), CUDA_SUCCESS);
  setup.alloc(1000);
  setup.fail("cuEventQuery", CUDA_ERROR_INVALID_VALUE, 1);
  setup.alloc(1000);
  setup.advance(1000000000);
  setup.shim().trim();
  EXPECT_EQ(setup.driver_allocations(), 1U);
}

TEST(ShimIdleBlocks, that_are_mapped_serve_another_context) {
  ShimSetup setup(eight_gib(PreloadMode::deferred, "expandable_segments:True"));
  setup.free(setup.alloc(6 * gib));
  setup.make_context();
  setup.alloc(7 * gib);
  EXPECT_EQ(setup.calls("cuMemAlloc_v2"), 0U) << "it is mapped too";
}

}  // namespace
}  // namespace vramlab::tests
