#include <thread>

#include "tests/cuda_standins/runtime/runtime_test.h"

namespace vramlab::dry_run {
namespace {

class RuntimeThreads : public RuntimeTest {};

TEST_F(RuntimeThreads, last_error_belongs_to_its_thread) {
  EXPECT_EQ(cudaSetDevice(77), error::invalid_device);
  int other = -1;
  std::thread([&] { other = cudaGetLastError(); }).join();
  EXPECT_EQ(other, error::success);
  EXPECT_EQ(cudaGetLastError(), error::invalid_device);
}

TEST_F(RuntimeThreads, device_belongs_to_its_thread) {
  EXPECT_EQ(cudaSetDevice(1), error::success);
  int device = -1;
  std::thread([&] { EXPECT_EQ(cudaGetDevice(&device), error::success); }).join();
  EXPECT_EQ(device, 0);
  cudaDeviceReset();
}

}  // namespace
}  // namespace vramlab::dry_run
