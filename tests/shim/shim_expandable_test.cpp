// Expandable segments in the shim: what they ask of the driver, and what a program can see of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/shim/world/expandable_world.h"
#include "tools/preload/segments/expandable_memory.h"
#include "tools/preload/shim/reports.h"

namespace vramlab::tests {
namespace {

using preload::PreloadMode;
using testing::ElementsAre;
using testing::HasSubstr;

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
  ShimWorld world(in_mode(PreloadMode::sync, expandable_setting));
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
  EXPECT_THAT(shim::snapshot_json({{0, world.statistics(), world.snapshot()}}, expandable_setting),
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

// Requests that can't have expandable segments.

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
