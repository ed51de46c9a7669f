#include "tests/cuda_standins/runtime/runtime_test.h"
#include "tools/cuda_standins/runtime/kernels.h"

namespace vramlab::dry_run {
namespace {

void fill_on_host() {}
const void* fill() { return reinterpret_cast<const void*>(&fill_on_host); }

class RuntimeLaunches : public RuntimeTest {
 protected:
  RuntimeLaunches() : binary_(__cudaRegisterFatBinary(&image_)) {
    __cudaRegisterFunction(binary_, static_cast<const char*>(fill()), nullptr, "fake_fill", -1,
                           nullptr, nullptr, nullptr, nullptr, nullptr);
  }
  ~RuntimeLaunches() override { __cudaUnregisterFatBinary(binary_); }

  /// Fills one word of memory.
  int launch(const void* kernel, dim3 grid, dim3 block) {
    void* memory = nullptr;
    EXPECT_EQ(cudaMalloc(&memory, 4), error::success);
    unsigned long long words = 1;
    unsigned value = 7;
    unsigned long long ns = 1000;
    void* arguments[] = {&memory, &words, &value, &ns};
    const int result = cudaLaunchKernel(kernel, grid, block, arguments, 0, nullptr);
    EXPECT_EQ(cudaDeviceSynchronize(), error::success);
    EXPECT_EQ(cudaFree(memory), error::success);
    return result;
  }

 private:
  int image_ = 0;
  void** binary_;
};

TEST_F(RuntimeLaunches, configurations_are_a_stack) {
  int stream = 0;
  const auto outer = reinterpret_cast<cudaStream_t>(&stream);
  EXPECT_EQ(__cudaPushCallConfiguration({1, 2, 3}, {4, 5, 6}, 7, outer), 0U);
  EXPECT_EQ(__cudaPushCallConfiguration({9, 1, 1}, {8, 1, 1}, 0, nullptr), 0U);
  dim3 grid{};
  dim3 block{};
  std::size_t shared_bytes = 1;
  cudaStream_t on = outer;
  EXPECT_EQ(__cudaPopCallConfiguration(&grid, &block, &shared_bytes, &on), error::success);
  EXPECT_EQ(grid.x, 9U);
  EXPECT_EQ(on, nullptr);
  EXPECT_EQ(__cudaPopCallConfiguration(&grid, &block, &shared_bytes, &on), error::success);
  EXPECT_EQ(grid.z, 3U);
  EXPECT_EQ(block.y, 5U);
  EXPECT_EQ(shared_bytes, 7U);
  EXPECT_EQ(on, outer);
  EXPECT_EQ(__cudaPopCallConfiguration(&grid, &block, &shared_bytes, &on),
            error::missing_configuration);
}

TEST_F(RuntimeLaunches, kernel_can_be_launched_by_its_host_function_and_its_handle) {
  EXPECT_EQ(launch(fill(), {1, 1, 1}, {32, 1, 1}), error::success);
  cudaKernel_t kernel = nullptr;
  ASSERT_EQ(__cudaGetKernel(&kernel, fill()), error::success);
  EXPECT_EQ(launch(kernel, {1, 1, 1}, {32, 1, 1}), error::success);
}

TEST_F(RuntimeLaunches, function_that_nobody_registered_is_refused) {
  int nothing = 0;
  EXPECT_EQ(launch(&nothing, {1, 1, 1}, {32, 1, 1}), error::invalid_function);
  EXPECT_EQ(launch(nullptr, {1, 1, 1}, {32, 1, 1}), error::invalid_function);
  EXPECT_EQ(cudaGetLastError(), error::invalid_function);
}

TEST_F(RuntimeLaunches, grid_that_no_gpu_takes_is_refused) {
  EXPECT_EQ(launch(fill(), {0, 1, 1}, {32, 1, 1}), error::invalid_configuration);
  EXPECT_EQ(launch(fill(), {1, 1, 1}, {1025, 1, 1}), error::invalid_configuration);
  EXPECT_EQ(launch(fill(), {1, 1, 1}, {64, 32, 1}), error::invalid_configuration);
  EXPECT_EQ(launch(fill(), {1, 65536, 1}, {32, 1, 1}), error::invalid_configuration);
  EXPECT_EQ(launch(fill(), {65536, 1, 1}, {1024, 1, 1}), error::success);
}

TEST_F(RuntimeLaunches, attributes_of_a_kernel_tell_versions_of_the_gpu) {
  cudaFuncAttributes told{};
  ASSERT_EQ(cudaFuncGetAttributes(&told, fill()), error::success);
  EXPECT_EQ(told.ptxVersion, 90);
  EXPECT_EQ(told.binaryVersion, 90);
}

TEST_F(RuntimeLaunches, kernel_is_loaded_again_after_a_reset) {
  EXPECT_EQ(launch(fill(), {1, 1, 1}, {32, 1, 1}), error::success);
  EXPECT_EQ(cudaDeviceReset(), error::success);
  EXPECT_EQ(launch(fill(), {1, 1, 1}, {32, 1, 1}), error::success);
}

}  // namespace
}  // namespace vramlab::dry_run
