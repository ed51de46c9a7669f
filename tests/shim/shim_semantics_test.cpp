// What a program may rely on with cuMemAlloc and cuMemFree, and what a cache behind them must
// keep: one test for each row of the shim's table of semantics.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/shim/world/shim_world.h"

namespace vramlab::tests {
namespace {

using preload::PreloadMode;

TEST(ShimSemantics, a_freed_block_waits_for_pending_work) {
  ShimWorld world;
  const CUdeviceptr first = world.alloc(4 * mib);
  world.work(world.make_stream(), first, 4 * mib);
  EXPECT_EQ(world.free(first), CUDA_SUCCESS);
  EXPECT_NE(world.alloc(4 * mib), first);
  world.advance(2000000);
  world.alloc(512);
  EXPECT_EQ(world.alloc(4 * mib), first);
  EXPECT_EQ(world.races().all(), 0U) << world.first_race();
}

TEST(ShimSemantics, a_free_in_sync_mode_ends_after_pending_work) {
  ShimWorld world(in_mode(PreloadMode::sync));
  const CUdeviceptr first = world.alloc(4 * mib);
  world.work(world.make_stream(), first, 4 * mib);
  EXPECT_EQ(world.free(first), CUDA_SUCCESS);
  EXPECT_EQ(world.alloc(4 * mib), first);
  EXPECT_EQ(world.races().all(), 0U) << world.first_race();
  EXPECT_EQ(world.calls("cuCtxSynchronize"), 1U);
}

TEST(ShimSemantics, a_free_in_deferred_mode_waits_for_nothing) {
  ShimWorld world;
  const CUdeviceptr first = world.alloc(4 * mib);
  world.work(world.make_stream(), first, 4 * mib);
  EXPECT_EQ(world.free(first), CUDA_SUCCESS);
  EXPECT_EQ(world.calls("cuCtxSynchronize"), 0U);
  EXPECT_EQ(world.calls("cuEventSynchronize"), 0U);
}

TEST(ShimSemantics, contents_are_not_touched) {
  ShimWorld world;
  EXPECT_EQ(world.free(world.alloc(mib)), CUDA_SUCCESS);
  world.alloc(mib);
  EXPECT_EQ(world.calls("cuMemsetD8_v2"), 0U);
}

TEST(ShimSemantics, fresh_blocks_are_filled_where_asked_for) {
  WorldOptions options;
  options.shim.fill = static_cast<unsigned char>(0xa5);
  ShimWorld world(std::move(options));
  world.alloc(mib);
  EXPECT_EQ(world.calls("cuMemsetD8_v2"), 1U);
}

TEST(ShimSemantics, blocks_are_aligned_to_512_bytes) {
  ShimWorld world;
  for (const std::size_t bytes : {1UL, 513UL, 100000UL, mib + 1, 7 * mib + 3})
    EXPECT_EQ(world.alloc(bytes) % 512, 0U) << bytes;
}

TEST(ShimSemantics, large_blocks_of_nosplit_are_aligned_to_2_mib) {
  ShimWorld world(in_mode(PreloadMode::nosplit));
  world.alloc(100);
  for (const std::size_t bytes : {mib, mib + 1, 5 * mib + 3})
    EXPECT_EQ(world.alloc(bytes) % (2 * mib), 0U) << bytes;
}

TEST(ShimSemantics, free_memory_includes_what_is_cached) {
  ShimWorld world;
  const std::size_t before = world.free_memory();
  const CUdeviceptr at = world.alloc(5 * mib);
  EXPECT_EQ(world.free_memory(), before - 5 * mib);
  EXPECT_EQ(world.free(at), CUDA_SUCCESS);
  EXPECT_EQ(world.free_memory(), before);
  EXPECT_LE(world.free_memory(), world.total_memory());
}

TEST(ShimSemantics, free_memory_includes_what_is_freed_under_pending_work) {
  ShimWorld world;
  const std::size_t before = world.free_memory();
  const CUdeviceptr at = world.alloc(5 * mib);
  world.work(world.make_stream(), at, 5 * mib);
  EXPECT_EQ(world.free(at), CUDA_SUCCESS);
  EXPECT_EQ(world.free_memory(), before);
}

TEST(ShimSemantics, null_outputs_of_memory_info_are_the_drivers_to_judge) {
  ShimWorld world;
  std::size_t value = 0;
  world.alloc(mib);
  EXPECT_EQ(world.shim().mem_get_info(nullptr, &value),
            world.driver().mem_get_info(nullptr, &value));
  EXPECT_EQ(world.shim().mem_get_info(&value, nullptr),
            world.driver().mem_get_info(&value, nullptr));
}

TEST(ShimSemantics, out_of_memory_waits_releases_and_tries_again) {
  ShimWorld world(with_memory(64 * mib));
  const CUdeviceptr first = world.alloc(40 * mib);
  world.work(world.make_stream(), first, 40 * mib);
  EXPECT_EQ(world.free(first), CUDA_SUCCESS);
  EXPECT_NE(world.alloc(50 * mib), 0U);
  EXPECT_EQ(world.statistics().num_alloc_retries, 1);
  EXPECT_EQ(world.races().all(), 0U) << world.first_race();
  EXPECT_EQ(world.races().freed_in_use_but_waited, 0U);
}

TEST(ShimSemantics, out_of_memory_is_the_drivers_own_error) {
  ShimWorld world(with_memory(64 * mib));
  CUdeviceptr at = 77;
  EXPECT_EQ(world.try_alloc(&at, 100 * mib), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(at, 77U);
  EXPECT_NE(world.alloc(mib), 0U);
}

TEST(ShimSemantics, a_request_that_fits_alone_is_not_refused_for_its_segment) {
  ShimWorld world(with_memory(24 * mib));
  world.alloc(5 * mib);   // From a segment of 20 MiB.
  world.alloc(13 * mib);  // Its rest.
  const CUdeviceptr at = world.alloc(3 * mib);
  EXPECT_EQ(world.free(at), CUDA_SUCCESS);
  EXPECT_EQ(world.alloc(3 * mib), at);
}

TEST(ShimSemantics, a_memory_fraction_is_a_limit) {
  WorldOptions options = with_memory(100 * mib);
  options.shim.settings.per_process_memory_fraction = 0.5;
  ShimWorld world(std::move(options));
  CUdeviceptr at = 0;
  EXPECT_EQ(world.try_alloc(&at, 60 * mib), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(world.try_alloc(&at, 40 * mib), CUDA_SUCCESS);
}

TEST(ShimSemantics, an_error_of_the_shims_own_calls_stays) {
  ShimWorld world;
  const CUdeviceptr first = world.alloc(mib);
  const CUdeviceptr second = world.alloc(mib);
  world.fail("cuCtxRecordEvent", CUDA_ERROR_ILLEGAL_ADDRESS, 1);
  EXPECT_EQ(world.free(first), CUDA_ERROR_ILLEGAL_ADDRESS);
  CUdeviceptr at = 0;
  EXPECT_EQ(world.try_alloc(&at, mib), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(world.free(second), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST(ShimSemantics, an_error_that_a_query_meets_stays) {
  ShimWorld world;
  const CUdeviceptr first = world.alloc(mib);
  world.work(world.make_stream(), first, mib);
  EXPECT_EQ(world.free(first), CUDA_SUCCESS);
  world.fail("cuEventQuery", CUDA_ERROR_LAUNCH_FAILED);
  CUdeviceptr at = 0;
  EXPECT_EQ(world.try_alloc(&at, mib), CUDA_ERROR_LAUNCH_FAILED);
  world.fail("nothing", CUDA_SUCCESS);
  EXPECT_EQ(world.try_alloc(&at, mib), CUDA_ERROR_LAUNCH_FAILED);
}

TEST(ShimSemantics, an_error_of_the_drivers_allocation_is_told) {
  ShimWorld world;
  world.fail("cuMemAlloc_v2", CUDA_ERROR_ECC_UNCORRECTABLE, 1);
  CUdeviceptr at = 0;
  EXPECT_EQ(world.try_alloc(&at, mib), CUDA_ERROR_ECC_UNCORRECTABLE);
  EXPECT_EQ(world.try_alloc(&at, mib), CUDA_ERROR_ECC_UNCORRECTABLE);
}

TEST(ShimSemantics, an_event_without_memory_for_it_is_waited_for_instead) {
  ShimWorld world;
  const CUdeviceptr first = world.alloc(4 * mib);
  world.work(world.make_stream(), first, 4 * mib);
  world.fail("cuEventCreate", CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(world.free(first), CUDA_SUCCESS);
  EXPECT_EQ(world.alloc(4 * mib), first);
  EXPECT_EQ(world.races().all(), 0U) << world.first_race();
}

TEST(ShimSemantics, size_0_and_a_null_output_are_the_drivers_to_judge) {
  ShimWorld world;
  CUdeviceptr at = 77;
  EXPECT_EQ(world.shim().mem_alloc(&at, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(at, 77U);
  EXPECT_EQ(world.shim().mem_alloc(nullptr, mib), CUDA_ERROR_INVALID_VALUE);
}

TEST(ShimSemantics, freeing_null_is_the_drivers_to_judge) {
  ShimWorld world;
  EXPECT_EQ(world.shim().mem_free(0), CUDA_SUCCESS);
  EXPECT_EQ(world.calls("cuMemFree_v2"), 1U);
}

TEST(ShimSemantics, a_block_cannot_be_freed_twice) {
  ShimWorld world;
  const CUdeviceptr at = world.alloc(mib);
  EXPECT_EQ(world.free(at), CUDA_SUCCESS);
  EXPECT_EQ(world.shim().mem_free(at), CUDA_ERROR_INVALID_VALUE);
  world.alloc(5 * mib);
  EXPECT_EQ(world.shim().mem_free(at), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(world.calls("cuMemFree_v2"), 0U);
}

TEST(ShimSemantics, a_pointer_into_a_block_cannot_be_freed) {
  ShimWorld world;
  const CUdeviceptr at = world.alloc(mib);
  const allocator::Snapshot before = world.snapshot();
  EXPECT_EQ(world.shim().mem_free(at + 512), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(world.shim().mem_free(at + mib), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(world.snapshot(), before);
  EXPECT_EQ(world.free(at), CUDA_SUCCESS);
}

TEST(ShimSemantics, foreign_memory_goes_to_the_driver) {
  ShimWorld world;
  world.alloc(mib);
  CUdeviceptr foreign = 0;
  ASSERT_EQ(world.driver().mem_alloc(&foreign, 3 * mib), CUDA_SUCCESS);
  EXPECT_EQ(world.shim().mem_free(foreign), CUDA_SUCCESS);
  EXPECT_EQ(world.shim().mem_free(foreign), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(world.shim().mem_free(0x1234), CUDA_ERROR_INVALID_VALUE);
}

TEST(ShimSemantics, a_free_in_stream_order_waits_for_that_stream_alone) {
  ShimWorld world;
  const CUstream quick = world.make_stream();
  const CUdeviceptr first = world.alloc(4 * mib);
  world.work(world.make_stream(), world.alloc(2 * mib), 2 * mib, 1000000000);
  world.work(quick, first, 4 * mib, 1000);
  EXPECT_EQ(world.free_on(first, quick), CUDA_SUCCESS);
  EXPECT_NE(world.alloc(4 * mib), first);
  world.advance(2000);
  world.alloc(512);
  EXPECT_EQ(world.alloc(4 * mib), first);
  EXPECT_EQ(world.races().all(), 0U) << world.first_race();
}

TEST(ShimSemantics, a_free_in_stream_order_on_no_stream_is_refused) {
  ShimWorld world;
  const CUdeviceptr at = world.alloc(mib);
  EXPECT_NE(world.shim().mem_free_async(at, {reinterpret_cast<CUstream>(0x999)}), CUDA_SUCCESS);
  EXPECT_EQ(world.free(at), CUDA_SUCCESS);
}

TEST(ShimSemantics, a_block_waits_for_peers_that_may_use_it) {
  WorldOptions options;
  options.fake.device_count = 2;
  ShimWorld world(std::move(options));
  const CUcontext peer = world.make_context(1);
  world.enable_peer_access(peer, world.context());
  const CUstream far = world.make_stream();  // The peer is current.
  world.make_current(world.context());
  const CUdeviceptr at = world.alloc(4 * mib);
  world.make_current(peer);
  world.work(far, at, 4 * mib);
  world.make_current(world.context());
  EXPECT_EQ(world.free(at), CUDA_SUCCESS);
  EXPECT_NE(world.alloc(4 * mib), at);
  EXPECT_EQ(world.races().all(), 0U) << world.first_race();
  EXPECT_EQ(world.calls("cuCtxRecordEvent"), 2U);
}

TEST(ShimSemantics, a_destroyed_context_takes_its_cache_along) {
  ShimWorld world;
  const CUdeviceptr at = world.alloc(mib);
  EXPECT_EQ(world.free(world.alloc(mib)), CUDA_SUCCESS);
  world.destroy_context(world.context());
  const std::uint64_t calls = world.calls("cuMemFree_v2");
  EXPECT_NE(world.shim().mem_free(at), CUDA_SUCCESS);
  EXPECT_EQ(world.calls("cuMemFree_v2"), calls + 1) << "the driver judges it";
  world.make_current(world.make_context());
  EXPECT_NE(world.alloc(mib), 0U);
}

TEST(ShimSemantics, a_context_that_went_unnoticed_is_not_taken_for_its_successor) {
  ShimWorld world;
  const CUdeviceptr at = world.alloc(mib);
  EXPECT_EQ(world.free(at), CUDA_SUCCESS);
  ASSERT_EQ(
      reinterpret_cast<PFN_cuCtxDestroy_v4000>(fake_symbol("cuCtxDestroy_v2"))(world.context()),
      CUDA_SUCCESS);
  world.make_current(world.make_context());
  world.alloc(mib);
  EXPECT_EQ(world.driver_allocations(), 1U) << "nothing of the old cache is handed out";
}

TEST(ShimSemantics, a_context_is_not_dropped_for_one_that_had_its_handle) {
  ShimWorld world;
  world.alloc(mib);
  unsigned long long gone = 0;
  ASSERT_EQ(world.driver().context_id(world.context(), &gone), CUDA_SUCCESS);
  ASSERT_EQ(
      reinterpret_cast<PFN_cuCtxDestroy_v4000>(fake_symbol("cuCtxDestroy_v2"))(world.context()),
      CUDA_SUCCESS);
  // Another thread is quicker than the one that is still to tell.
  const CUcontext next = world.make_context();
  ASSERT_EQ(next, world.context()) << "handles are used again";
  world.alloc(mib / 2);
  const CUdeviceptr at = world.alloc(mib / 2);
  world.shim().context_gone({next, gone});
  EXPECT_EQ(world.free(at), CUDA_SUCCESS);
  EXPECT_EQ(world.alloc(mib / 2), at);
}

TEST(ShimSemantics, each_context_has_a_cache_of_its_own) {
  WorldOptions options;
  options.fake.device_count = 2;
  ShimWorld world(std::move(options));
  const CUdeviceptr here = world.alloc(mib);
  world.make_current(world.make_context(1));
  const CUdeviceptr there = world.alloc(mib);
  EXPECT_EQ(world.free(here), CUDA_SUCCESS) << "from another context";
  EXPECT_NE(world.alloc(mib), here);
  EXPECT_EQ(world.free(there), CUDA_SUCCESS);
  world.make_current(world.context());
  EXPECT_EQ(world.alloc(mib), here);
}

TEST(ShimSemantics, without_a_context_the_driver_answers) {
  ShimWorld world;
  const CUdeviceptr held = world.alloc(mib);
  world.make_current(nullptr);
  CUdeviceptr at = 0;
  EXPECT_EQ(world.try_alloc(&at, mib), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(world.free(held), CUDA_SUCCESS) << "the block knows its context";
  EXPECT_EQ(world.calls("cuCtxRecordEvent"), 1U);
}

TEST(ShimSemantics, a_driver_that_is_gone_says_so) {
  ShimWorld world;
  const CUdeviceptr at = world.alloc(mib);
  world.fake()->look([](fake::FakeCuda& cuda) { cuda.tear_down(); });
  EXPECT_EQ(world.shim().mem_free(at), CUDA_ERROR_DEINITIALIZED);
  CUdeviceptr other = 0;
  EXPECT_EQ(world.shim().mem_alloc(&other, mib), CUDA_ERROR_DEINITIALIZED);
}

TEST(ShimSemantics, nosplit_gives_each_block_an_allocation_of_its_own) {
  ShimWorld world(in_mode(PreloadMode::nosplit));
  const CUdeviceptr first = world.alloc(1000);
  world.alloc(1000);
  EXPECT_EQ(world.driver_allocations(), 2U);
  EXPECT_EQ(world.free(first), CUDA_SUCCESS);
  EXPECT_EQ(world.alloc(1000), first);
  EXPECT_EQ(world.driver_allocations(), 2U);
}

TEST(ShimSemantics, nosplit_counts_idle_blocks_as_the_driver_did) {
  ShimWorld world(in_mode(PreloadMode::nosplit));
  const std::size_t before = world.free_memory();
  const CUdeviceptr small = world.alloc(1000);
  const CUdeviceptr large = world.alloc(5 * mib);
  EXPECT_EQ(world.free_memory(), before - 8 * mib);
  world.work(world.make_stream(), large, 5 * mib);
  EXPECT_EQ(world.free(small), CUDA_SUCCESS);
  EXPECT_EQ(world.free(large), CUDA_SUCCESS);
  EXPECT_EQ(world.free_memory(), before);
  world.alloc(512);
  EXPECT_EQ(world.free_memory(), before - 2 * mib) << "now the cache knows of the frees";
}

TEST(ShimSemantics, nosplit_counts_a_piece_of_memory_when_nothing_is_left_in_it) {
  WorldOptions options = in_mode(PreloadMode::nosplit);
  options.fake.granularity = 512;  // Small blocks lie beside each other, as on a GPU.
  ShimWorld world(std::move(options));
  const CUdeviceptr first = world.alloc(1000);
  const CUdeviceptr second = world.alloc(1000);
  ASSERT_EQ(first / (2 * mib), second / (2 * mib));
  const std::size_t before = world.free_memory();
  EXPECT_EQ(world.free(first), CUDA_SUCCESS);
  EXPECT_EQ(world.free_memory(), before);
  EXPECT_EQ(world.free(second), CUDA_SUCCESS);
  EXPECT_EQ(world.free_memory(), std::min(before + 2 * mib, world.total_memory()));
}

TEST(ShimSemantics, nosplit_waits_and_releases_when_memory_is_short) {
  WorldOptions options = with_memory(64 * mib);
  options.shim.mode = PreloadMode::nosplit;
  ShimWorld world(std::move(options));
  const CUdeviceptr first = world.alloc(40 * mib);
  world.work(world.make_stream(), first, 40 * mib);
  EXPECT_EQ(world.free(first), CUDA_SUCCESS);
  EXPECT_NE(world.alloc(50 * mib), 0U);
  EXPECT_EQ(world.races().all(), 0U) << world.first_race();
}

}  // namespace
}  // namespace vramlab::tests
