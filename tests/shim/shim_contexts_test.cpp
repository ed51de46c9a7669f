// Contexts that are a part of another one, and contexts that come and go.
#include <gtest/gtest.h>
#include <malloc.h>

#include "tests/shim/setup/shim_setup.h"

namespace vramlab::tests {
namespace {

/// A green context of device 0, told of as the exported functions do.
class GreenSetup : public ShimSetup {
 public:
  explicit GreenSetup(shim::FenceKind fence = shim::FenceKind::automatic)
      : ShimSetup(with_fence(fence)) {
    primary_ = retained();
    const auto create =
        reinterpret_cast<PFN_cuGreenCtxCreate_v12040>(fake_symbol("cuGreenCtxCreate"));
    const auto convert =
        reinterpret_cast<PFN_cuCtxFromGreenCtx_v12040>(fake_symbol("cuCtxFromGreenCtx"));
    EXPECT_EQ(create(&made_, nullptr, 0, 1), CUDA_SUCCESS);
    EXPECT_EQ(convert(&green_.handle, made_), CUDA_SUCCESS);
    EXPECT_EQ(driver().context_id(green_.handle, &green_.id), CUDA_SUCCESS);
    shim().green_context_came(green_, primary_);
  }
  CUcontext primary() const { return primary_; }
  CUcontext green() const { return green_.handle; }

  CUstream make_green_stream() {
    const auto create =
        reinterpret_cast<PFN_cuGreenCtxStreamCreate_v12050>(fake_symbol("cuGreenCtxStreamCreate"));
    CUstream stream = nullptr;
    EXPECT_EQ(create(&stream, made_, CU_STREAM_NON_BLOCKING, 0), CUDA_SUCCESS);
    shim().stream_created(stream, CU_STREAM_NON_BLOCKING, green_.handle);
    return stream;
  }
  void destroy_green() {
    const auto destroy =
        reinterpret_cast<PFN_cuGreenCtxDestroy_v12040>(fake_symbol("cuGreenCtxDestroy"));
    EXPECT_EQ(destroy(made_), CUDA_SUCCESS);
    shim().green_context_gone(green_);
  }

 private:
  static ShimSetupOptions with_fence(shim::FenceKind fence) {
    ShimSetupOptions options;
    options.shim.fence = fence;
    return options;
  }
  CUcontext retained() {
    CUcontext context = nullptr;
    EXPECT_EQ(driver().primary_retain(&context, 0), CUDA_SUCCESS);
    return context;
  }

  CUcontext primary_ = nullptr;
  CUgreenCtx made_ = nullptr;
  preload::NamedContext green_;
};

TEST(ShimGreenContexts, have_one_arena_with_their_primary_context) {
  GreenSetup setup;
  setup.make_current(setup.green());
  const CUdeviceptr at = setup.alloc(4 * mib);
  EXPECT_EQ(setup.free(at), CUDA_SUCCESS);
  setup.make_current(setup.primary());
  EXPECT_EQ(setup.alloc(4 * mib), at);
  EXPECT_EQ(setup.driver_allocations(), 1U);
}

TEST(ShimGreenContexts, that_are_destroyed_leave_all_memory_in_place) {
  GreenSetup setup;
  setup.make_current(setup.green());
  const CUdeviceptr held = setup.alloc(4 * mib);
  const CUdeviceptr freed = setup.alloc(4 * mib);
  EXPECT_EQ(setup.free(freed), CUDA_SUCCESS);
  setup.make_current(setup.primary());
  setup.destroy_green();
  EXPECT_EQ(setup.alloc(4 * mib), freed);
  EXPECT_EQ(setup.free(held), CUDA_SUCCESS);
  EXPECT_EQ(setup.alloc(4 * mib), held);
}

class ShimGreenFences : public testing::TestWithParam<shim::FenceKind> {};
INSTANTIATE_TEST_SUITE_P(Fences, ShimGreenFences,
                         testing::Values(shim::FenceKind::context_event,
                                         shim::FenceKind::stream_events, shim::FenceKind::wait));

TEST_P(ShimGreenFences, cover_the_work_of_both_contexts) {
  GreenSetup setup(GetParam());
  setup.make_current(setup.primary());
  const CUstream green = setup.make_green_stream();
  const CUstream plain = setup.make_stream();
  for (const CUcontext current : {setup.primary(), setup.green()})
    for (const CUstream stream : {green, plain}) {
      setup.make_current(current);
      const CUdeviceptr at = setup.alloc(4 * mib);
      setup.work(stream, at, 4 * mib);
      EXPECT_EQ(setup.free(at), CUDA_SUCCESS);
      setup.alloc(4 * mib);
    }
  EXPECT_EQ(setup.races().all(), 0U) << setup.first_race();
}

TEST_P(ShimGreenFences, leave_a_capture_on_a_green_stream_alone) {
  GreenSetup setup(GetParam());
  setup.make_current(setup.primary());
  const CUdeviceptr at = setup.alloc(4 * mib);
  const CUstream stream = setup.make_green_stream();
  setup.make_current(setup.green());
  ASSERT_EQ(setup.begin_capture(stream, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
  setup.make_current(setup.primary());
  EXPECT_EQ(setup.free(at), CUDA_SUCCESS);
  setup.alloc(4 * mib);
  setup.make_current(setup.green());
  EXPECT_EQ(setup.end_capture(stream), CUDA_SUCCESS);
}

TEST(ShimContexts, that_are_gone_are_not_looked_at_any_more) {
  ShimSetup setup;
  setup.alloc(mib);
  for (int round = 0; round < 5000; ++round) {
    const CUcontext context = setup.make_context();
    setup.make_stream();
    const CUdeviceptr at = setup.alloc(mib);
    setup.make_current(setup.context());
    if (round % 2 == 0) setup.free(at);
    setup.destroy_context(context);
  }
  int arenas = 0;
  setup.shim().arenas()->for_each([&](shim::Arena&) { ++arenas; });
  EXPECT_EQ(arenas, 1);
  EXPECT_EQ(setup.driver_allocations(), 1U);
}

/// Bytes that the C library gave out and has not got back; 0 under sanitizers, which have their
/// own.
std::size_t bytes_of_host() { return mallinfo2().uordblks + mallinfo2().hblkhd; }

TEST(ShimContexts, that_are_gone_leave_little_behind) {
  constexpr std::size_t contexts = 100;
  constexpr std::size_t most_each = 8 * kib;
  ShimSetup setup;
  const auto come_and_go = [&](std::size_t count) {
    for (std::size_t round = 0; round < count; ++round) {
      const CUcontext context = setup.make_context();
      for (int i = 0; i < 500; ++i) setup.alloc(512);
      setup.make_current(setup.context());
      setup.destroy_context(context);
    }
  };
  come_and_go(contexts);
  const std::size_t before = bytes_of_host();
  come_and_go(contexts);
  EXPECT_LE(bytes_of_host(), before + contexts * most_each);
}

}  // namespace
}  // namespace vramlab::tests
