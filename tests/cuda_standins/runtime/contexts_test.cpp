#include "tests/cuda_standins/runtime/runtime_test.h"

namespace vramlab::dry_run {
namespace {

class RuntimeContexts : public RuntimeTest {};

TEST_F(RuntimeContexts, asking_about_devices_makes_no_context) {
  int value = 0;
  EXPECT_EQ(cudaGetDeviceCount(&value), error::success);
  EXPECT_EQ(value, 2);
  EXPECT_EQ(cudaGetDevice(&value), error::success);
  EXPECT_EQ(value, 0);
  EXPECT_EQ(cudaDriverGetVersion(&value), error::success);
  EXPECT_EQ(cudaDeviceGetAttribute(&value, 16, 1), error::success);
  EXPECT_FALSE(has_context(0));
  EXPECT_FALSE(has_context(1));
}

TEST_F(RuntimeContexts, first_call_that_needs_one_makes_it) {
  EXPECT_EQ(cudaFree(nullptr), error::success);
  EXPECT_TRUE(has_context(0));
  EXPECT_FALSE(has_context(1));
}

TEST_F(RuntimeContexts, choosing_a_device_makes_its_context) {
  EXPECT_EQ(cudaSetDevice(1), error::success);
  EXPECT_TRUE(has_context(1));
  int device = -1;
  EXPECT_EQ(cudaGetDevice(&device), error::success);
  EXPECT_EQ(device, 1);
  cudaDeviceReset();
}

TEST_F(RuntimeContexts, device_that_is_not_there_is_refused_and_changes_nothing) {
  EXPECT_EQ(cudaSetDevice(2), error::invalid_device);
  EXPECT_EQ(cudaSetDevice(-1), error::invalid_device);
  int device = -1;
  EXPECT_EQ(cudaGetDevice(&device), error::success);
  EXPECT_EQ(device, 0);
}

TEST_F(RuntimeContexts, context_of_the_driver_is_kept) {
  CudaContext other = nullptr;
  ASSERT_EQ(runtime_driver().retain(&other, 1), error::success);
  ASSERT_EQ(runtime_driver().set_current(other), error::success);
  int device = -1;
  EXPECT_EQ(cudaGetDevice(&device), error::success);
  EXPECT_EQ(device, 1);
  void* memory = nullptr;
  EXPECT_EQ(cudaMalloc(&memory, 4096), error::success);
  cudaPointerAttributes told{};
  EXPECT_EQ(cudaPointerGetAttributes(&told, memory), error::success);
  EXPECT_EQ(told.device, 1);
  EXPECT_EQ(cudaFree(memory), error::success);
  cudaSetDevice(1);
  cudaDeviceReset();
}

TEST_F(RuntimeContexts, device_can_be_used_after_its_reset) {
  void* memory = nullptr;
  EXPECT_EQ(cudaMalloc(&memory, 4096), error::success);
  EXPECT_EQ(cudaDeviceReset(), error::success);
  EXPECT_FALSE(has_context(0));
  EXPECT_EQ(cudaMalloc(&memory, 4096), error::success);
  EXPECT_EQ(cudaFree(memory), error::success);
}

}  // namespace
}  // namespace vramlab::dry_run
