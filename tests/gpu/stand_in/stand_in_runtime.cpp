#include "tests/gpu/stand_in/stand_in_runtime.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <utility>

#include "allocator/types/check.h"

namespace vramlab::tests {
namespace {

using namespace streams;

/// In the order of CudaStatus.
constexpr std::array<cudaError_t, 17> errors = {cudaSuccess,
                                                cudaErrorNotReady,
                                                cudaErrorInvalidValue,
                                                cudaErrorInvalidResourceHandle,
                                                cudaErrorIllegalState,
                                                cudaErrorMemoryAllocation,
                                                cudaErrorStreamCaptureUnsupported,
                                                cudaErrorStreamCaptureInvalidated,
                                                cudaErrorStreamCaptureMerge,
                                                cudaErrorStreamCaptureUnmatched,
                                                cudaErrorStreamCaptureUnjoined,
                                                cudaErrorStreamCaptureIsolation,
                                                cudaErrorStreamCaptureImplicit,
                                                cudaErrorStreamCaptureWrongThread,
                                                cudaErrorCapturedEvent,
                                                cudaErrorIllegalAddress,
                                                cudaErrorLaunchFailure};

StreamModel stand_in_model() {
  StreamModel model;
  model.launch_latency = {3'000};
  model.call_time = {2'000};
  model.limits = {8, 2, 1, 4};
  return model;
}

/// Numbers of threads are not given twice, unlike the names that the system has for them.
ThreadId this_thread() {
  static std::atomic<std::uint32_t> next{0};
  thread_local const std::uint32_t number = next++;
  return {number};
}

}  // namespace

StandInRuntime& stand_in_runtime() {
  static StandInRuntime runtime;
  return runtime;
}

StandInRuntime::StandInRuntime() : timed_(stand_in_model(), *this) {}

TimedStreams& StandInRuntime::next_call() {
  check(timed_.begin_call(this_thread(), std::nullopt), "nothing here waits for ever");
  return timed_;
}

cudaError_t StandInRuntime::returns(CudaStatus status) {
  // A wait returns the fault of what it waited for.
  next_call();
  const bool is_new_fault = status == CudaStatus::success;
  return errors.at(static_cast<std::size_t>(is_new_fault ? timed_.lost_context() : status));
}

StreamAt StandInRuntime::stream_at(cudaStream_t stream) {
  const auto name = reinterpret_cast<std::uintptr_t>(stream);
  return {0, {stream == cudaStreamLegacy ? 0 : name}};
}

CudaStatus StandInRuntime::status_of(cudaError_t error) {
  const auto found = std::ranges::find(errors, error);
  check(found != errors.end(), "only errors of the simulator are named");
  return static_cast<CudaStatus>(found - errors.begin());
}

cudaError_t StandInRuntime::submit(cudaStream_t stream, Work work, WorkBody body) {
  work.tag = next_tag_++;
  bodies_[work.tag] = std::move(body);
  return returns(next_call().submit(stream_at(stream), work));
}

void StandInRuntime::ended(const EndedItem& item) {
  if (const auto body = bodies_.find(item.tag); body != bodies_.end())
    body->second(item.begin, item.end);
}

void* StandInRuntime::allocate_pinned(std::size_t bytes) {
  void* memory = std::calloc(bytes, 1);
  pinned_.insert(memory);
  return memory;
}

void StandInRuntime::release(void* memory) {
  pinned_.erase(memory);
  std::free(memory);
}

}  // namespace vramlab::tests
