#include "tests/fake_cuda/tests/fake_test.h"

namespace vramlab::fake {
namespace {

class FakeContexts : public FakeTest {};

TEST_F(FakeContexts, nothing_works_before_the_driver_is_initialised_or_without_a_context) {
  const ChosenDriver fresh(small_options());
  std::size_t free = 0;
  CUdevice device = 0;
  EXPECT_EQ(cu_.device_get(&device, 0), CUDA_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(cu_.init(0), CUDA_SUCCESS);
  EXPECT_EQ(cu_.device_get(&device, 2), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cu_.mem_get_info(&free, nullptr), CUDA_ERROR_INVALID_CONTEXT);
}

TEST_F(FakeContexts, each_device_has_its_memory) {
  allocate();
  open(1);
  std::size_t free = 0;
  cu_.mem_get_info(&free, nullptr);
  EXPECT_EQ(free, 64U << 20);
}

TEST_F(FakeContexts, the_stack_gives_back_what_was_current_before) {
  const CUcontext other = open(1);
  CUcontext popped = nullptr;
  CUcontext current = nullptr;
  EXPECT_EQ(cu_.context_push(context_), CUDA_SUCCESS);
  cu_.context_current(&current);
  EXPECT_EQ(current, context_);
  EXPECT_EQ(cu_.context_pop(&popped), CUDA_SUCCESS);
  EXPECT_EQ(popped, context_);
  cu_.context_current(&current);
  EXPECT_EQ(current, other);
  EXPECT_EQ(cu_.context_set_current(nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cu_.context_pop(&popped), CUDA_ERROR_INVALID_CONTEXT);
}

TEST_F(FakeContexts, a_reset_takes_all_and_the_next_life_has_the_handle_but_not_the_id) {
  unsigned long long before = 0;
  unsigned long long after = 0;
  const CUdeviceptr at = allocate();
  cu_.context_id(context_, &before);
  EXPECT_EQ(symbol<PFN_cuDevicePrimaryCtxReset_v11000>("cuDevicePrimaryCtxReset_v2")(0),
            CUDA_SUCCESS);
  EXPECT_EQ(fake_cuda_allocation_count(), 0U);
  EXPECT_EQ(cu_.mem_free(at), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  EXPECT_EQ(open(0), context_);
  cu_.context_id(context_, &after);
  EXPECT_NE(before, after);
  EXPECT_EQ(cu_.mem_free(at), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(FakeContexts, the_last_release_ends_the_primary_context) {
  open(0);
  allocate();
  EXPECT_EQ(cu_.primary_release(0), CUDA_SUCCESS);
  EXPECT_EQ(fake_cuda_allocation_count(), 1U);
  EXPECT_EQ(cu_.primary_release(0), CUDA_SUCCESS);
  EXPECT_EQ(fake_cuda_allocation_count(), 0U);
}

TEST_F(FakeContexts, a_destroyed_context_s_handle_may_be_the_next_one_s) {
  const auto create = symbol<PFN_cuCtxCreate_v3020>("cuCtxCreate_v2");
  const auto destroy = symbol<PFN_cuCtxDestroy_v4000>("cuCtxDestroy_v2");
  CUcontext first = nullptr;
  CUcontext second = nullptr;
  EXPECT_EQ(create(&first, 0, 0), CUDA_SUCCESS);
  const CUstream stream = make_stream();
  EXPECT_EQ(destroy(first), CUDA_SUCCESS);
  EXPECT_EQ(cu_.stream_query(stream), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(create(&second, 0, 0), CUDA_SUCCESS);
  EXPECT_EQ(first, second);
}

TEST_F(FakeContexts, peer_access_is_enabled_once) {
  const auto enable = symbol<PFN_cuCtxEnablePeerAccess_v4000>("cuCtxEnablePeerAccess");
  const auto disable = symbol<PFN_cuCtxDisablePeerAccess_v4000>("cuCtxDisablePeerAccess");
  open(1);
  EXPECT_EQ(disable(context_), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
  EXPECT_EQ(enable(context_, 0), CUDA_SUCCESS);
  EXPECT_EQ(enable(context_, 0), CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
  EXPECT_EQ(disable(context_), CUDA_SUCCESS);
}

TEST_F(FakeContexts, a_fault_that_sticks_is_answered_by_every_call_from_then_on) {
  std::uint64_t ns = 100;
  std::int32_t result = CUDA_ERROR_ILLEGAL_ADDRESS;
  void* arguments[] = {&ns, &result};
  EXPECT_EQ(symbol<PFN_cuLaunchKernel_v4000>("cuLaunchKernel")(kernel("fake_fault"), 1, 1, 1, 1, 1,
                                                               1, 0, nullptr, arguments, nullptr),
            CUDA_SUCCESS);
  CUdeviceptr at = 0;
  EXPECT_EQ(cu_.mem_alloc(&at, 4096), CUDA_SUCCESS);
  fake_cuda_advance(100);
  EXPECT_EQ(cu_.mem_alloc(&at, 4096), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(cu_.context_synchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  open(1);
  EXPECT_EQ(cu_.mem_alloc(&at, 4096), CUDA_SUCCESS);
}

TEST_F(FakeContexts, a_fault_is_answered_by_the_call_that_waits_for_it) {
  std::uint64_t ns = 100;
  std::int32_t result = CUDA_ERROR_ILLEGAL_ADDRESS;
  void* arguments[] = {&ns, &result};
  EXPECT_EQ(symbol<PFN_cuLaunchKernel_v4000>("cuLaunchKernel")(kernel("fake_fault"), 1, 1, 1, 1, 1,
                                                               1, 0, nullptr, arguments, nullptr),
            CUDA_SUCCESS);
  EXPECT_EQ(cu_.context_synchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(cu_.context_set_current(nullptr), CUDA_SUCCESS);
}

TEST_F(FakeContexts, calls_fail_where_they_are_told_to) {
  fake_cuda_fail("cuMemAlloc_v2", CUDA_ERROR_UNKNOWN, 1, 1);
  CUdeviceptr at = 0;
  EXPECT_EQ(cu_.mem_alloc(&at, 4096), CUDA_SUCCESS);
  EXPECT_EQ(cu_.mem_alloc(&at, 4096), CUDA_ERROR_UNKNOWN);
  EXPECT_EQ(cu_.mem_alloc(&at, 4096), CUDA_SUCCESS);
  EXPECT_EQ(fake_cuda_call_count("cuMemAlloc_v2"), 3U);
}

TEST_F(FakeContexts, a_driver_that_is_gone_says_so) {
  fake_cuda_tear_down();
  CUdeviceptr at = 0;
  EXPECT_EQ(cu_.mem_alloc(&at, 4096), CUDA_ERROR_DEINITIALIZED);
  EXPECT_EQ(cu_.init(0), CUDA_ERROR_DEINITIALIZED);
}

TEST(FakeOptionsText, faults_are_read_from_a_text) {
  const auto rules = parse_faults("cuMemAlloc_v2=2@3x1,cuEventQuery=700");
  ASSERT_EQ(rules.size(), 2U);
  EXPECT_EQ(rules[0].function, "cuMemAlloc_v2");
  EXPECT_EQ(rules[0].result, CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(rules[0].skipped, 3U);
  EXPECT_EQ(rules[0].count, 1U);
  EXPECT_EQ(rules[1].count, ~0ULL);
  EXPECT_THROW(parse_faults("cuMemAlloc_v2"), std::runtime_error);
  EXPECT_THROW(parse_faults("cuMemAlloc_v2=many"), std::runtime_error);
}

}  // namespace
}  // namespace vramlab::fake
