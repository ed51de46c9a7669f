// Things that leave the process or stick to memory: handles of blocks, exported ranges and
// synchronous operations, as the shim's table of semantics says.
#include <gtest/gtest.h>

#include "tests/shim/setup/shim_setup.h"

namespace vramlab::tests {
namespace {

using preload::PreloadMode;

TEST(ShimSemantics, handles_of_whole_blocks_are_the_drivers) {
  for (const PreloadMode mode : {PreloadMode::nosplit, PreloadMode::deferred}) {
    ShimSetup setup(in_mode(mode));
    const CUdeviceptr at = setup.alloc(30 * mib);
    CUipcMemHandle handle{};
    EXPECT_EQ(setup.shim().ipc_get_mem_handle(&handle, at), CUDA_SUCCESS);
    EXPECT_EQ(setup.calls("cuIpcGetMemHandle"), 1U);
  }
}

TEST(ShimSemantics, there_is_no_handle_of_a_block_behind_another) {
  ShimSetup setup;
  const CUdeviceptr first = setup.alloc(mib / 2);
  const CUdeviceptr second = setup.alloc(mib / 2);
  CUipcMemHandle handle{};
  EXPECT_EQ(setup.shim().ipc_get_mem_handle(&handle, second), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(setup.calls("cuIpcGetMemHandle"), 0U);
  EXPECT_EQ(setup.shim().ipc_get_mem_handle(&handle, first), CUDA_SUCCESS);
}

TEST(ShimSemantics, an_exported_block_is_freed_for_good) {
  for (const PreloadMode mode : {PreloadMode::nosplit, PreloadMode::deferred}) {
    ShimSetup setup(in_mode(mode));
    const CUdeviceptr at = setup.alloc(30 * mib);
    CUipcMemHandle handle{};
    ASSERT_EQ(setup.shim().ipc_get_mem_handle(&handle, at), CUDA_SUCCESS);
    EXPECT_EQ(setup.free(at), CUDA_SUCCESS);
    EXPECT_EQ(setup.calls("cuMemFree_v2"), 1U);
    EXPECT_EQ(setup.driver_allocations(), 0U);
  }
}

TEST(ShimSemantics, an_exported_part_of_a_segment_is_never_used_again) {
  ShimSetup setup;
  const CUdeviceptr first = setup.alloc(mib / 2);
  const CUdeviceptr second = setup.alloc(mib / 2);
  CUipcMemHandle handle{};
  ASSERT_EQ(setup.shim().ipc_get_mem_handle(&handle, first), CUDA_SUCCESS);
  EXPECT_EQ(setup.free(first), CUDA_SUCCESS);
  EXPECT_EQ(setup.shim().mem_free(first), CUDA_ERROR_INVALID_VALUE);
  for (int i = 0; i < 8; ++i) EXPECT_NE(setup.alloc(mib / 2), first);
  EXPECT_EQ(setup.free(second), CUDA_SUCCESS);
}

TEST(ShimSemantics, a_segment_with_an_exported_part_goes_back_once_the_rest_is_free) {
  ShimSetup setup;
  const CUdeviceptr first = setup.alloc(mib / 2);
  const CUdeviceptr second = setup.alloc(mib / 2);
  CUipcMemHandle handle{};
  ASSERT_EQ(setup.shim().ipc_get_mem_handle(&handle, first), CUDA_SUCCESS);
  EXPECT_EQ(setup.free(first), CUDA_SUCCESS);
  EXPECT_EQ(setup.free(second), CUDA_SUCCESS);
  EXPECT_TRUE(setup.shim().make_room(preload::current_device));
  EXPECT_EQ(setup.driver_allocations(), 0U);
}

TEST(ShimSemantics, memory_with_an_exported_part_serves_a_request_once_the_rest_is_free) {
  ShimSetup setup(with_memory(64 * mib));
  const CUdeviceptr first = setup.alloc(mib / 2);
  const CUdeviceptr second = setup.alloc(mib / 2);
  CUipcMemHandle handle{};
  ASSERT_EQ(setup.shim().ipc_get_mem_handle(&handle, first), CUDA_SUCCESS);
  EXPECT_EQ(setup.free(first), CUDA_SUCCESS);
  EXPECT_EQ(setup.free(second), CUDA_SUCCESS);
  CUdeviceptr at = 0;
  EXPECT_EQ(setup.try_alloc(&at, 64 * mib), CUDA_SUCCESS);
}

TEST(ShimSemantics, the_range_around_an_address_is_what_the_program_asked_for) {
  ShimSetup setup;
  setup.alloc(512);
  const CUdeviceptr at = setup.alloc(80);
  setup.alloc(512);
  CUdeviceptr base = 0;
  std::size_t bytes = 0;
  EXPECT_EQ(setup.shim().mem_get_address_range(&base, &bytes, at + 79), CUDA_SUCCESS);
  EXPECT_EQ(base, at);
  EXPECT_EQ(bytes, 80U);
  EXPECT_EQ(setup.shim().mem_get_address_range(nullptr, &bytes, at), CUDA_SUCCESS);
  EXPECT_EQ(setup.shim().mem_get_address_range(&base, &bytes, at + 80), CUDA_ERROR_NOT_FOUND);

  base = 0;
  bytes = 0;
  EXPECT_EQ(
      setup.shim().pointer_get_attribute(&base, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, at + 8),
      CUDA_SUCCESS);
  EXPECT_EQ(setup.shim().pointer_get_attribute(&bytes, CU_POINTER_ATTRIBUTE_RANGE_SIZE, at + 8),
            CUDA_SUCCESS);
  EXPECT_EQ(base, at);
  EXPECT_EQ(bytes, 80U);
  EXPECT_EQ(setup.shim().pointer_get_attribute(&base, CU_POINTER_ATTRIBUTE_CONTEXT, at),
            std::nullopt);

  EXPECT_EQ(setup.free(at), CUDA_SUCCESS);
  EXPECT_EQ(setup.shim().mem_get_address_range(&base, &bytes, at), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(setup.shim().mem_get_address_range(&base, &bytes, 4096), std::nullopt);
}

TEST(ShimSemantics, several_attributes_of_an_address_have_the_same_range) {
  ShimSetup setup;
  setup.alloc(512);
  const CUdeviceptr at = setup.alloc(80);
  CUpointer_attribute attributes[] = {CU_POINTER_ATTRIBUTE_RANGE_SIZE,
                                      CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
                                      CU_POINTER_ATTRIBUTE_CONTEXT};
  std::size_t bytes = 0;
  CUdeviceptr base = 0;
  CUcontext context = nullptr;
  void* into[] = {&bytes, &base, &context};
  ASSERT_EQ(setup.shim().pointer_get_attributes(3, attributes, into, at + 1), CUDA_SUCCESS);
  EXPECT_EQ(bytes, 80U);
  EXPECT_EQ(base, at);
  EXPECT_EQ(context, setup.context());
}

TEST(ShimSemantics, a_block_with_synchronous_operations_is_never_used_again) {
  ShimSetup setup;
  const CUdeviceptr at = setup.alloc(4 * mib);
  const CUdeviceptr neighbour = setup.alloc(4 * mib);
  int yes = 1;
  ASSERT_EQ(setup.shim().pointer_set_attribute(&yes, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, at),
            CUDA_SUCCESS);
  EXPECT_EQ(setup.free(at), CUDA_SUCCESS);
  EXPECT_NE(setup.alloc(4 * mib), at);
  EXPECT_EQ(setup.free(neighbour), CUDA_SUCCESS);
}

TEST(ShimSemantics, a_retired_block_goes_to_the_driver_when_nothing_else_is_in_its_segment) {
  ShimSetup setup;
  const CUdeviceptr at = setup.alloc(4 * mib);
  int yes = 1;
  ASSERT_EQ(setup.shim().pointer_set_attribute(&yes, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, at),
            CUDA_SUCCESS);
  EXPECT_EQ(setup.free(at), CUDA_SUCCESS);
  EXPECT_EQ(setup.driver_allocations(), 0U);
}

TEST(ShimSemantics, a_retired_block_can_be_freed_without_a_context) {
  ShimSetup setup;
  const CUdeviceptr at = setup.alloc(30 * mib);
  CUipcMemHandle handle{};
  ASSERT_EQ(setup.shim().ipc_get_mem_handle(&handle, at), CUDA_SUCCESS);
  setup.make_current(nullptr);
  EXPECT_EQ(setup.free(at), CUDA_SUCCESS);
  setup.make_current(setup.context());
  EXPECT_EQ(setup.driver_allocations(), 0U);
  EXPECT_NE(setup.alloc(mib), 0U);
}

TEST(ShimSemantics, what_is_said_of_a_freed_block_does_not_stick_to_the_next_one) {
  ShimSetup setup;
  const CUdeviceptr at = setup.alloc(4 * mib);
  setup.alloc(4 * mib);  // Keeps the segment.
  EXPECT_EQ(setup.free(at), CUDA_SUCCESS);
  int yes = 1;
  setup.shim().pointer_set_attribute(&yes, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, at);
  ASSERT_EQ(setup.alloc(4 * mib), at);
  EXPECT_EQ(setup.free(at), CUDA_SUCCESS);
  EXPECT_EQ(setup.alloc(4 * mib), at);
}

TEST(ShimSemantics, a_range_that_was_exported_is_never_used_again) {
  ShimSetup setup(in_mode(PreloadMode::nosplit));
  const CUdeviceptr at = setup.alloc(4 * mib);
  int handle = 0;
  const auto result = setup.shim().handle_for_address_range(&handle, at, 4 * mib,
                                                            CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD, 0);
  if (result != CUDA_SUCCESS) GTEST_SKIP() << "the fake driver has no handles of ranges";
  EXPECT_EQ(setup.free(at), CUDA_SUCCESS);
  EXPECT_EQ(setup.calls("cuMemFree_v2"), 1U);
}

TEST(ShimHandles, of_large_blocks_are_to_be_had_once_one_was_refused) {
  ShimSetupOptions options;
  std::vector<std::string> said;
  options.shim.say = [&](const std::string& sentence) { said.push_back(sentence); };
  ShimSetup setup(std::move(options));
  setup.alloc(4 * mib);
  CUipcMemHandle handle{};
  EXPECT_EQ(setup.shim().ipc_get_mem_handle(&handle, setup.alloc(4 * mib)),
            CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(said.size(), 1U);
  EXPECT_NE(said.front().find("--mode nosplit"), std::string::npos);
  for (const std::uint64_t bytes : {mib, 3 * mib}) {
    setup.alloc(bytes);
    const CUdeviceptr at = setup.alloc(bytes);
    EXPECT_EQ(setup.shim().ipc_get_mem_handle(&handle, at), CUDA_SUCCESS) << bytes;
    EXPECT_EQ(setup.free(at), CUDA_SUCCESS);
  }
}

TEST(ShimHandles, that_are_asked_for_memory_already_freed_change_nothing) {
  ShimSetup setup;
  setup.alloc(4 * mib);
  const CUdeviceptr at = setup.alloc(4 * mib);
  EXPECT_EQ(setup.free(at), CUDA_SUCCESS);
  CUipcMemHandle handle{};
  EXPECT_EQ(setup.shim().ipc_get_mem_handle(&handle, at), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(setup.alloc(4 * mib), at) << "it is cached as before";
}

}  // namespace
}  // namespace vramlab::tests
