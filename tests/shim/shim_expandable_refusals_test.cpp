// Expandable segments where the driver refuses: nothing is left behind, the ladder goes on, and
// what lasts is told. And who may use the memory.
#include <gtest/gtest.h>

#include "tests/shim/world/expandable_world.h"

namespace vramlab::tests {
namespace {

// Calls that the driver refuses.

struct Refusal {
  const char* name;
  const char* function;
  CUresult result;
  std::uint64_t skipped;
};

class ShimExpandableRefusals : public testing::TestWithParam<Refusal> {};
INSTANTIATE_TEST_SUITE_P(
    Calls, ShimExpandableRefusals,
    testing::Values(
        Refusal{"reserve", "cuMemAddressReserve", CUDA_ERROR_OUT_OF_MEMORY, 0},
        Refusal{"create", "cuMemCreate", CUDA_ERROR_OUT_OF_MEMORY, 0},
        Refusal{"create_of_the_second_unit", "cuMemCreate", CUDA_ERROR_OUT_OF_MEMORY, 1},
        Refusal{"create_for_another_reason", "cuMemCreate", CUDA_ERROR_NOT_SUPPORTED, 1},
        Refusal{"map", "cuMemMap", CUDA_ERROR_OUT_OF_MEMORY, 0},
        Refusal{"map_of_the_second_unit", "cuMemMap", CUDA_ERROR_INVALID_VALUE, 1},
        Refusal{"access", "cuMemSetAccess", CUDA_ERROR_OUT_OF_MEMORY, 0},
        Refusal{"access_for_another_reason", "cuMemSetAccess", CUDA_ERROR_INVALID_DEVICE, 0}),
    [](const auto& refusal) { return std::string(refusal.param.name); });

TEST_P(ShimExpandableRefusals, that_end_are_got_over_by_the_ladder) {
  const Refusal& refusal = GetParam();
  ShimWorld world(expandable());
  world.alloc(1000);
  const CUdeviceptr cached = world.alloc(5 * mib);
  EXPECT_EQ(world.free(cached), CUDA_SUCCESS);
  const std::uint64_t before = memory_left(world);
  // A refusal for want of memory is tried once more before the cache is released.
  const std::uint64_t times = refusal.result == CUDA_ERROR_OUT_OF_MEMORY ? 2 : 1;
  world.fail(refusal.function, refusal.result, times, refusal.skipped);
  const CUdeviceptr at = world.alloc(70 * mib);
  world.work(CU_STREAM_LEGACY, at, 70 * mib);
  EXPECT_EQ(state_of(world, world.context()), CUDA_SUCCESS);
  EXPECT_EQ(world.calls("cuMemAlloc_v2"), 0U);
  EXPECT_EQ(memory_left(world) + 80 * mib, before + 20 * mib);
  EXPECT_EQ(world.free(at), CUDA_SUCCESS);
  EXPECT_EQ(world.races().all(), 0U) << world.first_race();
}

TEST_P(ShimExpandableRefusals, that_last_leave_nothing_behind_and_the_driver_is_asked) {
  const Refusal& refusal = GetParam();
  ShimWorld world(expandable());
  world.fail(refusal.function, refusal.result, ~0ULL, refusal.skipped);
  for (const std::uint64_t bytes : {70 * mib, 90 * mib}) {
    const std::uint64_t before = memory_left(world);
    const std::uint64_t asked = world.calls("cuMemAlloc_v2");
    const CUdeviceptr at = world.alloc(bytes);
    EXPECT_EQ(memory_left(world), before - bytes) << "nothing else is held";
    EXPECT_EQ(world.calls("cuMemAlloc_v2"), asked + 1);
    world.work(CU_STREAM_LEGACY, at, bytes);
    EXPECT_EQ(state_of(world, world.context()), CUDA_SUCCESS);
    EXPECT_EQ(world.free(at), CUDA_SUCCESS);
    EXPECT_EQ(memory_left(world), before);
  }
  world.fail("nothing", CUDA_SUCCESS);
  const std::uint64_t asked = world.calls("cuMemAlloc_v2");
  EXPECT_NE(world.alloc(70 * mib), 0U);
  EXPECT_EQ(world.calls("cuMemAlloc_v2"), asked) << "it goes on where the driver does";
  EXPECT_EQ(world.races().all(), 0U) << world.first_race();
}

TEST(ShimExpandable, an_error_that_lasts_is_told) {
  for (const char* function :
       {"cuMemAddressReserve", "cuMemCreate", "cuMemMap", "cuMemSetAccess"}) {
    ShimWorld world(expandable());
    world.fail(function, CUDA_ERROR_ILLEGAL_ADDRESS, 1);
    CUdeviceptr at = 0;
    EXPECT_EQ(world.try_alloc(&at, mib), CUDA_ERROR_ILLEGAL_ADDRESS) << function;
    EXPECT_EQ(world.try_alloc(&at, mib), CUDA_ERROR_ILLEGAL_ADDRESS) << function;
    EXPECT_EQ(memory_left(world), 8ULL << 30) << function;
  }
}

TEST(ShimExpandable, an_error_in_giving_back_is_told) {
  for (const char* function : {"cuMemUnmap", "cuMemRelease", "cuMemAddressFree"}) {
    ShimWorld world(expandable(40 * mib));
    EXPECT_EQ(world.free(world.alloc(40 * mib)), CUDA_SUCCESS);
    world.fail(function, CUDA_ERROR_LAUNCH_FAILED, 1);
    CUdeviceptr at = 0;
    EXPECT_EQ(world.try_alloc(&at, 60 * mib), CUDA_ERROR_LAUNCH_FAILED) << function;
  }
}

TEST(ShimExpandable, an_error_in_undoing_a_unit_that_was_not_mapped_is_told) {
  ShimWorld world(expandable());
  world.fake()->look([](fake::FakeCuda& cuda) {
    cuda.faults().add({"cuMemMap", CUDA_ERROR_INVALID_VALUE, 0, 1});
    cuda.faults().add({"cuMemRelease", CUDA_ERROR_LAUNCH_FAILED, 0, 1});
  });
  CUdeviceptr at = 0;
  EXPECT_EQ(world.try_alloc(&at, mib), CUDA_ERROR_LAUNCH_FAILED);
}

TEST(ShimExpandable, an_error_in_undoing_is_told) {
  for (const char* function : {"cuMemUnmap", "cuMemRelease"}) {
    ShimWorld world(expandable(40 * mib));
    world.fail(function, CUDA_ERROR_LAUNCH_FAILED, 1);
    CUdeviceptr at = 0;
    EXPECT_EQ(world.try_alloc(&at, 60 * mib), CUDA_ERROR_LAUNCH_FAILED) << function;
  }
}

// Who may use the memory.

struct TwoDevices {
  TwoDevices() : world(expandable(8ULL << 30, 2)), peer(world.make_context(1)) {
    world.make_current(world.context());
  }
  void use_from(CUcontext context, CUdeviceptr at) {
    world.make_current(context);
    world.work(CU_STREAM_LEGACY, at, 4096);
    world.make_current(world.context());
  }
  ShimWorld world;
  CUcontext peer;
};

TEST(ShimExpandablePeers, have_no_access_that_nobody_gave_them) {
  TwoDevices two;
  two.use_from(two.peer, two.world.alloc(mib));
  EXPECT_EQ(two.world.races().used_without_memory, 1U);
  EXPECT_EQ(state_of(two.world, two.peer), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST(ShimExpandablePeers, have_access_to_what_is_mapped_before_and_after) {
  TwoDevices two;
  const CUdeviceptr early = two.world.alloc(mib);
  two.world.alloc(30 * mib);
  two.world.enable_peer_access(two.peer, two.world.context());
  two.use_from(two.peer, early);
  two.use_from(two.peer, two.world.alloc(50 * mib));
  EXPECT_EQ(state_of(two.world, two.peer), CUDA_SUCCESS);
  EXPECT_EQ(two.world.races().all(), 0U) << two.world.first_race();
}

TEST(ShimExpandablePeers, have_access_before_anything_was_asked_for) {
  TwoDevices two;
  two.world.enable_peer_access(two.peer, two.world.context());
  two.use_from(two.peer, two.world.alloc(mib));
  EXPECT_EQ(state_of(two.world, two.peer), CUDA_SUCCESS);
}

TEST(ShimExpandablePeers, have_access_to_a_context_of_any_device_that_nothing_is_known_of_yet) {
  TwoDevices two;
  two.world.enable_peer_access(two.world.context(), two.peer);
  two.world.make_current(two.peer);
  const CUdeviceptr at = two.world.alloc(mib);
  two.use_from(two.peer, at);
  two.use_from(two.world.context(), at);
  EXPECT_EQ(state_of(two.world, two.world.context()), CUDA_SUCCESS);
  EXPECT_EQ(two.world.races().all(), 0U) << two.world.first_race();
}

TEST(ShimExpandablePeers, lose_access_to_what_is_mapped_before_and_after) {
  TwoDevices two;
  two.world.enable_peer_access(two.peer, two.world.context());
  const CUdeviceptr early = two.world.alloc(mib);
  two.world.disable_peer_access(two.peer, two.world.context());
  two.use_from(two.peer, early);
  two.use_from(two.peer, two.world.alloc(50 * mib));
  EXPECT_EQ(two.world.races().used_without_memory, 2U);
  two.use_from(two.world.context(), early);
  EXPECT_EQ(state_of(two.world, two.world.context()), CUDA_SUCCESS) << "the owner keeps it";
}

TEST(ShimExpandablePeers, keep_access_while_another_context_of_the_device_is_a_peer) {
  TwoDevices two;
  const CUcontext second = two.world.make_context(1);
  two.world.make_current(two.world.context());
  const CUdeviceptr at = two.world.alloc(mib);
  two.world.enable_peer_access(two.peer, two.world.context());
  two.world.enable_peer_access(second, two.world.context());
  two.world.disable_peer_access(second, two.world.context());
  two.use_from(two.peer, at);
  EXPECT_EQ(state_of(two.world, two.peer), CUDA_SUCCESS);
}

TEST(ShimExpandablePeers, on_the_same_device_take_nothing_away) {
  ShimWorld world(expandable());
  const CUcontext second = world.make_context();
  world.make_current(world.context());
  const CUdeviceptr at = world.alloc(mib);
  world.enable_peer_access(second, world.context());
  world.disable_peer_access(second, world.context());
  world.work(CU_STREAM_LEGACY, at, 4096);
  EXPECT_EQ(state_of(world, world.context()), CUDA_SUCCESS);
}

TEST(ShimExpandablePeers, on_the_same_device_that_were_first_take_nothing_away_either) {
  ShimWorld world(expandable());
  const CUcontext second = world.make_context();
  world.make_current(world.context());
  world.enable_peer_access(second, world.context());
  const CUdeviceptr at = world.alloc(mib);
  world.disable_peer_access(second, world.context());
  world.work(CU_STREAM_LEGACY, at, 4096);
  EXPECT_EQ(state_of(world, world.context()), CUDA_SUCCESS);
}

TEST(ShimExpandablePeers, without_the_access_that_was_promised_are_an_error) {
  TwoDevices two;
  two.world.alloc(mib);
  two.world.fail("cuMemSetAccess", CUDA_ERROR_INVALID_DEVICE, 1);
  two.world.enable_peer_access(two.peer, two.world.context());
  CUdeviceptr at = 0;
  EXPECT_EQ(two.world.try_alloc(&at, mib), CUDA_ERROR_INVALID_DEVICE);
}

}  // namespace
}  // namespace vramlab::tests
