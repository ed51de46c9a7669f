// FenceRecorder: puts behind everything that could still use a block what tells when it is over:
// in the block's context and in every context with access to its memory. The three ways, from the
// best: an event of the whole context; an event on the legacy stream and on every stream that does
// not wait for it; waiting for the context. A driver that refuses one way gets the next.
#pragma once

#include <atomic>
#include <memory>

#include "tools/preload/segments/fence.h"

namespace vramlab::shim {

enum class FenceKind {
  /// By what the driver has.
  automatic,
  context_event,
  stream_events,
  wait,
};

/// When a fence is recorded. At once: a free waits, or wants no later work covered.
enum class FenceTime { with_next_request, at_once };

class FenceRecorder {
 public:
  FenceRecorder() = default;
  FenceRecorder(const FenceRecorder&) = delete;
  FenceRecorder& operator=(const FenceRecorder&) = delete;
  virtual ~FenceRecorder() = default;

  FenceTime time() const { return time_.load(std::memory_order_relaxed); }
  void set_time(FenceTime time) { time_.store(time); }
  /// Sets the fence's state last: from then on others may have it.
  /// Requires: no lock is held, and no capture begins in the owner's context meanwhile.
  [[gnu::flatten]] FenceState record(Fence& fence, ContextRecord& owner, MayWait may_wait);
  /// One event on one stream of this context: what is freed in a stream's order.
  FenceState record_on(CUstream stream, ContextRecord& context, Fence& fence);

 private:
  /// Requires: no capture is known to be open in the context. CUDA_ERROR_NOT_READY where only
  /// waiting would do and the fence's call may not.
  virtual CUresult record_in(ContextRecord& context, Fence& fence) = 0;
  CUresult record_everywhere(Fence& fence, ContextRecord& owner);

  std::atomic<FenceTime> time_ = FenceTime::with_next_request;
};

std::unique_ptr<FenceRecorder> make_fence_recorder(FenceKind kind,
                                                   const streams::CudaDriver& driver);

}  // namespace vramlab::shim
