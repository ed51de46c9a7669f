// PyTorch's part, played by the contract of torch.cuda.memory.CUDAPluggableAllocator: the library
// is loaded at run time and its functions are called by their addresses, over the fake
// libcuda.so.1. Each test is a process of its own under ctest, and leaves what it holds to the end
// of it.
#include <cuda.h>
#include <cudaTypedefs.h>
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <new>
#include <nlohmann/json.hpp>
#include <string>

namespace vramlab::tests {
namespace {

using testing::HasSubstr;
using PoolName = std::pair<unsigned long long, unsigned long long>;

void* symbol_of(void* library, const char* name) {
  void* const symbol = dlsym(library, name);
  if (symbol == nullptr) throw std::runtime_error(std::string("no symbol ") + name);
  return symbol;
}

/// As torch.cuda.memory.CUDAPluggableAllocator keeps them.
struct TorchLibrary {
  static void* open(const char* name) {
    void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw std::runtime_error(dlerror());
    return library;
  }
  template <class Function>
  Function* find(const char* name) const {
    return reinterpret_cast<Function*>(symbol_of(library, name));
  }
  void* library = open(VRAMLAB_TORCH_LIBRARY);
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
  const char* (*last_error)() = find<const char*()>("vramlab_torch_last_error");
  int (*set_options)(int, const char*) = find<int(int, const char*)>("vramlab_torch_set_options");
  int (*record_history)(int, std::size_t) =
      find<int(int, std::size_t)>("vramlab_torch_record_memory_history");
};

/// The fake driver that the library calls, too.
struct FakeDriver {
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
};

constexpr std::size_t mib = 1 << 20;

class TorchPlugin : public testing::Test {
 protected:
  void SetUp() override {
    // The fake driver looks when it is called first.
    setenv("FAKE_CUDA_MEMORY", "256M", 1);
    setenv("FAKE_CUDA_DEVICES", "2", 1);
    torch_.init(0);
    ASSERT_EQ(driver_.find<PFN_cuInit_v2000>("cuInit")(0), CUDA_SUCCESS);
    const auto retain =
        driver_.find<PFN_cuDevicePrimaryCtxRetain_v7000>("cuDevicePrimaryCtxRetain");
    ASSERT_EQ(retain(&context_, 0), CUDA_SUCCESS);
    const auto set_current = driver_.find<PFN_cuCtxSetCurrent_v4000>("cuCtxSetCurrent");
    ASSERT_EQ(set_current(context_), CUDA_SUCCESS);
  }
  CUstream new_stream() {
    CUstream stream = nullptr;
    driver_.find<PFN_cuStreamCreate_v2000>("cuStreamCreate")(&stream, CU_STREAM_NON_BLOCKING);
    return stream;
  }
  /// Work of so many nanoseconds of the fake driver's time, which passes only where something
  /// waits.
  void submit_work(CUstream stream, std::uint64_t ns) {
    CUmodule module = nullptr;
    CUfunction kernel = nullptr;
    driver_.find<PFN_cuModuleLoadData_v2000>("cuModuleLoadData")(&module, "");
    driver_.find<PFN_cuModuleGetFunction_v2000>("cuModuleGetFunction")(&kernel, module, "fake_use");
    const void* uses = nullptr;
    std::uint32_t count = 0;
    void* arguments[] = {&ns, &uses, &count};
    ASSERT_EQ(driver_.find<PFN_cuLaunchKernel_v4000>("cuLaunchKernel")(kernel, 1, 1, 1, 1, 1, 1, 0,
                                                                       stream, arguments, nullptr),
              CUDA_SUCCESS);
  }
  void advance(std::uint64_t ns) { driver_.find<void (*)(std::uint64_t)>("fake_cuda_advance")(ns); }
  void fail(const char* function, int result) {
    driver_.find<void (*)(const char*, int, std::uint64_t, std::uint64_t)>("fake_cuda_fail")(
        function, result, 0, 1);
  }
  nlohmann::json stats(int device = 0) { return nlohmann::json::parse(torch_.stats(device)); }

  TorchLibrary torch_;
  FakeDriver driver_;
  CUcontext context_ = nullptr;
};

TEST_F(TorchPlugin, what_is_freed_is_given_out_again_without_the_driver) {
  void* const first = torch_.malloc(5 * mib, 0, nullptr);
  torch_.free(first, 5 * mib, 0, nullptr);
  EXPECT_EQ(torch_.malloc(5 * mib, 0, nullptr), first);
  EXPECT_EQ(stats()["num_device_alloc"], 1);
  EXPECT_EQ(stats()["allocation.all.current"], 1);
  EXPECT_EQ(stats()["reserved_bytes.all.current"], 20 * mib);
}

TEST_F(TorchPlugin, size_0_gives_null_and_null_can_be_freed) {
  EXPECT_EQ(torch_.malloc(0, 0, nullptr), nullptr);
  torch_.free(nullptr, 0, 0, nullptr);
  EXPECT_EQ(stats()["allocation.all.allocated"], 0);
}

TEST_F(TorchPlugin, a_request_that_does_not_fit_throws_bad_alloc_with_the_figures) {
  try {
    torch_.malloc(1024 * mib, 0, nullptr);
    ADD_FAILURE() << "256 MiB hold no 1 GiB";
  } catch (const std::bad_alloc& error) {
    EXPECT_THAT(error.what(), HasSubstr("1024.00 MiB"));
  }
  EXPECT_EQ(stats()["num_ooms"], 1);
  EXPECT_NE(torch_.malloc(mib, 0, nullptr), nullptr);
}

TEST_F(TorchPlugin, the_size_device_and_stream_of_a_free_do_not_count) {
  void* const block = torch_.malloc(3 * mib, 0, nullptr);
  torch_.free(block, 7, 1, new_stream());
  EXPECT_EQ(stats()["allocation.all.current"], 0);
  EXPECT_EQ(torch_.malloc(3 * mib, 0, nullptr), block);
}

TEST_F(TorchPlugin, a_free_of_what_is_none_of_its_blocks_is_told_and_does_no_harm) {
  void* const block = torch_.malloc(3 * mib, 0, nullptr);
  testing::internal::CaptureStderr();
  torch_.free(static_cast<char*>(block) + 512, 512, 0, nullptr);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("none of its blocks"));
  EXPECT_EQ(stats()["allocation.all.current"], 1);
}

TEST_F(TorchPlugin, a_block_used_on_another_stream_waits_for_its_work) {
  const CUstream other = new_stream();
  void* const block = torch_.malloc(5 * mib, 0, nullptr);
  submit_work(other, 1'000'000);
  torch_.record_stream(block, other);
  torch_.free(block, 5 * mib, 0, nullptr);
  EXPECT_NE(torch_.malloc(5 * mib, 0, nullptr), block) << "the other stream still works on it";
  advance(2'000'000);
  EXPECT_EQ(torch_.malloc(5 * mib, 0, nullptr), block);
}

TEST_F(TorchPlugin, another_device_than_the_current_one_can_be_asked) {
  const CUcontext before = driver_.current();
  void* const block = torch_.malloc(mib, 1, nullptr);
  EXPECT_NE(block, nullptr);
  EXPECT_EQ(driver_.current(), before);
  EXPECT_EQ(stats(1)["allocation.all.current"], 1);
  EXPECT_EQ(stats(0)["allocation.all.current"], 0);
  torch_.free(block, mib, 0, nullptr);
  EXPECT_EQ(stats(1)["allocation.all.current"], 0);
}

TEST_F(TorchPlugin, the_base_of_a_block_is_its_segment) {
  void* const first = torch_.malloc(5 * mib, 0, nullptr);
  void* const second = torch_.malloc(5 * mib, 0, nullptr);
  std::size_t size = 0;
  EXPECT_EQ(torch_.base_alloc(second, &size), first);
  EXPECT_EQ(size, 20 * mib);
  EXPECT_EQ(torch_.base_alloc(second, nullptr), first);
}

TEST_F(TorchPlugin, reset_gives_cached_memory_back) {
  torch_.free(torch_.malloc(5 * mib, 0, nullptr), 5 * mib, 0, nullptr);
  torch_.reset();
  EXPECT_EQ(stats()["reserved_bytes.all.current"], 0);
  EXPECT_EQ(stats()["num_device_free"], 1);
}

TEST_F(TorchPlugin, a_memory_fraction_limits_the_device) {
  torch_.set_fraction(0.1, 0);
  EXPECT_THROW(torch_.malloc(100 * mib, 0, nullptr), std::bad_alloc);
  torch_.set_fraction(1.0, 0);
  EXPECT_NE(torch_.malloc(100 * mib, 0, nullptr), nullptr);
  EXPECT_THROW(torch_.set_fraction(2.0, 0), std::runtime_error);
}

TEST_F(TorchPlugin, a_pool_takes_the_requests_of_its_streams_and_gives_its_memory_back) {
  const CUstream mine = new_stream();
  torch_.begin_pool(0, {0, 7}, [mine](CUstream asked) { return asked == mine; });
  void* const in_pool = torch_.malloc(5 * mib, 0, mine);
  void* const outside = torch_.malloc(5 * mib, 0, nullptr);
  torch_.end_pool(0, {0, 7});
  EXPECT_NE(torch_.base_alloc(in_pool, nullptr), torch_.base_alloc(outside, nullptr));
  torch_.free(in_pool, 5 * mib, 0, mine);
  torch_.release_pool(0, {0, 7});
  torch_.reset();
  EXPECT_EQ(stats()["segment.all.current"], 1);
}

TEST_F(TorchPlugin, memory_of_a_graph_is_taken_in_a_capture) {
  const CUstream stream = new_stream();
  void* const before = torch_.malloc(5 * mib, 0, stream);
  const auto begin = driver_.find<PFN_cuStreamBeginCapture_v10010>("cuStreamBeginCapture_v2");
  ASSERT_EQ(begin(stream, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_SUCCESS);
  torch_.begin_pool(0, {3, 0}, [](CUstream) { return true; });
  void* const in_graph = torch_.malloc(30 * mib, 0, stream);
  torch_.free(before, 5 * mib, 0, stream);
  torch_.end_pool(0, {3, 0});
  CUgraph graph = nullptr;
  const auto end = driver_.find<PFN_cuStreamEndCapture_v10000>("cuStreamEndCapture");
  EXPECT_EQ(end(stream, &graph), CUDA_SUCCESS) << "nothing of ours made the capture invalid";
  torch_.free(in_graph, 30 * mib, 0, stream);
  torch_.release_pool(0, {3, 0});
}

TEST_F(TorchPlugin, options_are_taken_or_refused_with_a_reason) {
  EXPECT_EQ(torch_.set_options(0, "expandable_segments:True"), 0);
  void* const block = torch_.malloc(5 * mib, 0, nullptr);
  EXPECT_EQ(stats()["reserved_bytes.all.current"], 20 * mib);
  EXPECT_THROW(torch_.base_alloc(block, nullptr), std::runtime_error);
  EXPECT_EQ(torch_.set_options(0, "no_such_option:1"), 1);
  EXPECT_THAT(torch_.last_error(), HasSubstr("no_such_option"));
}

TEST_F(TorchPlugin, the_snapshot_has_pytorchs_shape) {
  ASSERT_EQ(torch_.record_history(0, 100), 0);
  void* const block = torch_.malloc(3 * mib, 0, nullptr);
  const auto snapshot = nlohmann::json::parse(torch_.snapshot());
  const auto& segment = snapshot["segments"][0];
  EXPECT_EQ(segment["device"], 0);
  EXPECT_EQ(segment["total_size"], 20 * mib);
  EXPECT_EQ(segment["blocks"][0]["state"], "active_allocated");
  EXPECT_EQ(segment["blocks"][0]["address"], reinterpret_cast<std::uint64_t>(block));
  const auto& trace = snapshot["device_traces"][0];
  ASSERT_EQ(trace.size(), 2U);
  EXPECT_EQ(trace[0]["action"], "segment_alloc");
  EXPECT_EQ(trace[1]["action"], "alloc");
  EXPECT_EQ(trace[1]["size"], 3 * mib);
}

TEST_F(TorchPlugin, segments_come_from_the_driver_and_null_says_that_there_is_none) {
  void* const segment = torch_.segment_malloc(20 * mib, 0, nullptr);
  ASSERT_NE(segment, nullptr);
  EXPECT_EQ(torch_.segment_malloc(1024 * mib, 0, nullptr), nullptr);
  const auto counts = nlohmann::json::parse(torch_.segment_stats(0));
  EXPECT_EQ(counts["given"], 1);
  EXPECT_EQ(counts["refused"], 1);
  EXPECT_EQ(counts["bytes"], 20 * mib);
  torch_.segment_free(segment, 20 * mib, 0, nullptr);
  EXPECT_EQ(nlohmann::json::parse(torch_.segment_stats(0))["bytes"], 0);
  EXPECT_EQ(stats()["reserved_bytes.all.current"], 0) << "its own cache has no part in it";
}

TEST_F(TorchPlugin, a_failure_of_the_driver_is_told_by_name) {
  fail("cuMemAlloc_v2", CUDA_ERROR_ILLEGAL_ADDRESS);
  try {
    torch_.malloc(mib, 0, nullptr);
    ADD_FAILURE() << "the driver refused";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS"));
  }
  EXPECT_NE(torch_.malloc(mib, 0, nullptr), nullptr);
}

TEST_F(TorchPlugin, frees_after_the_driver_is_gone_are_silent) {
  const CUstream other = new_stream();
  void* const block = torch_.malloc(5 * mib, 0, nullptr);
  torch_.record_stream(block, other);
  driver_.find<void (*)()>("fake_cuda_tear_down")();
  testing::internal::CaptureStderr();
  torch_.free(block, 5 * mib, 0, nullptr);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace vramlab::tests
