// Expandable segments in the shim: what they ask of the driver, what happens where it refuses, who
// may use the memory, and what a program can see of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/shim/shim_world.h"
#include "tools/preload/shim/expandable_memory.h"
#include "tools/preload/shim/reports.h"

namespace vramlab::tests {
namespace {

using shim::ShimMode;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* setting = "expandable_segments:True";

WorldOptions expandable(std::uint64_t memory = 8ULL << 30, std::uint32_t devices = 1) {
  WorldOptions options = in_mode(ShimMode::deferred, setting);
  options.fake.memory_bytes = memory;
  options.fake.device_count = devices;
  return options;
}

/// What nobody holds, in the driver's eyes.
std::uint64_t memory_left(ShimWorld& world, std::uint32_t device = 0) {
  return world.fake()->look(
      [device](fake::FakeCuda& cuda) { return cuda.memory().info(device).free.count; });
}

CUresult state_of(ShimWorld& world, CUcontext context) {
  world.make_current(context);
  world.advance(10000000);
  return world.driver().context_synchronize();
}

TEST(ShimExpandable, segments_are_made_of_units_and_grow_where_they_are) {
  ShimWorld world(expandable());
  const CUdeviceptr small = world.alloc(1000);
  EXPECT_EQ(memory_left(world), (8ULL << 30) - 2 * mib);
  const CUdeviceptr large = world.alloc(15 * mib);
  EXPECT_EQ(memory_left(world), (8ULL << 30) - 22 * mib);
  EXPECT_EQ(world.alloc(15 * mib), large + 15 * mib);
  EXPECT_EQ(world.alloc(1000), small + 1024);
  EXPECT_EQ(memory_left(world), (8ULL << 30) - 42 * mib);
  EXPECT_EQ(world.calls("cuMemAlloc_v2"), 0U);
  EXPECT_EQ(world.calls("cuMemAddressReserve"), 2U);
  EXPECT_EQ(world.calls("cuMemCreate"), 3U);
  EXPECT_EQ(world.snapshot().segments.size(), 2U);
}

TEST(ShimExpandable, sync_mode_has_them_too) {
  ShimWorld world(in_mode(ShimMode::sync, setting));
  const CUdeviceptr first = world.alloc(4 * mib);
  world.work(world.make_stream(), first, 4 * mib);
  EXPECT_EQ(world.free(first), CUDA_SUCCESS);
  EXPECT_EQ(world.alloc(4 * mib), first);
  EXPECT_EQ(world.calls("cuMemMap"), 1U);
  EXPECT_EQ(world.races().all(), 0U) << world.first_race();
}

TEST(ShimExpandable, a_freed_block_waits_for_pending_work) {
  ShimWorld world(expandable());
  const CUdeviceptr first = world.alloc(4 * mib);
  world.work(world.make_stream(), first, 4 * mib);
  EXPECT_EQ(world.free(first), CUDA_SUCCESS);
  EXPECT_NE(world.alloc(4 * mib), first);
  world.advance(2000000);
  world.alloc(512);
  EXPECT_EQ(world.alloc(4 * mib), first);
  EXPECT_EQ(world.races().all(), 0U) << world.first_race();
}

TEST(ShimExpandable, out_of_memory_waits_unmaps_and_tries_again) {
  ShimWorld world(expandable(64 * mib));
  const CUdeviceptr first = world.alloc(40 * mib);
  world.work(world.make_stream(), first, 40 * mib);
  EXPECT_EQ(world.free(first), CUDA_SUCCESS);
  EXPECT_NE(world.alloc(1000), 0U);
  EXPECT_NE(world.alloc(50 * mib), 0U);
  EXPECT_EQ(world.statistics().num_alloc_retries, 1);
  EXPECT_EQ(world.calls("cuMemAlloc_v2"), 0U);
  EXPECT_EQ(world.races().all(), 0U) << world.first_race();
}

TEST(ShimExpandable, a_request_that_fits_alone_is_not_refused_for_its_unit) {
  ShimWorld world(expandable(24 * mib));
  world.alloc(15 * mib);
  const std::uint64_t before = memory_left(world);
  const CUdeviceptr at = world.alloc(4 * mib + 1000 * kib);
  world.alloc(2 * mib);
  EXPECT_EQ(before, 4 * mib);
  EXPECT_EQ(world.calls("cuMemAlloc_v2"), 1U);
  EXPECT_EQ(world.free(at), CUDA_SUCCESS);
}

TEST(ShimExpandable, free_memory_includes_what_is_cached) {
  ShimWorld world(expandable());
  const std::size_t before = world.free_memory();
  const CUdeviceptr at = world.alloc(5 * mib);
  EXPECT_EQ(world.free_memory(), before - 5 * mib);
  EXPECT_EQ(world.free(at), CUDA_SUCCESS);
  EXPECT_EQ(world.free_memory(), before);
}

TEST(ShimExpandable, only_what_is_held_can_be_freed) {
  ShimWorld world(expandable());
  const CUdeviceptr at = world.alloc(5 * mib);
  EXPECT_EQ(world.shim().mem_free(at + 512), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(world.shim().mem_free(at + 5 * mib), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(world.shim().mem_free(at + 100 * mib), CUDA_ERROR_INVALID_VALUE) << "not mapped";
  EXPECT_EQ(world.free(at), CUDA_SUCCESS);
  EXPECT_EQ(world.shim().mem_free(at), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(world.calls("cuMemFree_v2"), 0U);
}

// Where the driver refuses.

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

TEST(ShimExpandablePeers, without_the_access_that_was_promised_are_an_error) {
  TwoDevices two;
  two.world.alloc(mib);
  two.world.fail("cuMemSetAccess", CUDA_ERROR_INVALID_DEVICE, 1);
  two.world.enable_peer_access(two.peer, two.world.context());
  CUdeviceptr at = 0;
  EXPECT_EQ(two.world.try_alloc(&at, mib), CUDA_ERROR_INVALID_DEVICE);
}

// What a program can see.

TEST(ShimExpandableMemory, has_no_legacy_handle_for_other_processes) {
  ShimWorld world(expandable());
  const CUdeviceptr at = world.alloc(20 * mib);
  CUipcMemHandle handle;
  EXPECT_EQ(world.shim().ipc_get_mem_handle(&handle, at),
            world.driver().ipc_mem_handle(&handle, at));
  EXPECT_EQ(world.calls("cuIpcGetMemHandle"), 2U) << "the driver said so itself";
  EXPECT_EQ(world.free(at), CUDA_SUCCESS);
  EXPECT_EQ(world.shim().ipc_get_mem_handle(&handle, at), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(world.calls("cuIpcGetMemHandle"), 2U) << "nobody holds it";
}

TEST(ShimExpandableMemory, is_described_as_the_units_that_it_is) {
  ShimWorld world(expandable());
  world.alloc(mib);
  const CUdeviceptr at = world.alloc(mib);
  CUdeviceptr base = 0;
  std::size_t bytes = 0;
  const auto range =
      reinterpret_cast<PFN_cuMemGetAddressRange_v3020>(fake_symbol("cuMemGetAddressRange_v2"));
  EXPECT_EQ(range(&base, &bytes, at), CUDA_SUCCESS);
  EXPECT_EQ(base, at - mib);
  EXPECT_EQ(bytes, 2 * mib);
}

TEST(ShimExpandableMemory, that_left_the_process_is_not_used_again_until_all_of_it_did) {
  ShimWorld world(expandable());
  const CUdeviceptr left = world.alloc(4 * mib);
  const CUdeviceptr stays = world.alloc(4 * mib);
  int file = 0;
  for (const CUdeviceptr at : {left, stays})
    ASSERT_EQ(world.shim().handle_for_address_range(&file, at, 4 * mib,
                                                    CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD, 0),
              CUDA_SUCCESS);
  EXPECT_EQ(world.free(left), CUDA_SUCCESS);
  EXPECT_EQ(world.shim().mem_free(left), CUDA_ERROR_INVALID_VALUE);
  EXPECT_NE(world.alloc(3 * mib), left);
  const std::uint64_t unmaps = world.calls("cuMemUnmap");
  EXPECT_EQ(unmaps, 0U);
}

TEST(ShimExpandableMemory, that_left_the_process_altogether_goes_to_the_driver) {
  ShimWorld world(expandable());
  const CUdeviceptr at = world.alloc(4 * mib);
  int file = 0;
  ASSERT_EQ(world.shim().handle_for_address_range(&file, at, 4 * mib,
                                                  CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD, 0),
            CUDA_SUCCESS);
  EXPECT_EQ(world.free(at), CUDA_SUCCESS);
  EXPECT_EQ(world.calls("cuMemUnmap"), 1U);
  EXPECT_EQ(memory_left(world), 8ULL << 30);
}

TEST(ShimExpandableMemory, is_called_expandable_in_a_snapshot) {
  ShimWorld world(expandable());
  world.alloc(mib);
  EXPECT_THAT(shim::snapshot_json({{0, world.statistics(), world.snapshot()}}, setting),
              HasSubstr("\"is_expandable\": true"));
}

// Contexts, captures, processes.

TEST(ShimExpandable, memory_that_does_not_go_with_its_context_is_given_back) {
  ShimWorld world(expandable());
  const CUdeviceptr at = world.alloc(30 * mib);
  EXPECT_EQ(world.free(world.alloc(mib)), CUDA_SUCCESS);
  world.destroy_context(world.context());
  EXPECT_EQ(memory_left(world), 8ULL << 30);
  EXPECT_EQ(world.calls("cuMemAddressFree"), 2U);
  EXPECT_NE(world.shim().mem_free(at), CUDA_SUCCESS);
  world.make_current(world.make_context());
  EXPECT_NE(world.alloc(mib), 0U);
}

TEST(ShimExpandable, memory_of_a_context_that_went_unnoticed_is_given_back) {
  ShimWorld world(expandable());
  EXPECT_EQ(world.free(world.alloc(mib)), CUDA_SUCCESS);
  ASSERT_EQ(
      reinterpret_cast<PFN_cuCtxDestroy_v4000>(fake_symbol("cuCtxDestroy_v2"))(world.context()),
      CUDA_SUCCESS);
  world.make_current(world.make_context());
  world.alloc(mib);
  EXPECT_EQ(memory_left(world), (8ULL << 30) - 2 * mib);
}

TEST(ShimExpandable, nothing_is_mapped_in_a_capture) {
  ShimWorld world(expandable());
  world.alloc(mib);
  const CUstream stream = world.make_stream();
  ASSERT_EQ(world.begin_capture(stream, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
  const CUdeviceptr at = world.alloc(50 * mib);
  EXPECT_EQ(world.calls("cuMemMap"), 1U);
  EXPECT_EQ(world.calls("cuMemAlloc_v2"), 1U);
  EXPECT_EQ(world.end_capture(stream), CUDA_SUCCESS);
  EXPECT_EQ(world.free(at), CUDA_SUCCESS);
}

TEST(ShimExpandable, a_request_that_a_capture_overtakes_is_the_drivers) {
  ShimWorld world(expandable());
  world.alloc(mib);
  shim::Arena& arena = *world.shim().arenas()->current();
  arena.context().gate().open_capture();
  CUdeviceptr at = 0;
  EXPECT_EQ(arena.allocate(&at, 50 * mib), CUDA_SUCCESS);
  EXPECT_EQ(world.calls("cuMemMap"), 1U);
  EXPECT_EQ(world.calls("cuMemAlloc_v2"), 1U);
  arena.context().gate().close_capture();
  EXPECT_NE(world.alloc(50 * mib), 0U);
  EXPECT_EQ(world.calls("cuMemAlloc_v2"), 1U);
}

TEST(ShimExpandable, the_end_makes_no_call_of_the_driver) {
  ShimWorld world(expandable());
  world.alloc(mib);
  world.shim().at_exit();
  EXPECT_EQ(world.calls("cuMemUnmap") + world.calls("cuMemRelease"), 0U);
}

// Where it cannot be.

TEST(ShimExpandable, the_option_is_said_not_to_be_used_where_memory_cannot_be_mapped) {
  WorldOptions options = expandable();
  options.fake.has_memory_mapping = false;
  std::vector<std::string> said;
  options.shim.say = [&](const std::string& sentence) { said.push_back(sentence); };
  ShimWorld world(std::move(options));
  world.alloc(mib);
  world.alloc(30 * mib);
  EXPECT_THAT(said, ElementsAre("expandable_segments is not used: the driver cannot map memory on "
                                "device 0"));
  EXPECT_EQ(world.calls("cuMemAlloc_v2"), 2U);
  EXPECT_EQ(world.calls("cuMemAddressReserve"), 0U);
}

TEST(ShimExpandable, a_driver_without_the_functions_is_one_that_cannot) {
  ShimWorld world;
  streams::CudaDriver driver = world.driver();
  EXPECT_EQ(shim::why_not_expandable(driver, 0, {}), std::nullopt);
  driver.mem_map = nullptr;
  EXPECT_EQ(shim::why_not_expandable(driver, 0, {}), "the driver has no cuMemMap");
}

TEST(ShimExpandable, units_that_the_driver_cannot_map_are_said) {
  WorldOptions options = expandable();
  options.fake.granularity = 4 * mib;
  std::vector<std::string> said;
  options.shim.say = [&](const std::string& sentence) { said.push_back(sentence); };
  ShimWorld world(std::move(options));
  world.alloc(mib);
  EXPECT_THAT(said,
              ElementsAre(HasSubstr("units of 2097152 bytes are no multiple of the 4194304 that")));
}

}  // namespace
}  // namespace vramlab::tests
