// ShimSetup: the shim over the fake driver, and a program that calls it as the exported functions
// would: every call of the program passes the shim first. The race oracle hears of what is handed
// out and given back.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "tests/fake_cuda/engine/fake_cuda.h"
#include "tools/preload/shim/caching_shim.h"

namespace vramlab::tests {

inline constexpr std::uint64_t kib = 1ULL << 10;
inline constexpr std::uint64_t mib = 1ULL << 20;
inline constexpr int oldest_with_context_events = 12050;

struct ShimSetupOptions {
  shim::ShimOptions shim;
  fake::FakeOptions fake;
  std::unique_ptr<shim::FenceRecorder> recorder = nullptr;
  /// The functions that the shim calls in place of the fake driver's.
  std::function<void(streams::CudaDriver& driver)> change_driver = {};
};

/// The test-only way to fence: not at all.
std::unique_ptr<shim::FenceRecorder> no_fences();

class ShimSetup {
 public:
  ShimSetup();
  explicit ShimSetup(ShimSetupOptions options);
  ShimSetup(const ShimSetup&) = delete;
  ShimSetup& operator=(const ShimSetup&) = delete;

  // Memory, with what the oracle is told.
  CUresult try_alloc(CUdeviceptr* at, std::size_t bytes);
  CUdeviceptr alloc(std::size_t bytes);
  CUresult free(CUdeviceptr at);
  CUresult free_on(CUdeviceptr at, CUstream stream);
  std::size_t free_memory();
  std::size_t total_memory();

  // Contexts. The first one is current from the start.
  CUcontext make_context(CUdevice device = 0);
  void make_current(CUcontext context);
  void destroy_context(CUcontext context);
  void enable_peer_access(CUcontext from, CUcontext to);
  void disable_peer_access(CUcontext from, CUcontext to);

  // Streams.
  CUstream make_stream(unsigned flags = CU_STREAM_NON_BLOCKING);
  void destroy_stream(CUstream stream);
  /// Uses the memory for so long.
  void work(CUstream stream, CUdeviceptr at, std::size_t bytes, std::uint64_t ns = 1000000);
  /// The stream goes on when everything else put on streams so far is over.
  void wait_for_all(CUstream stream);
  void advance(std::uint64_t ns) {
    fake_->look([ns](fake::FakeCuda& cuda) { cuda.advance(ns); });
  }
  CUresult begin_capture(CUstream stream, CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL);
  CUresult end_capture(CUstream stream, CUgraph* graph = nullptr);
  CUgraph end_capture_as_graph(CUstream stream);
  void launch(CUgraph graph, CUstream stream);

  // The state that tests can see.
  std::uint64_t calls(const std::string& symbol);
  std::uint64_t driver_allocations();
  fake::RaceCounts races();
  std::string first_race();
  allocator::Snapshot snapshot();
  allocator::StatisticValues statistics();
  void fail(const std::string& function, CUresult result, std::uint64_t count = ~0ULL,
            std::uint64_t skipped = 0);

  fake::ChosenDriver& fake() { return fake_; }
  const streams::CudaDriver& driver() const { return driver_; }
  shim::CachingShim& shim() { return *shim_; }
  CUcontext context() const { return context_; }

 private:
  fake::ChosenDriver fake_;
  streams::CudaDriver driver_;
  std::unique_ptr<shim::CachingShim> shim_;
  CUcontext context_ = nullptr;
};

/// A function of the fake driver.
void* fake_symbol(const char* symbol);

/// A few words each.
shim::ShimOptions shim_options(preload::PreloadMode mode = preload::PreloadMode::deferred,
                               const std::string& settings = {});
ShimSetupOptions in_mode(preload::PreloadMode mode, const std::string& settings = {});
ShimSetupOptions with_memory(std::uint64_t bytes);

}  // namespace vramlab::tests
