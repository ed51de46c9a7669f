// The callbacks of a program are asked for memory when no cached block fits, before the driver is.
#include <gtest/gtest.h>

#include "tests/shim/setup/shim_setup.h"

namespace vramlab::tests {
namespace {

using preload::PreloadMode;

class ShimCallbacks : public testing::TestWithParam<PreloadMode> {
 protected:
  ShimCallbacks() : setup_(in_mode(GetParam())) {}
  ~ShimCallbacks() override { EXPECT_EQ(setup_.races().all(), 0U) << setup_.first_race(); }

  /// Frees the block when it is asked, once.
  void frees_when_asked(CUdeviceptr at) {
    setup_.shim().add_free_memory_callback(
        0, [this, at] { return ++asked_ == 1 && setup_.free(at) == CUDA_SUCCESS; });
  }

  ShimSetup setup_;
  int asked_ = 0;
};
INSTANTIATE_TEST_SUITE_P(Modes, ShimCallbacks,
                         testing::Values(PreloadMode::deferred, PreloadMode::sync,
                                         PreloadMode::nosplit),
                         [](const auto& mode) {
                           return mode.param == PreloadMode::deferred ? "deferred"
                                  : mode.param == PreloadMode::sync   ? "sync"
                                                                      : "nosplit";
                         });

TEST_P(ShimCallbacks, what_one_frees_serves_the_request_without_the_driver) {
  const CUdeviceptr held = setup_.alloc(30 * mib);
  frees_when_asked(held);
  EXPECT_EQ(setup_.alloc(30 * mib), held);
  EXPECT_EQ(setup_.calls("cuMemAlloc_v2"), 1U);
}

TEST_P(ShimCallbacks, are_not_asked_where_a_cached_block_fits) {
  const CUdeviceptr held = setup_.alloc(4 * mib);
  setup_.free(setup_.alloc(30 * mib));
  frees_when_asked(held);
  setup_.alloc(30 * mib);
  EXPECT_EQ(asked_, 0);
}

TEST_P(ShimCallbacks, of_another_device_are_not_asked) {
  setup_.shim().add_free_memory_callback(1, [this] { return ++asked_ > 0; });
  setup_.alloc(30 * mib);
  EXPECT_EQ(asked_, 0);
}

TEST_P(ShimCallbacks, are_asked_once_by_a_request_and_not_by_their_own) {
  setup_.shim().add_free_memory_callback(0, [this] {
    ++asked_;
    EXPECT_EQ(setup_.free(setup_.alloc(50 * mib)), CUDA_SUCCESS);
    return false;
  });
  setup_.alloc(30 * mib);
  EXPECT_EQ(asked_, 1);
  setup_.alloc(70 * mib);
  EXPECT_EQ(asked_, 2);
}

TEST_P(ShimCallbacks, are_not_asked_while_a_capture_is_open) {
  frees_when_asked(setup_.alloc(30 * mib));
  const CUstream stream = setup_.make_stream();
  ASSERT_EQ(setup_.begin_capture(stream, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
  setup_.alloc(30 * mib);
  EXPECT_EQ(asked_, 0);
  EXPECT_EQ(setup_.end_capture(stream), CUDA_SUCCESS);
}

TEST(ShimCallbacksInTime, what_work_still_uses_is_not_handed_out) {
  ShimSetup setup;
  const CUdeviceptr held = setup.alloc(30 * mib);
  setup.work(setup.make_stream(), held, 30 * mib);
  setup.shim().add_free_memory_callback(0, [&] { return setup.free(held) == CUDA_SUCCESS; });
  EXPECT_NE(setup.alloc(30 * mib), held);
  EXPECT_EQ(setup.calls("cuMemAlloc_v2"), 2U);
  EXPECT_EQ(setup.races().all(), 0U) << setup.first_race();
}

TEST(ShimCallbacksInTime, what_one_frees_serves_a_request_that_the_driver_has_no_memory_for) {
  ShimSetup setup(with_memory(64 * mib));
  const CUdeviceptr held = setup.alloc(40 * mib);
  setup.work(setup.make_stream(), held, 40 * mib);
  setup.shim().add_free_memory_callback(0, [&] { return setup.free(held) == CUDA_SUCCESS; });
  setup.alloc(40 * mib);
  EXPECT_EQ(setup.races().all(), 0U) << setup.first_race();
}

}  // namespace
}  // namespace vramlab::tests
