// Expandable segments where the driver refuses: nothing is left behind, the ladder goes on, and
// what lasts is told. And who may use the memory.
#include <gtest/gtest.h>

#include "tests/shim/setup/expandable_setup.h"

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
  ShimSetup setup(expandable());
  setup.alloc(1000);
  const CUdeviceptr cached = setup.alloc(5 * mib);
  EXPECT_EQ(setup.free(cached), CUDA_SUCCESS);
  const std::uint64_t before = memory_left(setup);
  // A refusal for want of memory is tried once more before the cache is released.
  const std::uint64_t times = refusal.result == CUDA_ERROR_OUT_OF_MEMORY ? 2 : 1;
  setup.fail(refusal.function, refusal.result, times, refusal.skipped);
  const CUdeviceptr at = setup.alloc(70 * mib);
  setup.work(CU_STREAM_LEGACY, at, 70 * mib);
  EXPECT_EQ(state_of(setup, setup.context()), CUDA_SUCCESS);
  EXPECT_EQ(setup.calls("cuMemAlloc_v2"), 0U);
  EXPECT_EQ(memory_left(setup) + 80 * mib, before + 20 * mib);
  EXPECT_EQ(setup.free(at), CUDA_SUCCESS);
  EXPECT_EQ(setup.races().all(), 0U) << setup.first_race();
}

TEST_P(ShimExpandableRefusals, that_last_leave_nothing_behind_and_the_driver_is_asked) {
  const Refusal& refusal = GetParam();
  ShimSetup setup(expandable());
  setup.fail(refusal.function, refusal.result, ~0ULL, refusal.skipped);
  for (const std::uint64_t bytes : {70 * mib, 90 * mib}) {
    const std::uint64_t before = memory_left(setup);
    const std::uint64_t asked = setup.calls("cuMemAlloc_v2");
    const CUdeviceptr at = setup.alloc(bytes);
    EXPECT_EQ(memory_left(setup), before - bytes) << "nothing else is held";
    EXPECT_EQ(setup.calls("cuMemAlloc_v2"), asked + 1);
    setup.work(CU_STREAM_LEGACY, at, bytes);
    EXPECT_EQ(state_of(setup, setup.context()), CUDA_SUCCESS);
    EXPECT_EQ(setup.free(at), CUDA_SUCCESS);
    EXPECT_EQ(memory_left(setup), before);
  }
  setup.fail("nothing", CUDA_SUCCESS);
  const std::uint64_t asked = setup.calls("cuMemAlloc_v2");
  EXPECT_NE(setup.alloc(70 * mib), 0U);
  EXPECT_EQ(setup.calls("cuMemAlloc_v2"), asked) << "it goes on where the driver does";
  EXPECT_EQ(setup.races().all(), 0U) << setup.first_race();
}

TEST(ShimExpandable, an_error_that_lasts_is_told) {
  for (const char* function :
       {"cuMemAddressReserve", "cuMemCreate", "cuMemMap", "cuMemSetAccess"}) {
    ShimSetup setup(expandable());
    setup.fail(function, CUDA_ERROR_ILLEGAL_ADDRESS, 1);
    CUdeviceptr at = 0;
    EXPECT_EQ(setup.try_alloc(&at, mib), CUDA_ERROR_ILLEGAL_ADDRESS) << function;
    EXPECT_EQ(setup.try_alloc(&at, mib), CUDA_ERROR_ILLEGAL_ADDRESS) << function;
    EXPECT_EQ(memory_left(setup), 8ULL << 30) << function;
  }
}

TEST(ShimExpandable, an_error_in_giving_back_is_told) {
  for (const char* function : {"cuMemUnmap", "cuMemRelease", "cuMemAddressFree"}) {
    ShimSetup setup(expandable(40 * mib));
    EXPECT_EQ(setup.free(setup.alloc(40 * mib)), CUDA_SUCCESS);
    setup.fail(function, CUDA_ERROR_LAUNCH_FAILED, 1);
    CUdeviceptr at = 0;
    EXPECT_EQ(setup.try_alloc(&at, 60 * mib), CUDA_ERROR_LAUNCH_FAILED) << function;
  }
}

TEST(ShimExpandable, units_that_the_driver_may_not_unmap_now_are_unmapped_later) {
  for (const std::uint64_t skipped : {0ULL, 1ULL}) {
    ShimSetup setup(expandable());
    EXPECT_EQ(setup.free(setup.alloc(70 * mib)), CUDA_SUCCESS);
    setup.fail("cuMemUnmap", CUDA_ERROR_NOT_PERMITTED, 1, skipped);
    setup.shim().trim();
    setup.shim().trim();
    EXPECT_EQ(memory_left(setup), 8ULL << 30);
    EXPECT_NE(setup.alloc(mib), 0U);
  }
}

TEST(ShimExpandable, units_whose_undoing_is_put_off_are_used_by_the_next_request) {
  ShimSetup setup(expandable());
  setup.fake()->look([](fake::FakeCuda& cuda) {
    cuda.faults().add({"cuMemSetAccess", CUDA_ERROR_INVALID_DEVICE, 0, 1});
    cuda.faults().add({"cuMemUnmap", CUDA_ERROR_NOT_PERMITTED, 0, 1});
  });
  const CUdeviceptr by_driver = setup.alloc(70 * mib);
  EXPECT_EQ(setup.free(by_driver), CUDA_SUCCESS);
  EXPECT_EQ(setup.free(setup.alloc(70 * mib)), CUDA_SUCCESS);
  setup.shim().trim();
  EXPECT_EQ(memory_left(setup), 8ULL << 30);
}

TEST(ShimExpandable, units_whose_undoing_is_put_off_are_given_back_where_nobody_uses_them) {
  ShimSetup setup(expandable());
  setup.fake()->look([](fake::FakeCuda& cuda) {
    cuda.faults().add({"cuMemSetAccess", CUDA_ERROR_INVALID_DEVICE, 0, 1});
    cuda.faults().add({"cuMemUnmap", CUDA_ERROR_NOT_PERMITTED, 0, 2});
  });
  EXPECT_EQ(setup.free(setup.alloc(70 * mib)), CUDA_SUCCESS);
  setup.shim().trim();
  EXPECT_EQ(memory_left(setup), 8ULL << 30);
}

TEST(ShimExpandable, units_that_the_driver_may_not_unmap_now_are_nobodys_until_then) {
  ShimSetup setup(expandable());
  EXPECT_EQ(setup.free(setup.alloc(70 * mib)), CUDA_SUCCESS);
  // Twice by the trim, and by the request, which wants to map the same addresses.
  setup.fail("cuMemUnmap", CUDA_ERROR_NOT_PERMITTED, 3);
  setup.shim().trim();
  const CUdeviceptr at = setup.alloc(70 * mib);
  setup.shim().trim();
  setup.work(CU_STREAM_LEGACY, at, 70 * mib);
  EXPECT_EQ(setup.races().all(), 0U) << setup.first_race();
  EXPECT_EQ(setup.free(at), CUDA_SUCCESS);
  setup.shim().trim();
  EXPECT_EQ(memory_left(setup), 8ULL << 30);
}

TEST(ShimExpandable, units_of_a_context_that_is_gone_are_unmapped_later_too) {
  for (const bool is_for_room : {false, true}) {
    ShimSetup setup(expandable());
    setup.alloc(30 * mib);
    setup.fail("cuMemUnmap", CUDA_ERROR_NOT_PERMITTED, 1);
    setup.destroy_context(setup.context());
    EXPECT_LT(memory_left(setup), 8ULL << 30);
    if (is_for_room) {
      EXPECT_TRUE(setup.shim().make_room(0));
    } else {
      setup.shim().trim();
    }
    EXPECT_EQ(memory_left(setup), 8ULL << 30);
    EXPECT_EQ(setup.calls("cuMemAddressFree"), 1U);
  }
}

TEST(ShimExpandable, addresses_that_the_driver_may_not_free_now_are_freed_later) {
  ShimSetup setup(expandable());
  EXPECT_EQ(setup.free(setup.alloc(70 * mib)), CUDA_SUCCESS);
  setup.fail("cuMemAddressFree", CUDA_ERROR_NOT_PERMITTED, 1);
  setup.shim().trim();
  EXPECT_EQ(setup.calls("cuMemAddressFree"), 2U);
}

TEST(ShimExpandable, an_error_in_undoing_a_unit_that_was_not_mapped_is_told) {
  ShimSetup setup(expandable());
  setup.fake()->look([](fake::FakeCuda& cuda) {
    cuda.faults().add({"cuMemMap", CUDA_ERROR_INVALID_VALUE, 0, 1});
    cuda.faults().add({"cuMemRelease", CUDA_ERROR_LAUNCH_FAILED, 0, 1});
  });
  CUdeviceptr at = 0;
  EXPECT_EQ(setup.try_alloc(&at, mib), CUDA_ERROR_LAUNCH_FAILED);
}

TEST(ShimExpandable, an_error_in_undoing_is_told) {
  for (const char* function : {"cuMemUnmap", "cuMemRelease"}) {
    ShimSetup setup(expandable(40 * mib));
    setup.fail(function, CUDA_ERROR_LAUNCH_FAILED, 1);
    CUdeviceptr at = 0;
    EXPECT_EQ(setup.try_alloc(&at, 60 * mib), CUDA_ERROR_LAUNCH_FAILED) << function;
  }
}

// The devices that may use the memory.

struct TwoDevices {
  TwoDevices() : setup(expandable(8ULL << 30, 2)), peer(setup.make_context(1)) {
    setup.make_current(setup.context());
  }
  void use_from(CUcontext context, CUdeviceptr at) {
    setup.make_current(context);
    setup.work(CU_STREAM_LEGACY, at, 4096);
    setup.make_current(setup.context());
  }
  ShimSetup setup;
  CUcontext peer;
};

TEST(ShimExpandablePeers, have_no_access_that_nobody_gave_them) {
  TwoDevices two;
  two.use_from(two.peer, two.setup.alloc(mib));
  EXPECT_EQ(two.setup.races().used_without_memory, 1U);
  EXPECT_EQ(state_of(two.setup, two.peer), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST(ShimExpandablePeers, have_access_to_what_is_mapped_before_and_after) {
  TwoDevices two;
  const CUdeviceptr early = two.setup.alloc(mib);
  two.setup.alloc(30 * mib);
  two.setup.enable_peer_access(two.peer, two.setup.context());
  two.use_from(two.peer, early);
  two.use_from(two.peer, two.setup.alloc(50 * mib));
  EXPECT_EQ(state_of(two.setup, two.peer), CUDA_SUCCESS);
  EXPECT_EQ(two.setup.races().all(), 0U) << two.setup.first_race();
}

TEST(ShimExpandablePeers, have_access_before_anything_was_asked_for) {
  TwoDevices two;
  two.setup.enable_peer_access(two.peer, two.setup.context());
  two.use_from(two.peer, two.setup.alloc(mib));
  EXPECT_EQ(state_of(two.setup, two.peer), CUDA_SUCCESS);
}

TEST(ShimExpandablePeers, have_access_to_a_context_of_any_device_that_nothing_is_known_of_yet) {
  TwoDevices two;
  two.setup.enable_peer_access(two.setup.context(), two.peer);
  two.setup.make_current(two.peer);
  const CUdeviceptr at = two.setup.alloc(mib);
  two.use_from(two.peer, at);
  two.use_from(two.setup.context(), at);
  EXPECT_EQ(state_of(two.setup, two.setup.context()), CUDA_SUCCESS);
  EXPECT_EQ(two.setup.races().all(), 0U) << two.setup.first_race();
}

TEST(ShimExpandablePeers, lose_access_to_what_is_mapped_before_and_after) {
  TwoDevices two;
  two.setup.enable_peer_access(two.peer, two.setup.context());
  const CUdeviceptr early = two.setup.alloc(mib);
  two.setup.disable_peer_access(two.peer, two.setup.context());
  two.use_from(two.peer, early);
  two.use_from(two.peer, two.setup.alloc(50 * mib));
  EXPECT_EQ(two.setup.races().used_without_memory, 2U);
  two.use_from(two.setup.context(), early);
  EXPECT_EQ(state_of(two.setup, two.setup.context()), CUDA_SUCCESS) << "the owner keeps it";
}

TEST(ShimExpandablePeers, keep_access_while_another_context_of_the_device_is_a_peer) {
  TwoDevices two;
  const CUcontext second = two.setup.make_context(1);
  two.setup.make_current(two.setup.context());
  const CUdeviceptr at = two.setup.alloc(mib);
  two.setup.enable_peer_access(two.peer, two.setup.context());
  two.setup.enable_peer_access(second, two.setup.context());
  two.setup.disable_peer_access(second, two.setup.context());
  two.use_from(two.peer, at);
  EXPECT_EQ(state_of(two.setup, two.peer), CUDA_SUCCESS);
}

TEST(ShimExpandablePeers, on_the_same_device_take_nothing_away) {
  ShimSetup setup(expandable());
  const CUcontext second = setup.make_context();
  setup.make_current(setup.context());
  const CUdeviceptr at = setup.alloc(mib);
  setup.enable_peer_access(second, setup.context());
  setup.disable_peer_access(second, setup.context());
  setup.work(CU_STREAM_LEGACY, at, 4096);
  EXPECT_EQ(state_of(setup, setup.context()), CUDA_SUCCESS);
}

TEST(ShimExpandablePeers, on_the_same_device_that_were_first_take_nothing_away_either) {
  ShimSetup setup(expandable());
  const CUcontext second = setup.make_context();
  setup.make_current(setup.context());
  setup.enable_peer_access(second, setup.context());
  const CUdeviceptr at = setup.alloc(mib);
  setup.disable_peer_access(second, setup.context());
  setup.work(CU_STREAM_LEGACY, at, 4096);
  EXPECT_EQ(state_of(setup, setup.context()), CUDA_SUCCESS);
}

TEST(ShimExpandablePeers, without_the_access_that_was_promised_are_an_error) {
  TwoDevices two;
  two.setup.alloc(mib);
  two.setup.fail("cuMemSetAccess", CUDA_ERROR_INVALID_DEVICE, 1);
  two.setup.enable_peer_access(two.peer, two.setup.context());
  CUdeviceptr at = 0;
  EXPECT_EQ(two.setup.try_alloc(&at, mib), CUDA_ERROR_INVALID_DEVICE);
}

}  // namespace
}  // namespace vramlab::tests
