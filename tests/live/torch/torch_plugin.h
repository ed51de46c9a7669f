// The plug-in as PyTorch has it: loaded at run time and called by the addresses of its functions,
// over the fake libcuda.so.1. Each test is a process of its own under ctest, and leaves what it
// holds to the end of it.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <new>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "streams/cuda_interface/functions.h"
#include "tests/fake_cuda/control/fake_cuda_control.h"
#include "tests/support/processes/places.h"

namespace vramlab::tests {

using PoolName = std::pair<unsigned long long, unsigned long long>;

inline void* symbol_of(void* library, const char* name) {
  void* const symbol = dlsym(library, name);
  if (symbol == nullptr) throw std::runtime_error(std::string("no symbol ") + name);
  return symbol;
}

/// As torch.cuda.memory.CUDAPluggableAllocator keeps them.
struct TorchLibrary {
  static void* open(const std::string& name) {
    void* const library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw std::runtime_error(dlerror());
    return library;
  }
  template <class Function>
  Function* find(const char* name) const {
    return reinterpret_cast<Function*>(symbol_of(library, name));
  }
  void* library = open(support::binary_dir() + "/libvramlab_torch.so");
  using Malloc = void*(std::size_t, int, CUstream);
  using Free = void(void*, std::size_t, int, CUstream);
  Malloc* malloc = find<Malloc>("vramlab_torch_malloc");
  Free* free = find<Free>("vramlab_torch_free");
  Malloc* segment_malloc = find<Malloc>("vramlab_torch_segment_malloc");
  Free* segment_free = find<Free>("vramlab_torch_segment_free");
  void (*init)(int) = find<void(int)>("vramlab_torch_init");
  void (*reset)() = find<void()>("vramlab_torch_reset");
  void (*set_fraction)(double, int) = find<void(double, int)>("vramlab_torch_set_memory_fraction");
  void* (*base_alloc)(void*,
                      std::size_t*) = find<void*(void*, std::size_t*)>("vramlab_torch_base_alloc");
  void (*record_stream)(void*,
                        CUstream) = find<void(void*, CUstream)>("vramlab_torch_record_stream");
  void (*begin_pool)(int, PoolName, std::function<bool(CUstream)>) =
      find<void(int, PoolName, std::function<bool(CUstream)>)>(
          "vramlab_torch_begin_allocate_to_pool");
  void (*end_pool)(int, PoolName) = find<void(int, PoolName)>("vramlab_torch_end_allocate_to_pool");
  void (*release_pool)(int, PoolName) = find<void(int, PoolName)>("vramlab_torch_release_pool");
  const char* (*stats)(int) = find<const char*(int)>("vramlab_torch_memory_stats");
  const char* (*segment_stats)(int) = find<const char*(int)>("vramlab_torch_segment_stats");
  const char* (*snapshot)() = find<const char*()>("vramlab_torch_snapshot");
  const char* (*reference)() = find<const char*()>("vramlab_torch_reference");
  const char* (*last_error)() = find<const char*()>("vramlab_torch_last_error");
  int (*set_options)(int, const char*) = find<int(int, const char*)>("vramlab_torch_set_options");
  int (*reset_peaks)(int) = find<int(int)>("vramlab_torch_reset_peak_memory_stats");
  int (*add_callback)(int, int (*)(void*), void*) =
      find<int(int, int (*)(void*), void*)>("vramlab_torch_add_free_memory_callback");
  int (*record_history)(int, std::size_t) =
      find<int(int, std::size_t)>("vramlab_torch_record_memory_history");
};

/// The fake driver that the library calls, too.
struct FakeLibcuda {
  void* library = TorchLibrary::open("libcuda.so.1");
  template <class Function>
  Function find(const char* name) const {
    return reinterpret_cast<Function>(symbol_of(library, name));
  }
  CUcontext current() const {
    CUcontext context = nullptr;
    find<PFN_cuCtxGetCurrent_v4000>("cuCtxGetCurrent")(&context);
    return context;
  }
  /// On this thread.
  void make_current(CUcontext context) const {
    find<PFN_cuCtxSetCurrent_v4000>("cuCtxSetCurrent")(context);
  }
  CUcontext retain(int device) const {
    CUcontext context = nullptr;
    find<PFN_cuDevicePrimaryCtxRetain_v7000>("cuDevicePrimaryCtxRetain")(&context, device);
    return context;
  }
  bool is_retained(int device) const {
    unsigned flags = 0;
    int active = 0;
    find<PFN_cuDevicePrimaryCtxGetState_v7000>("cuDevicePrimaryCtxGetState")(device, &flags,
                                                                             &active);
    return active != 0;
  }
  CUstream new_stream() const {
    CUstream stream = nullptr;
    find<PFN_cuStreamCreate_v2000>("cuStreamCreate")(&stream, CU_STREAM_NON_BLOCKING);
    return stream;
  }
  CUfunction use_kernel() const {
    CUmodule module = nullptr;
    CUfunction kernel = nullptr;
    find<PFN_cuModuleLoadData_v2000>("cuModuleLoadData")(&module, "");
    find<PFN_cuModuleGetFunction_v2000>("cuModuleGetFunction")(&kernel, module, "fake_use");
    return kernel;
  }
  /// Work of so many nanoseconds that writes to the memory.
  CUresult submit(CUfunction kernel, CUstream stream, std::uint64_t ns, fake_cuda_use use) const {
    std::uint32_t count = use.bytes == 0 ? 0 : 1;
    const fake_cuda_use* uses = &use;
    void* arguments[] = {&ns, &uses, &count};
    return find<PFN_cuLaunchKernel_v4000>("cuLaunchKernel")(kernel, 1, 1, 1, 1, 1, 1, 0, stream,
                                                            arguments, nullptr);
  }
};

inline constexpr std::size_t mib = 1 << 20;

class TorchPlugin : public testing::Test {
 protected:
  void SetUp() override {
    // The fake driver looks when it is called first.
    setenv("FAKE_CUDA_MEMORY", "256M", 1);
    setenv("FAKE_CUDA_DEVICES", "2", 1);
    setenv("FAKE_CUDA_BACKING", "0", 1);
    torch_.init(0);
    ASSERT_EQ(driver_.find<PFN_cuInit_v2000>("cuInit")(0), CUDA_SUCCESS);
    context_ = driver_.retain(0);
    ASSERT_NE(context_, nullptr);
    driver_.make_current(context_);
  }
  CUstream new_stream() { return driver_.new_stream(); }
  /// Work of so many nanoseconds of the fake driver's time, which passes only where something
  /// waits.
  void submit_work(CUstream stream, std::uint64_t ns) {
    ASSERT_EQ(driver_.submit(driver_.use_kernel(), stream, ns, {}), CUDA_SUCCESS);
  }
  void advance(std::uint64_t ns) { driver_.find<void (*)(std::uint64_t)>("fake_cuda_advance")(ns); }
  void fail(const char* function, int result) {
    driver_.find<void (*)(const char*, int, std::uint64_t, std::uint64_t)>("fake_cuda_fail")(
        function, result, 0, 1);
  }
  nlohmann::json stats(int device = 0) { return nlohmann::json::parse(torch_.stats(device)); }

  TorchLibrary torch_;
  FakeLibcuda driver_;
  CUcontext context_ = nullptr;
};

}  // namespace vramlab::tests
