// FakeTest: a fake driver of one's own, its functions as the live parts find them, and a device
// that is ready.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "streams/live/cuda_driver.h"
#include "tests/fake_cuda/control/fake_cuda_control.h"
#include "tests/fake_cuda/engine/fake_cuda.h"
#include "tools/cuda_standins/driver/driver_functions.h"

namespace vramlab::fake {

inline FakeOptions small_options() {
  FakeOptions options;
  options.memory_bytes = 64ULL << 20;
  options.device_count = 2;
  return options;
}

class FakeTest : public testing::Test {
 protected:
  explicit FakeTest(const FakeOptions& options = small_options()) : fake_(options) {
    cu_ = std::get<streams::CudaDriver>(streams::find_cuda_driver(
        [&](const char* symbol) { return find_symbol(symbol, fake_->options().driver_version); }));
    EXPECT_EQ(cu_.init(0), CUDA_SUCCESS);
    context_ = open(0);
  }

  CUcontext open(int device) {
    CUcontext context = nullptr;
    EXPECT_EQ(cu_.primary_retain(&context, device), CUDA_SUCCESS);
    EXPECT_EQ(cu_.context_set_current(context), CUDA_SUCCESS);
    return context;
  }
  template <class Function>
  Function symbol(const char* name) {
    return reinterpret_cast<Function>(find_symbol(name, fake_->options().driver_version));
  }
  CUdeviceptr allocate(std::size_t bytes = 1 << 20) {
    CUdeviceptr at = 0;
    EXPECT_EQ(cu_.mem_alloc(&at, bytes), CUDA_SUCCESS);
    return at;
  }
  CUstream make_stream(unsigned flags = CU_STREAM_NON_BLOCKING) {
    CUstream stream = nullptr;
    EXPECT_EQ(cu_.stream_create(&stream, flags), CUDA_SUCCESS);
    return stream;
  }
  CUevent make_event() {
    CUevent event = nullptr;
    EXPECT_EQ(cu_.event_create(&event, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
    return event;
  }
  CUfunction kernel(const char* name) {
    CUmodule module = nullptr;
    CUfunction function = nullptr;
    symbol<PFN_cuModuleLoadData_v2000>("cuModuleLoadData")(&module, "");
    symbol<PFN_cuModuleGetFunction_v2000>("cuModuleGetFunction")(&function, module, name);
    return function;
  }
  /// A kernel that uses the memory for so long.
  CUresult use(CUdeviceptr at, std::uint64_t ns, CUstream stream,
               const char* launch = "cuLaunchKernel") {
    const fake_cuda_use used{at, 4096, 1};
    const fake_cuda_use* uses = &used;
    std::uint32_t count = 1;
    void* arguments[] = {&ns, &uses, &count};
    return symbol<PFN_cuLaunchKernel_v4000>(launch)(kernel("fake_use"), 1, 1, 1, 1, 1, 1, 0, stream,
                                                    arguments, nullptr);
  }

  ChosenDriver fake_;
  streams::CudaDriver cu_;
  CUcontext context_ = nullptr;
};

}  // namespace vramlab::fake
