// The cost of the shim beside the engine: vramlab_shim_bench [ROUNDS]. Each figure is the median of
// runs taken in turns; only ratios are worth telling.
//
// The engine's own cost is an allocation and a free that waits for an event which is over when it
// is asked about, on a device that does nothing, with one lock around each call. The shim is
// measured over the fake driver with the calls that a cached allocation makes answered at once, and
// what those answers take is taken off, so that what is compared is the shim and not the driver.
// The cost of the same calls in the fake driver stands beside it. Then the calls of a pair by
// number, also after many contexts came and went, with the time that docs/guide/sweep.md estimates
// for them: no figure of a GPU.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "allocator/caching_allocator.h"
#include "streams/device/device_costs.h"
#include "tests/shim/setup/shim_setup.h"

namespace vramlab::tests {
namespace {

using namespace allocator;
using Clock = std::chrono::steady_clock;

constexpr int pairs = 20000;
constexpr std::array<std::uint64_t, 3> sizes = {64 * kib, 2 * mib, 64 * mib};

/// Has memory without end, and events that are over at once.
class IdleDevice final : public Device {
 public:
  MemoryInfo memory_info() override { return {{1ULL << 40}, {1ULL << 40}}; }
  std::optional<Address> allocate(Bytes size, StreamId) override {
    const Address at = next_;
    next_ = next_ + size;
    return at;
  }
  void release(Address) override {}
  std::optional<Address> reserve(Bytes, StreamId) override { return std::nullopt; }
  void release_reservation(Address, Bytes) override {}
  bool map(const UnitRange&) override { return false; }
  void unmap(const UnitRange&) override {}
  void wait_for_stream(StreamId) override {}
  EventId record_event(StreamId) override { return {1}; }
  bool is_complete(EventId) override { return true; }
  void wait_for_event(EventId) override {}
  void forget_event(EventId) override {}
  std::optional<StreamCapture> capture_of(StreamId) override { return std::nullopt; }
  std::vector<GraphNode> dependencies_of(GraphNode) override { return {}; }

 private:
  Address next_{1ULL << 40};
};

/// This thread's own time: other threads may have the machine in between.
double thread_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

double ns_each(const std::function<void()>& work) {
  const double start = thread_ns();
  work();
  return (thread_ns() - start) / pairs;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Measures an allocation and a free.
class LockedEngine {
 public:
  void pair(std::uint64_t bytes) {
    Address at;
    {
      const std::lock_guard lock(mutex_);
      at = engine_.malloc({bytes}, {0}).address;
    }
    const std::lock_guard lock(mutex_);
    engine_.record_stream(at, {1});
    engine_.free(at);
  }

 private:
  std::mutex mutex_;
  IdleDevice device_;
  CountingAllocator engine_{device_, default_reference_version()};
};

/// The driver's calls that the shim makes for an allocation and a free.
class DriverCalls {
 public:
  DriverCalls(const streams::CudaDriver& driver, CUcontext context)
      : driver_(driver), context_(context) {
    driver_.event_create(&event_, CU_EVENT_DISABLE_TIMING);
  }
  void pair() {
    CUcontext current = nullptr;
    unsigned long long id = 0;
    CUstreamCaptureStatus status{};
    driver_.context_current(&current);
    driver_.context_id(current, &id);
    driver_.event_query(event_);
    driver_.context_current(&current);
    driver_.stream_is_capturing(CU_STREAM_LEGACY, &status);
    driver_.context_record_event(context_, event_);
  }

 private:
  const streams::CudaDriver driver_;
  CUcontext context_;
  CUevent event_ = nullptr;
};

void pair_of(shim::CachingShim& shim, std::uint64_t bytes) {
  CUdeviceptr at = 0;
  if (shim.mem_alloc(&at, bytes) != CUDA_SUCCESS || shim.mem_free(at) != CUDA_SUCCESS) std::abort();
}

template <class Pair>
double repeated(const Pair& pair) {
  return ns_each([&] {
    for (int i = 0; i < pairs; ++i) pair();
  });
}

/// A driver whose events and contexts cost nothing: what is left is the shim's own lock.
streams::CudaDriver quick_driver(const streams::CudaDriver& fake, CUcontext context) {
  static CUcontext only;
  only = context;
  streams::CudaDriver quick = fake;
  quick.context_current = [](CUcontext* current) { return *current = only, CUDA_SUCCESS; };
  quick.context_id = [](CUcontext, unsigned long long* id) { return *id = 1, CUDA_SUCCESS; };
  quick.event_query = [](CUevent) { return CUDA_SUCCESS; };
  quick.context_record_event = [](CUcontext, CUevent) { return CUDA_SUCCESS; };
  quick.stream_is_capturing = [](CUstream, CUstreamCaptureStatus* status) {
    return *status = CU_STREAM_CAPTURE_STATUS_NONE, CUDA_SUCCESS;
  };
  return quick;
}

/// The calls of one pair, on a driver whose events cost time.
struct PairCalls {
  double all = 0;
  double recorded = 0;
  double asked = 0;
  double estimated_ns() const {
    const streams::DeviceCosts& costs = streams::estimated_costs();
    const auto one = [&](streams::DeviceCall call) {
      return static_cast<double>(costs.nanoseconds_of(call, {}));
    };
    return recorded * one(streams::DeviceCall::record_event) +
           asked * one(streams::DeviceCall::query_event);
  }
};

PairCalls calls_of_pair(ShimSetup& setup, std::uint64_t bytes) {
  const auto count = [&]() -> PairCalls {
    const std::uint64_t all =
        setup.fake()->look([](fake::FakeCuda& cuda) { return cuda.log().count(); });
    return {static_cast<double>(all),
            static_cast<double>(setup.calls("cuCtxRecordEvent") + setup.calls("cuEventRecord")),
            static_cast<double>(setup.calls("cuEventQuery"))};
  };
  pair_of(setup.shim(), bytes);
  pair_of(setup.shim(), bytes);
  const PairCalls before = count();
  for (int i = 0; i < pairs; ++i) pair_of(setup.shim(), bytes);
  const PairCalls after = count();
  return {(after.all - before.all) / pairs, (after.recorded - before.recorded) / pairs,
          (after.asked - before.asked) / pairs};
}

void come_and_go(ShimSetup& setup, int contexts) {
  for (int i = 0; i < contexts; ++i) {
    const CUcontext context = setup.make_context();
    setup.alloc(mib);
    setup.make_current(setup.context());
    setup.destroy_context(context);
  }
}

void count_calls(int rounds) {
  constexpr std::uint64_t bytes = 2 * mib;
  std::puts(
      "the driver's calls of a cached pair, and its time with what they are estimated to take");
  for (const int contexts : {0, 5000}) {
    ShimSetup setup;
    come_and_go(setup, contexts);
    const PairCalls calls = calls_of_pair(setup, bytes);
    DriverCalls fake_calls(setup.driver(), setup.context());
    std::vector<double> taken;
    std::vector<double> taken_by_fake;
    for (int round = 0; round < rounds; ++round) {
      taken.push_back(repeated([&] { pair_of(setup.shim(), bytes); }));
      taken_by_fake.push_back(repeated([&] { fake_calls.pair(); }));
    }
    const double own = median(taken) - median(taken_by_fake);
    std::printf(
        "after %4d contexts: %.2f calls (%.2f record an event, %.2f ask about one): %.0f ns, "
        "of which the library takes %.0f ns\n",
        contexts, calls.all, calls.recorded, calls.asked, calls.estimated_ns() + own, own);
  }
  const streams::DeviceCosts& costs = streams::estimated_costs();
  std::printf(
      "the driver's own pair of cuMemAlloc and cuMemFree is estimated to take %llu ns\n",
      static_cast<unsigned long long>(costs.nanoseconds_of(streams::DeviceCall::allocate, {bytes}) +
                                      costs.nanoseconds_of(streams::DeviceCall::release, {bytes})));
}

void compare_costs(int rounds) {
  std::puts("an allocation and a free, deferred, on one thread");
  std::puts("size       engine+lock  shim  shim/(engine+lock)  the fake driver's calls");
  for (const std::uint64_t bytes : sizes) {
    LockedEngine engine;
    ShimSetup setup;
    DriverCalls calls(setup.driver(), setup.context());
    const streams::CudaDriver quick = quick_driver(setup.driver(), setup.context());
    DriverCalls quick_calls(quick, setup.context());
    shim::CachingShim shim(quick, shim_options());
    std::array<std::vector<double>, 4> taken;
    for (int round = 0; round < rounds; ++round) {
      taken[0].push_back(repeated([&] { engine.pair(bytes); }));
      taken[1].push_back(repeated([&] { pair_of(shim, bytes); }));
      taken[2].push_back(repeated([&] { quick_calls.pair(); }));
      taken[3].push_back(repeated([&] { calls.pair(); }));
    }
    const double own = median(taken[0]);
    const double ours = median(taken[1]) - median(taken[2]);
    std::printf("%6llu KiB  %6.0f ns  %6.0f ns  %.2f  %6.0f ns\n",
                static_cast<unsigned long long>(bytes / kib), own, ours, ours / own,
                median(taken[3]));
  }
}

// Threads.

/// Pairs in a nanosecond, of all threads together.
double throughput(const std::function<void(std::size_t)>& work, std::size_t threads) {
  std::vector<std::thread> running;
  const Clock::time_point start = Clock::now();
  for (std::size_t i = 0; i < threads; ++i) running.emplace_back(work, i);
  for (std::thread& thread : running) thread.join();
  const std::chrono::duration<double, std::nano> taken = Clock::now() - start;
  return static_cast<double>(pairs) * static_cast<double>(threads) / taken.count();
}

void compare_threads(int rounds) {
  ShimSetup setup;
  shim::CachingShim shim(quick_driver(setup.driver(), setup.context()), shim_options());
  LockedEngine engine;
  const auto in_shim = [&](std::size_t) {
    setup.make_current(setup.context());
    for (int i = 0; i < pairs; ++i) pair_of(shim, 64 * kib);
  };
  const auto in_engine = [&](std::size_t) {
    for (int i = 0; i < pairs; ++i) engine.pair(64 * kib);
  };
  std::array<std::vector<double>, 4> taken;
  for (int round = 0; round < rounds; ++round) {
    taken[0].push_back(throughput(in_shim, 1));
    taken[1].push_back(throughput(in_shim, 8));
    taken[2].push_back(throughput(in_engine, 1));
    taken[3].push_back(throughput(in_engine, 8));
  }
  std::puts("8 threads' throughput over one thread's");
  std::printf("shim %.2f  engine+lock %.2f\n", median(taken[1]) / median(taken[0]),
              median(taken[3]) / median(taken[2]));
}

}  // namespace
}  // namespace vramlab::tests

int main(int count, char** words) {
  const int rounds = count > 1 ? std::max(1, std::atoi(words[1])) : 15;
  vramlab::tests::compare_costs(rounds);
  vramlab::tests::count_calls(rounds);
  vramlab::tests::compare_threads(rounds);
}
