// Expandable segments in the shim: what they ask of the driver, and what a program can see of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/shim/setup/expandable_setup.h"
#include "tools/preload/segments/expandable_memory.h"
#include "tools/preload/shim/reports.h"

namespace vramlab::tests {
namespace {

using preload::PreloadMode;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(ShimExpandable, segments_are_made_of_units_and_grow_where_they_are) {
  ShimSetup setup(expandable());
  const CUdeviceptr small = setup.alloc(1000);
  EXPECT_EQ(memory_left(setup), (8ULL << 30) - 2 * mib);
  const CUdeviceptr large = setup.alloc(15 * mib);
  EXPECT_EQ(memory_left(setup), (8ULL << 30) - 22 * mib);
  EXPECT_EQ(setup.alloc(15 * mib), large + 15 * mib);
  EXPECT_EQ(setup.alloc(1000), small + 1024);
  EXPECT_EQ(memory_left(setup), (8ULL << 30) - 42 * mib);
  EXPECT_EQ(setup.calls("cuMemAlloc_v2"), 0U);
  EXPECT_EQ(setup.calls("cuMemAddressReserve"), 2U);
  EXPECT_EQ(setup.calls("cuMemCreate"), 3U);
  EXPECT_EQ(setup.snapshot().segments.size(), 2U);
}

TEST(ShimExpandable, sync_mode_has_them_too) {
  ShimSetup setup(in_mode(PreloadMode::sync, expandable_setting));
  const CUdeviceptr first = setup.alloc(4 * mib);
  setup.work(setup.make_stream(), first, 4 * mib);
  EXPECT_EQ(setup.free(first), CUDA_SUCCESS);
  EXPECT_EQ(setup.alloc(4 * mib), first);
  EXPECT_EQ(setup.calls("cuMemMap"), 1U);
  EXPECT_EQ(setup.races().all(), 0U) << setup.first_race();
}

TEST(ShimExpandable, a_freed_block_waits_for_pending_work) {
  ShimSetup setup(expandable());
  const CUdeviceptr first = setup.alloc(4 * mib);
  setup.work(setup.make_stream(), first, 4 * mib);
  EXPECT_EQ(setup.free(first), CUDA_SUCCESS);
  EXPECT_NE(setup.alloc(4 * mib), first);
  setup.advance(2000000);
  setup.alloc(512);
  EXPECT_EQ(setup.alloc(4 * mib), first);
  EXPECT_EQ(setup.races().all(), 0U) << setup.first_race();
}

TEST(ShimExpandable, out_of_memory_waits_unmaps_and_tries_again) {
  ShimSetup setup(expandable(64 * mib));
  const CUdeviceptr first = setup.alloc(40 * mib);
  setup.work(setup.make_stream(), first, 40 * mib);
  EXPECT_EQ(setup.free(first), CUDA_SUCCESS);
  EXPECT_NE(setup.alloc(1000), 0U);
  EXPECT_NE(setup.alloc(50 * mib), 0U);
  EXPECT_EQ(setup.statistics().num_alloc_retries, 1);
  EXPECT_EQ(setup.calls("cuMemAlloc_v2"), 0U);
  EXPECT_EQ(setup.races().all(), 0U) << setup.first_race();
}

TEST(ShimExpandable, a_request_that_fits_alone_is_not_refused_for_its_unit) {
  ShimSetup setup(expandable(24 * mib));
  setup.alloc(15 * mib);
  const std::uint64_t before = memory_left(setup);
  const CUdeviceptr at = setup.alloc(4 * mib + 1000 * kib);
  setup.alloc(2 * mib);
  EXPECT_EQ(before, 4 * mib);
  EXPECT_EQ(setup.calls("cuMemAlloc_v2"), 1U);
  EXPECT_EQ(setup.free(at), CUDA_SUCCESS);
}

TEST(ShimExpandable, free_memory_includes_what_is_cached) {
  ShimSetup setup(expandable());
  const std::size_t before = setup.free_memory();
  const CUdeviceptr at = setup.alloc(5 * mib);
  EXPECT_EQ(setup.free_memory(), before - 5 * mib);
  EXPECT_EQ(setup.free(at), CUDA_SUCCESS);
  EXPECT_EQ(setup.free_memory(), before);
}

TEST(ShimExpandable, only_what_is_held_can_be_freed) {
  ShimSetup setup(expandable());
  const CUdeviceptr at = setup.alloc(5 * mib);
  EXPECT_EQ(setup.shim().mem_free(at + 512), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(setup.shim().mem_free(at + 5 * mib), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(setup.shim().mem_free(at + 100 * mib), CUDA_ERROR_INVALID_VALUE) << "not mapped";
  EXPECT_EQ(setup.free(at), CUDA_SUCCESS);
  EXPECT_EQ(setup.shim().mem_free(at), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(setup.calls("cuMemFree_v2"), 0U);
}

// The effects that a program can see.

TEST(ShimExpandableMemory, has_no_legacy_handle_for_other_processes) {
  ShimSetup setup(expandable());
  const CUdeviceptr at = setup.alloc(20 * mib);
  CUipcMemHandle handle;
  EXPECT_EQ(setup.shim().ipc_get_mem_handle(&handle, at),
            setup.driver().ipc_mem_handle(&handle, at));
  EXPECT_EQ(setup.calls("cuIpcGetMemHandle"), 2U) << "the driver said so itself";
  EXPECT_EQ(setup.free(at), CUDA_SUCCESS);
  EXPECT_EQ(setup.shim().ipc_get_mem_handle(&handle, at), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(setup.calls("cuIpcGetMemHandle"), 2U) << "nobody holds it";
}

TEST(ShimExpandableMemory, is_described_as_the_units_that_it_is) {
  ShimSetup setup(expandable());
  setup.alloc(mib);
  const CUdeviceptr at = setup.alloc(mib);
  CUdeviceptr base = 0;
  std::size_t bytes = 0;
  const auto range =
      reinterpret_cast<PFN_cuMemGetAddressRange_v3020>(fake_symbol("cuMemGetAddressRange_v2"));
  EXPECT_EQ(range(&base, &bytes, at), CUDA_SUCCESS);
  EXPECT_EQ(base, at - mib);
  EXPECT_EQ(bytes, 2 * mib);
}

TEST(ShimExpandableMemory, that_left_the_process_is_not_used_again_until_all_of_it_did) {
  ShimSetup setup(expandable());
  const CUdeviceptr left = setup.alloc(4 * mib);
  const CUdeviceptr stays = setup.alloc(4 * mib);
  int file = 0;
  for (const CUdeviceptr at : {left, stays})
    ASSERT_EQ(setup.shim().handle_for_address_range(&file, at, 4 * mib,
                                                    CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD, 0),
              CUDA_SUCCESS);
  EXPECT_EQ(setup.free(left), CUDA_SUCCESS);
  EXPECT_EQ(setup.shim().mem_free(left), CUDA_ERROR_INVALID_VALUE);
  EXPECT_NE(setup.alloc(3 * mib), left);
  const std::uint64_t unmaps = setup.calls("cuMemUnmap");
  EXPECT_EQ(unmaps, 0U);
}

TEST(ShimExpandableMemory, that_left_the_process_altogether_goes_to_the_driver) {
  ShimSetup setup(expandable());
  const CUdeviceptr at = setup.alloc(4 * mib);
  int file = 0;
  ASSERT_EQ(setup.shim().handle_for_address_range(&file, at, 4 * mib,
                                                  CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD, 0),
            CUDA_SUCCESS);
  EXPECT_EQ(setup.free(at), CUDA_SUCCESS);
  EXPECT_EQ(setup.calls("cuMemUnmap"), 1U);
  EXPECT_EQ(memory_left(setup), 8ULL << 30);
}

TEST(ShimExpandableMemory, is_called_expandable_in_a_snapshot) {
  ShimSetup setup(expandable());
  setup.alloc(mib);
  EXPECT_THAT(shim::snapshot_json({{0, setup.statistics(), setup.snapshot()}}, expandable_setting,
                                  setup.shim().arenas()->stacks()),
              HasSubstr("\"is_expandable\": true"));
}

// Contexts, captures, processes.

TEST(ShimExpandable, memory_that_does_not_go_with_its_context_is_given_back) {
  ShimSetup setup(expandable());
  const CUdeviceptr at = setup.alloc(30 * mib);
  EXPECT_EQ(setup.free(setup.alloc(mib)), CUDA_SUCCESS);
  setup.destroy_context(setup.context());
  EXPECT_EQ(memory_left(setup), 8ULL << 30);
  EXPECT_EQ(setup.calls("cuMemAddressFree"), 2U);
  EXPECT_NE(setup.shim().mem_free(at), CUDA_SUCCESS);
  setup.make_current(setup.make_context());
  EXPECT_NE(setup.alloc(mib), 0U);
}

TEST(ShimExpandable, memory_of_a_context_that_went_unnoticed_is_given_back) {
  ShimSetup setup(expandable());
  EXPECT_EQ(setup.free(setup.alloc(mib)), CUDA_SUCCESS);
  ASSERT_EQ(
      reinterpret_cast<PFN_cuCtxDestroy_v4000>(fake_symbol("cuCtxDestroy_v2"))(setup.context()),
      CUDA_SUCCESS);
  setup.make_current(setup.make_context());
  setup.alloc(mib);
  EXPECT_EQ(memory_left(setup), (8ULL << 30) - 2 * mib);
}

TEST(ShimExpandable, nothing_is_mapped_in_a_capture) {
  ShimSetup setup(expandable());
  setup.alloc(mib);
  const CUstream stream = setup.make_stream();
  ASSERT_EQ(setup.begin_capture(stream, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
  const CUdeviceptr at = setup.alloc(50 * mib);
  EXPECT_EQ(setup.calls("cuMemMap"), 1U);
  EXPECT_EQ(setup.calls("cuMemAlloc_v2"), 1U);
  EXPECT_EQ(setup.end_capture(stream), CUDA_SUCCESS);
  EXPECT_EQ(setup.free(at), CUDA_SUCCESS);
}

TEST(ShimExpandable, a_request_that_a_capture_overtakes_is_the_drivers) {
  ShimSetup setup(expandable());
  setup.alloc(mib);
  shim::Arena& arena = *setup.shim().arenas()->current();
  arena.context().gate().open_capture();
  CUdeviceptr at = 0;
  EXPECT_EQ(arena.allocate(&at, 50 * mib), CUDA_SUCCESS);
  EXPECT_EQ(setup.calls("cuMemMap"), 1U);
  EXPECT_EQ(setup.calls("cuMemAlloc_v2"), 1U);
  arena.context().gate().close_capture();
  EXPECT_NE(setup.alloc(50 * mib), 0U);
  EXPECT_EQ(setup.calls("cuMemAlloc_v2"), 1U);
}

TEST(ShimExpandable, the_end_makes_no_call_of_the_driver) {
  ShimSetup setup(expandable());
  setup.alloc(mib);
  setup.shim().at_exit();
  EXPECT_EQ(setup.calls("cuMemUnmap") + setup.calls("cuMemRelease"), 0U);
}

// Requests that can't have expandable segments.

TEST(ShimExpandable, the_option_is_said_not_to_be_used_where_memory_cannot_be_mapped) {
  ShimSetupOptions options = expandable();
  options.fake.has_memory_mapping = false;
  std::vector<std::string> said;
  options.shim.say = [&](const std::string& sentence) { said.push_back(sentence); };
  ShimSetup setup(std::move(options));
  setup.alloc(mib);
  setup.alloc(30 * mib);
  EXPECT_THAT(said, ElementsAre("expandable_segments is not used: the driver cannot map memory on "
                                "device 0"));
  EXPECT_EQ(setup.calls("cuMemAlloc_v2"), 2U);
  EXPECT_EQ(setup.calls("cuMemAddressReserve"), 0U);
}

TEST(ShimExpandable, a_driver_without_the_functions_is_one_that_cannot) {
  ShimSetup setup;
  streams::CudaDriver driver = setup.driver();
  EXPECT_EQ(shim::why_not_expandable(driver, 0, {}), std::nullopt);
  driver.mem_map = nullptr;
  EXPECT_EQ(shim::why_not_expandable(driver, 0, {}), "the driver has no cuMemMap");
}

TEST(ShimExpandable, units_that_the_driver_cannot_map_are_said) {
  ShimSetupOptions options = expandable();
  options.fake.granularity = 4 * mib;
  std::vector<std::string> said;
  options.shim.say = [&](const std::string& sentence) { said.push_back(sentence); };
  ShimSetup setup(std::move(options));
  setup.alloc(mib);
  EXPECT_THAT(said,
              ElementsAre(HasSubstr("units of 2097152 bytes are no multiple of the 4194304 that")));
}

}  // namespace
}  // namespace vramlab::tests
