#include <cstring>

#include "tests/fake_cuda/tests/fake_test.h"

namespace vramlab::fake {
namespace {

class FakeMemory : public FakeTest {};

TEST_F(FakeMemory, memory_counts_until_it_is_freed) {
  std::size_t before = 0;
  std::size_t now = 0;
  std::size_t total = 0;
  ASSERT_EQ(cu_.mem_get_info(&before, &total), CUDA_SUCCESS);
  const CUdeviceptr at = allocate(3 << 20);
  cu_.mem_get_info(&now, nullptr);
  EXPECT_EQ(before - now, 4U << 20);
  EXPECT_EQ(cu_.mem_free(at), CUDA_SUCCESS);
  cu_.mem_get_info(&now, nullptr);
  EXPECT_EQ(now, before);
  EXPECT_EQ(total, 64U << 20);
}

TEST_F(FakeMemory, what_does_not_fit_is_out_of_memory_and_leaves_the_output_alone) {
  CUdeviceptr at = 7;
  EXPECT_EQ(cu_.mem_alloc(&at, 65 << 20), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(at, 7U);
  EXPECT_EQ(cu_.mem_alloc(&at, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu_.mem_alloc(nullptr, 1), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(FakeMemory, only_the_begin_of_memory_that_is_there_can_be_freed) {
  const CUdeviceptr at = allocate();
  EXPECT_EQ(cu_.mem_free(0), CUDA_SUCCESS);
  EXPECT_EQ(cu_.mem_free(at + 512), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu_.mem_free(at), CUDA_SUCCESS);
  EXPECT_EQ(cu_.mem_free(at), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(FakeMemory, the_range_of_an_address_inside_is_the_allocation) {
  const CUdeviceptr at = allocate(5000);
  CUdeviceptr base = 0;
  std::size_t bytes = 0;
  const auto range = symbol<PFN_cuMemGetAddressRange_v3020>("cuMemGetAddressRange_v2");
  EXPECT_EQ(range(&base, &bytes, at + 4999), CUDA_SUCCESS);
  EXPECT_EQ(base, at);
  EXPECT_EQ(bytes, 5000U);
  EXPECT_EQ(range(&base, nullptr, at + 5000), CUDA_ERROR_NOT_FOUND);
}

TEST_F(FakeMemory, base_and_inside_have_one_handle_and_memory_that_comes_back_another) {
  const auto handle_of_memory = symbol<PFN_cuIpcGetMemHandle_v4010>("cuIpcGetMemHandle");
  CUipcMemHandle base{};
  CUipcMemHandle inside{};
  CUipcMemHandle again{};
  const CUdeviceptr at = allocate();
  EXPECT_EQ(handle_of_memory(&base, at), CUDA_SUCCESS);
  EXPECT_EQ(handle_of_memory(&inside, at + 100), CUDA_SUCCESS);
  cu_.mem_free(at);
  ASSERT_EQ(allocate(), at);
  EXPECT_EQ(handle_of_memory(&again, at), CUDA_SUCCESS);
  EXPECT_EQ(std::memcmp(&base, &inside, sizeof base), 0);
  EXPECT_NE(std::memcmp(&base, &again, sizeof base), 0);
}

TEST_F(FakeMemory, an_attribute_that_is_set_stays_with_the_allocation) {
  const auto set = symbol<PFN_cuPointerSetAttribute_v6000>("cuPointerSetAttribute");
  const auto get = symbol<PFN_cuPointerGetAttribute_v4000>("cuPointerGetAttribute");
  const CUdeviceptr at = allocate();
  unsigned on = 1;
  unsigned got = 0;
  EXPECT_EQ(set(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, at + 64), CUDA_SUCCESS);
  EXPECT_EQ(get(&got, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, at), CUDA_SUCCESS);
  EXPECT_EQ(got, 1U);
  cu_.mem_free(at);
  ASSERT_EQ(allocate(), at);
  get(&got, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, at);
  EXPECT_EQ(got, 0U);
}

TEST_F(FakeMemory, physical_memory_is_the_device_s_until_nothing_holds_it) {
  CUmemAllocationProp wish{};
  wish.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  wish.location = {CU_MEM_LOCATION_TYPE_DEVICE, {0}};
  std::size_t unit = 0;
  ASSERT_EQ(cu_.mem_granularity(&unit, &wish, CU_MEM_ALLOC_GRANULARITY_MINIMUM), CUDA_SUCCESS);
  CUdeviceptr at = 0;
  CUmemGenericAllocationHandle handle = 0;
  CUmemAccessDesc access{wish.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  ASSERT_EQ(cu_.address_reserve(&at, 4 * unit, 0, 0, 0), CUDA_SUCCESS);
  ASSERT_EQ(cu_.mem_create(&handle, unit, &wish, 0), CUDA_SUCCESS);
  EXPECT_EQ(cu_.mem_map(at, unit, 0, handle, 0), CUDA_SUCCESS);
  EXPECT_EQ(cu_.mem_map(at, unit, 0, handle, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu_.mem_set_access(at, unit, &access, 1), CUDA_SUCCESS);
  EXPECT_EQ(cu_.mem_release(handle), CUDA_SUCCESS);
  std::size_t free = 0;
  cu_.mem_get_info(&free, nullptr);
  EXPECT_EQ(free, (64U << 20) - unit);
  EXPECT_EQ(cu_.address_free(at, 4 * unit), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu_.mem_unmap(at, unit), CUDA_SUCCESS);
  cu_.mem_get_info(&free, nullptr);
  EXPECT_EQ(free, 64U << 20);
  EXPECT_EQ(cu_.address_free(at, 4 * unit), CUDA_SUCCESS);
}

TEST_F(FakeMemory, mapped_memory_without_access_is_a_fault_on_the_device_that_touches_it) {
  CUmemAllocationProp wish{};
  wish.location = {CU_MEM_LOCATION_TYPE_DEVICE, {0}};
  constexpr std::size_t unit = 2 << 20;
  CUdeviceptr at = 0;
  CUmemGenericAllocationHandle handle = 0;
  ASSERT_EQ(cu_.address_reserve(&at, unit, 0, 0, 0), CUDA_SUCCESS);
  ASSERT_EQ(cu_.mem_create(&handle, unit, &wish, 0), CUDA_SUCCESS);
  ASSERT_EQ(cu_.mem_map(at, unit, 0, handle, 0), CUDA_SUCCESS);
  CUmemAccessDesc access{{CU_MEM_LOCATION_TYPE_DEVICE, {1}}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  ASSERT_EQ(cu_.mem_set_access(at, unit, &access, 1), CUDA_SUCCESS);
  const CUcontext other = open(1);
  use(at, 100, nullptr);
  EXPECT_EQ(cu_.context_synchronize(), CUDA_SUCCESS);
  EXPECT_EQ(fake_cuda_race_count(), 0U);
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
  ASSERT_EQ(cu_.mem_set_access(at, unit, &access, 1), CUDA_SUCCESS);
  for (const CUcontext context : {other, context_}) {
    cu_.context_set_current(context);
    use(at, 100, nullptr);
    fake_cuda_advance(1000);
    EXPECT_EQ(cu_.context_synchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  }
  EXPECT_EQ(fake_cuda_race_count(), 2U);
}

TEST_F(FakeMemory, a_driver_without_mapping_says_so) {
  fake_->options().has_memory_mapping = false;
  int value = 1;
  EXPECT_EQ(
      cu_.device_attribute(&value, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0),
      CUDA_SUCCESS);
  EXPECT_EQ(value, 0);
  CUdeviceptr at = 0;
  EXPECT_EQ(cu_.address_reserve(&at, 2 << 20, 0, 0, 0), CUDA_ERROR_NOT_SUPPORTED);
}

TEST_F(FakeMemory, what_is_freed_on_a_stream_is_there_until_the_stream_gets_there) {
  const auto allocate_on = symbol<PFN_cuMemAllocAsync_v11020>("cuMemAllocAsync");
  const auto free_on = symbol<PFN_cuMemFreeAsync_v11020>("cuMemFreeAsync");
  const CUstream stream = make_stream();
  CUdeviceptr at = 0;
  ASSERT_EQ(allocate_on(&at, 4096, stream), CUDA_SUCCESS);
  use(at, 500, stream);
  EXPECT_EQ(free_on(at, stream), CUDA_SUCCESS);
  EXPECT_EQ(fake_cuda_allocation_count(), 1U);
  fake_cuda_advance(500);
  EXPECT_EQ(fake_cuda_allocation_count(), 0U);
  EXPECT_EQ(fake_cuda_race_count(), 0U);
}

TEST_F(FakeMemory, other_users_of_the_device_leave_less) {
  fake_cuda_set_external(0, 60 << 20);
  CUdeviceptr at = 0;
  EXPECT_EQ(cu_.mem_alloc(&at, 8 << 20), CUDA_ERROR_OUT_OF_MEMORY);
  fake_cuda_set_external(0, 0);
  EXPECT_EQ(cu_.mem_alloc(&at, 8 << 20), CUDA_SUCCESS);
}

#ifndef FAKE_CUDA_WITHOUT_BACKING
class FakeBytes : public FakeTest {
 protected:
  static FakeOptions options() {
    FakeOptions options = small_options();
    options.backing = Backing::host_memory;
    return options;
  }
  FakeBytes() : FakeTest(options()) {}
};

TEST_F(FakeBytes, copies_and_kernels_change_what_is_there_when_they_end) {
  const CUdeviceptr at = allocate();
  const CUstream stream = make_stream();
  std::uint64_t words = 100;
  std::uint32_t value = 6;
  std::uint64_t ns = 1000;
  CUdeviceptr to = at;
  void* arguments[] = {&to, &words, &value, &ns};
  symbol<PFN_cuMemsetD8_v3020>("cuMemsetD8_v2")(at, 1, 400);
  cu_.context_synchronize();
  symbol<PFN_cuLaunchKernel_v4000>("cuLaunchKernel")(kernel("fake_fill"), 1, 1, 1, 1, 1, 1, 0,
                                                     stream, arguments, nullptr);
  const auto* const there = reinterpret_cast<const std::uint32_t*>(at);
  EXPECT_EQ(there[99], 0x01010101U);
  fake_cuda_advance(1000);
  EXPECT_EQ(there[99], 6U);
  std::uint32_t read[2] = {};
  symbol<PFN_cuMemcpyDtoH_v3020>("cuMemcpyDtoH_v2")(read, at + 392, 8);
  EXPECT_EQ(read[1], 6U);
}

TEST_F(FakeBytes, what_is_not_pinned_is_read_at_once) {
  const CUdeviceptr at = allocate();
  std::uint32_t from = 5;
  symbol<PFN_cuMemcpyHtoDAsync_v3020>("cuMemcpyHtoDAsync_v2")(at, &from, 4, make_stream());
  from = 9;
  cu_.context_synchronize();
  EXPECT_EQ(*reinterpret_cast<const std::uint32_t*>(at), 5U);
}
#endif

}  // namespace
}  // namespace vramlab::fake
