// The promises of cuMemAlloc and cuMemFree that programs rely on, which a cache behind them must
// keep: one test for each row of the shim's table of semantics.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/shim/setup/shim_setup.h"

namespace vramlab::tests {
namespace {

using preload::PreloadMode;

TEST(ShimSemantics, a_freed_block_waits_for_pending_work) {
  ShimSetup setup;
  const CUdeviceptr first = setup.alloc(4 * mib);
  setup.work(setup.make_stream(), first, 4 * mib);
  EXPECT_EQ(setup.free(first), CUDA_SUCCESS);
  EXPECT_NE(setup.alloc(4 * mib), first);
  setup.advance(2000000);
  setup.alloc(512);
  EXPECT_EQ(setup.alloc(4 * mib), first);
  EXPECT_EQ(setup.races().all(), 0U) << setup.first_race();
}

TEST(ShimSemantics, a_free_in_sync_mode_ends_after_pending_work) {
  ShimSetup setup(in_mode(PreloadMode::sync));
  const CUdeviceptr first = setup.alloc(4 * mib);
  setup.work(setup.make_stream(), first, 4 * mib);
  EXPECT_EQ(setup.free(first), CUDA_SUCCESS);
  EXPECT_EQ(setup.alloc(4 * mib), first);
  EXPECT_EQ(setup.races().all(), 0U) << setup.first_race();
  EXPECT_EQ(setup.calls("cuCtxSynchronize"), 1U);
}

TEST(ShimSemantics, a_free_in_deferred_mode_waits_for_nothing) {
  ShimSetup setup;
  const CUdeviceptr first = setup.alloc(4 * mib);
  setup.work(setup.make_stream(), first, 4 * mib);
  EXPECT_EQ(setup.free(first), CUDA_SUCCESS);
  EXPECT_EQ(setup.calls("cuCtxSynchronize"), 0U);
  EXPECT_EQ(setup.calls("cuEventSynchronize"), 0U);
}

TEST(ShimSemantics, contents_are_not_touched) {
  ShimSetup setup;
  EXPECT_EQ(setup.free(setup.alloc(mib)), CUDA_SUCCESS);
  setup.alloc(mib);
  EXPECT_EQ(setup.calls("cuMemsetD8_v2"), 0U);
}

TEST(ShimSemantics, fresh_blocks_are_filled_where_asked_for) {
  ShimSetupOptions options;
  options.shim.fill = static_cast<unsigned char>(0xa5);
  ShimSetup setup(std::move(options));
  setup.alloc(mib);
  EXPECT_EQ(setup.calls("cuMemsetD8_v2"), 1U);
}

TEST(ShimSemantics, blocks_are_aligned_to_512_bytes) {
  ShimSetup setup;
  for (const std::size_t bytes : {1UL, 513UL, 100000UL, mib + 1, 7 * mib + 3})
    EXPECT_EQ(setup.alloc(bytes) % 512, 0U) << bytes;
}

TEST(ShimSemantics, large_blocks_of_nosplit_are_aligned_to_2_mib) {
  ShimSetup setup(in_mode(PreloadMode::nosplit));
  setup.alloc(100);
  for (const std::size_t bytes : {mib, mib + 1, 5 * mib + 3})
    EXPECT_EQ(setup.alloc(bytes) % (2 * mib), 0U) << bytes;
}

TEST(ShimSemantics, free_memory_includes_what_is_cached) {
  ShimSetup setup;
  const std::size_t before = setup.free_memory();
  const CUdeviceptr at = setup.alloc(5 * mib);
  EXPECT_EQ(setup.free_memory(), before - 5 * mib);
  EXPECT_EQ(setup.free(at), CUDA_SUCCESS);
  EXPECT_EQ(setup.free_memory(), before);
  EXPECT_LE(setup.free_memory(), setup.total_memory());
}

TEST(ShimSemantics, free_memory_includes_what_is_freed_under_pending_work) {
  ShimSetup setup;
  const std::size_t before = setup.free_memory();
  const CUdeviceptr at = setup.alloc(5 * mib);
  setup.work(setup.make_stream(), at, 5 * mib);
  EXPECT_EQ(setup.free(at), CUDA_SUCCESS);
  EXPECT_EQ(setup.free_memory(), before);
}

TEST(ShimSemantics, null_outputs_of_memory_info_are_the_drivers_to_judge) {
  ShimSetup setup;
  std::size_t value = 0;
  setup.alloc(mib);
  EXPECT_EQ(setup.shim().mem_get_info(nullptr, &value),
            setup.driver().mem_get_info(nullptr, &value));
  EXPECT_EQ(setup.shim().mem_get_info(&value, nullptr),
            setup.driver().mem_get_info(&value, nullptr));
}

TEST(ShimSemantics, out_of_memory_waits_releases_and_tries_again) {
  ShimSetup setup(with_memory(64 * mib));
  const CUdeviceptr first = setup.alloc(40 * mib);
  setup.work(setup.make_stream(), first, 40 * mib);
  EXPECT_EQ(setup.free(first), CUDA_SUCCESS);
  EXPECT_NE(setup.alloc(50 * mib), 0U);
  EXPECT_EQ(setup.statistics().num_alloc_retries, 1);
  EXPECT_EQ(setup.races().all(), 0U) << setup.first_race();
  EXPECT_EQ(setup.races().freed_in_use_but_waited, 0U);
}

TEST(ShimSemantics, out_of_memory_is_the_drivers_own_error) {
  ShimSetup setup(with_memory(64 * mib));
  CUdeviceptr at = 77;
  EXPECT_EQ(setup.try_alloc(&at, 100 * mib), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(at, 77U);
  EXPECT_NE(setup.alloc(mib), 0U);
}

TEST(ShimSemantics, a_request_that_fits_alone_is_not_refused_for_its_segment) {
  ShimSetup setup(with_memory(24 * mib));
  setup.alloc(5 * mib);   // From a segment of 20 MiB.
  setup.alloc(13 * mib);  // Its rest.
  const CUdeviceptr at = setup.alloc(3 * mib);
  EXPECT_EQ(setup.free(at), CUDA_SUCCESS);
  EXPECT_EQ(setup.alloc(3 * mib), at);
}

TEST(ShimSemantics, a_memory_fraction_is_a_limit) {
  ShimSetupOptions options = with_memory(100 * mib);
  options.shim.settings.per_process_memory_fraction = 0.5;
  ShimSetup setup(std::move(options));
  CUdeviceptr at = 0;
  EXPECT_EQ(setup.try_alloc(&at, 60 * mib), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(setup.try_alloc(&at, 40 * mib), CUDA_SUCCESS);
}

TEST(ShimSemantics, an_error_of_the_shims_own_calls_stays) {
  ShimSetup setup;
  const CUdeviceptr first = setup.alloc(mib);
  const CUdeviceptr second = setup.alloc(mib);
  EXPECT_EQ(setup.free(first), CUDA_SUCCESS);
  setup.fail("cuCtxRecordEvent", CUDA_ERROR_ILLEGAL_ADDRESS, 1);
  CUdeviceptr at = 0;
  EXPECT_EQ(setup.try_alloc(&at, mib), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(setup.try_alloc(&at, mib), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(setup.free(second), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST(ShimSemantics, an_error_that_a_query_meets_stays) {
  ShimSetup setup;
  const CUdeviceptr first = setup.alloc(mib);
  setup.work(setup.make_stream(), first, mib);
  EXPECT_EQ(setup.free(first), CUDA_SUCCESS);
  setup.fail("cuEventQuery", CUDA_ERROR_LAUNCH_FAILED);
  CUdeviceptr at = 0;
  EXPECT_EQ(setup.try_alloc(&at, mib), CUDA_ERROR_LAUNCH_FAILED);
  setup.fail("nothing", CUDA_SUCCESS);
  EXPECT_EQ(setup.try_alloc(&at, mib), CUDA_ERROR_LAUNCH_FAILED);
}

TEST(ShimSemantics, an_error_of_the_drivers_allocation_is_told) {
  ShimSetup setup;
  setup.fail("cuMemAlloc_v2", CUDA_ERROR_ECC_UNCORRECTABLE, 1);
  CUdeviceptr at = 0;
  EXPECT_EQ(setup.try_alloc(&at, mib), CUDA_ERROR_ECC_UNCORRECTABLE);
  EXPECT_EQ(setup.try_alloc(&at, mib), CUDA_ERROR_ECC_UNCORRECTABLE);
}

TEST(ShimSemantics, where_there_is_no_memory_for_an_event_the_next_free_waits) {
  ShimSetup setup;
  const CUdeviceptr first = setup.alloc(4 * mib);
  setup.work(setup.make_stream(), first, 4 * mib);
  setup.fail("cuEventCreate", CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(setup.free(first), CUDA_SUCCESS);
  const CUdeviceptr second = setup.alloc(4 * mib);
  EXPECT_NE(second, first) << "a request waits for nothing";
  EXPECT_EQ(setup.free(second), CUDA_SUCCESS);
  EXPECT_EQ(setup.calls("cuCtxSynchronize"), 1U);
  EXPECT_EQ(setup.alloc(8 * mib), first);
  EXPECT_EQ(setup.races().all(), 0U) << setup.first_race();
}

TEST(ShimSemantics, size_0_and_a_null_output_are_the_drivers_to_judge) {
  ShimSetup setup;
  CUdeviceptr at = 77;
  EXPECT_EQ(setup.shim().mem_alloc(&at, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(at, 77U);
  EXPECT_EQ(setup.shim().mem_alloc(nullptr, mib), CUDA_ERROR_INVALID_VALUE);
}

TEST(ShimSemantics, freeing_null_is_the_drivers_to_judge) {
  ShimSetup setup;
  EXPECT_EQ(setup.shim().mem_free(0), CUDA_SUCCESS);
  EXPECT_EQ(setup.calls("cuMemFree_v2"), 1U);
}

TEST(ShimSemantics, a_block_cannot_be_freed_twice) {
  ShimSetup setup;
  const CUdeviceptr at = setup.alloc(mib);
  EXPECT_EQ(setup.free(at), CUDA_SUCCESS);
  EXPECT_EQ(setup.shim().mem_free(at), CUDA_ERROR_INVALID_VALUE);
  setup.alloc(5 * mib);
  EXPECT_EQ(setup.shim().mem_free(at), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(setup.calls("cuMemFree_v2"), 0U);
}

TEST(ShimSemantics, a_pointer_into_a_block_cannot_be_freed) {
  ShimSetup setup;
  const CUdeviceptr at = setup.alloc(mib);
  const allocator::Snapshot before = setup.snapshot();
  EXPECT_EQ(setup.shim().mem_free(at + 512), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(setup.shim().mem_free(at + mib), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(setup.snapshot(), before);
  EXPECT_EQ(setup.free(at), CUDA_SUCCESS);
}

TEST(ShimSemantics, foreign_memory_goes_to_the_driver) {
  ShimSetup setup;
  setup.alloc(mib);
  CUdeviceptr foreign = 0;
  ASSERT_EQ(setup.driver().mem_alloc(&foreign, 3 * mib), CUDA_SUCCESS);
  EXPECT_EQ(setup.shim().mem_free(foreign), CUDA_SUCCESS);
  EXPECT_EQ(setup.shim().mem_free(foreign), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(setup.shim().mem_free(0x1234), CUDA_ERROR_INVALID_VALUE);
}

TEST(ShimSemantics, a_free_in_stream_order_waits_for_that_stream_alone) {
  ShimSetup setup;
  const CUstream quick = setup.make_stream();
  const CUdeviceptr first = setup.alloc(4 * mib);
  setup.work(setup.make_stream(), setup.alloc(2 * mib), 2 * mib, 1000000000);
  setup.work(quick, first, 4 * mib, 1000);
  EXPECT_EQ(setup.free_on(first, quick), CUDA_SUCCESS);
  EXPECT_NE(setup.alloc(4 * mib), first);
  setup.advance(2000);
  setup.alloc(512);
  EXPECT_EQ(setup.alloc(4 * mib), first);
  EXPECT_EQ(setup.races().all(), 0U) << setup.first_race();
}

TEST(ShimSemantics, a_free_in_stream_order_on_no_stream_is_refused) {
  ShimSetup setup;
  const CUdeviceptr at = setup.alloc(mib);
  EXPECT_NE(setup.shim().mem_free_async(at, {reinterpret_cast<CUstream>(0x999)}), CUDA_SUCCESS);
  EXPECT_EQ(setup.free(at), CUDA_SUCCESS);
}

TEST(ShimSemantics, a_block_waits_for_peers_that_may_use_it) {
  ShimSetupOptions options;
  options.fake.device_count = 2;
  ShimSetup setup(std::move(options));
  const CUcontext peer = setup.make_context(1);
  setup.enable_peer_access(peer, setup.context());
  const CUstream far = setup.make_stream();  // The peer is current.
  setup.make_current(setup.context());
  const CUdeviceptr at = setup.alloc(4 * mib);
  setup.make_current(peer);
  setup.work(far, at, 4 * mib);
  setup.make_current(setup.context());
  EXPECT_EQ(setup.free(at), CUDA_SUCCESS);
  EXPECT_NE(setup.alloc(4 * mib), at);
  EXPECT_EQ(setup.races().all(), 0U) << setup.first_race();
  EXPECT_EQ(setup.calls("cuCtxRecordEvent"), 2U);
}

TEST(ShimSemantics, a_destroyed_context_takes_its_cache_along) {
  ShimSetup setup;
  const CUdeviceptr at = setup.alloc(mib);
  EXPECT_EQ(setup.free(setup.alloc(mib)), CUDA_SUCCESS);
  setup.destroy_context(setup.context());
  const std::uint64_t calls = setup.calls("cuMemFree_v2");
  EXPECT_NE(setup.shim().mem_free(at), CUDA_SUCCESS);
  EXPECT_EQ(setup.calls("cuMemFree_v2"), calls + 1) << "the driver judges it";
  setup.make_current(setup.make_context());
  EXPECT_NE(setup.alloc(mib), 0U);
}

TEST(ShimSemantics, a_context_that_went_unnoticed_is_not_taken_for_its_successor) {
  ShimSetup setup;
  const CUdeviceptr at = setup.alloc(mib);
  EXPECT_EQ(setup.free(at), CUDA_SUCCESS);
  ASSERT_EQ(
      reinterpret_cast<PFN_cuCtxDestroy_v4000>(fake_symbol("cuCtxDestroy_v2"))(setup.context()),
      CUDA_SUCCESS);
  setup.make_current(setup.make_context());
  setup.alloc(mib);
  EXPECT_EQ(setup.driver_allocations(), 1U) << "nothing of the old cache is handed out";
}

TEST(ShimSemantics, a_context_is_not_dropped_for_one_that_had_its_handle) {
  ShimSetup setup;
  setup.alloc(mib);
  unsigned long long gone = 0;
  ASSERT_EQ(setup.driver().context_id(setup.context(), &gone), CUDA_SUCCESS);
  ASSERT_EQ(
      reinterpret_cast<PFN_cuCtxDestroy_v4000>(fake_symbol("cuCtxDestroy_v2"))(setup.context()),
      CUDA_SUCCESS);
  // Another thread is quicker than the one that is still to tell.
  const CUcontext next = setup.make_context();
  ASSERT_EQ(next, setup.context()) << "handles are used again";
  setup.alloc(mib / 2);
  const CUdeviceptr at = setup.alloc(mib / 2);
  setup.shim().context_gone({next, gone});
  EXPECT_EQ(setup.free(at), CUDA_SUCCESS);
  EXPECT_EQ(setup.alloc(mib / 2), at);
}

TEST(ShimSemantics, each_context_has_a_cache_of_its_own) {
  ShimSetupOptions options;
  options.fake.device_count = 2;
  ShimSetup setup(std::move(options));
  const CUdeviceptr here = setup.alloc(mib);
  setup.make_current(setup.make_context(1));
  const CUdeviceptr there = setup.alloc(mib);
  EXPECT_EQ(setup.free(here), CUDA_SUCCESS) << "from another context";
  EXPECT_NE(setup.alloc(mib), here);
  EXPECT_EQ(setup.free(there), CUDA_SUCCESS);
  setup.make_current(setup.context());
  EXPECT_EQ(setup.alloc(mib), here);
}

TEST(ShimSemantics, without_a_context_the_driver_answers) {
  ShimSetup setup;
  const CUdeviceptr held = setup.alloc(mib);
  setup.make_current(nullptr);
  CUdeviceptr at = 0;
  EXPECT_EQ(setup.try_alloc(&at, mib), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(setup.free(held), CUDA_SUCCESS) << "the block knows its context";
  setup.make_current(setup.context());
  EXPECT_EQ(setup.alloc(mib), held);
}

TEST(ShimSemantics, a_driver_that_is_gone_says_so) {
  ShimSetup setup;
  const CUdeviceptr at = setup.alloc(mib);
  setup.fake()->look([](fake::FakeCuda& cuda) { cuda.tear_down(); });
  EXPECT_EQ(setup.shim().mem_free(at), CUDA_SUCCESS) << "which takes no call of the driver";
  CUdeviceptr other = 0;
  EXPECT_EQ(setup.shim().mem_alloc(&other, mib), CUDA_ERROR_DEINITIALIZED);
}

TEST(ShimSemantics, nosplit_gives_each_block_an_allocation_of_its_own) {
  ShimSetup setup(in_mode(PreloadMode::nosplit));
  const CUdeviceptr first = setup.alloc(1000);
  setup.alloc(1000);
  EXPECT_EQ(setup.driver_allocations(), 2U);
  EXPECT_EQ(setup.free(first), CUDA_SUCCESS);
  EXPECT_EQ(setup.alloc(1000), first);
  EXPECT_EQ(setup.driver_allocations(), 2U);
}

TEST(ShimSemantics, nosplit_counts_idle_blocks_as_the_driver_did) {
  ShimSetup setup(in_mode(PreloadMode::nosplit));
  const std::size_t before = setup.free_memory();
  const CUdeviceptr small = setup.alloc(1000);
  const CUdeviceptr large = setup.alloc(5 * mib);
  EXPECT_EQ(setup.free_memory(), before - 8 * mib);
  setup.work(setup.make_stream(), large, 5 * mib);
  EXPECT_EQ(setup.free(small), CUDA_SUCCESS);
  EXPECT_EQ(setup.free(large), CUDA_SUCCESS);
  EXPECT_EQ(setup.free_memory(), before);
  setup.alloc(512);
  EXPECT_EQ(setup.free_memory(), before - 2 * mib) << "now the cache knows of the frees";
}

TEST(ShimSemantics, nosplit_counts_a_piece_of_memory_when_nothing_is_left_in_it) {
  ShimSetupOptions options = in_mode(PreloadMode::nosplit);
  options.fake.granularity = 512;  // Small blocks lie beside each other, as on a GPU.
  ShimSetup setup(std::move(options));
  const CUdeviceptr first = setup.alloc(1000);
  const CUdeviceptr second = setup.alloc(1000);
  ASSERT_EQ(first / (2 * mib), second / (2 * mib));
  const std::size_t before = setup.free_memory();
  EXPECT_EQ(setup.free(first), CUDA_SUCCESS);
  EXPECT_EQ(setup.free_memory(), before);
  EXPECT_EQ(setup.free(second), CUDA_SUCCESS);
  EXPECT_EQ(setup.free_memory(), std::min(before + 2 * mib, setup.total_memory()));
}

TEST(ShimSemantics, nosplit_waits_and_releases_when_memory_is_short) {
  ShimSetupOptions options = with_memory(64 * mib);
  options.shim.mode = PreloadMode::nosplit;
  ShimSetup setup(std::move(options));
  const CUdeviceptr first = setup.alloc(40 * mib);
  setup.work(setup.make_stream(), first, 40 * mib);
  EXPECT_EQ(setup.free(first), CUDA_SUCCESS);
  EXPECT_NE(setup.alloc(50 * mib), 0U);
  EXPECT_EQ(setup.races().all(), 0U) << setup.first_race();
}

}  // namespace
}  // namespace vramlab::tests
