// DriverSession: calls of the driver on one GPU. The GPU's primary context is current during each
// call, and the earlier one is again afterwards; calls are timed for a listener; an answer that is
// neither success nor expected becomes a DeviceError with the driver's own name of it.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "allocator/types/device.h"
#include "streams/device/driver_calls.h"
#include "streams/device/gpu_models.h"
#include "streams/live/cuda_driver.h"

namespace vramlab::streams {

/// Starts the driver and looks the GPU up.
std::variant<GpuFacts, NoCudaDriver> find_gpu(const CudaDriver& driver, int index);

/// The listener that hears of calls, and the clock that times them. Both or none.
struct CallTiming {
  DriverCallListener listener = {};
  HostTime now = {};
};

/// A call that failed because the driver has shut down: the process ends.
class DriverIsGone : public DeviceError {
 public:
  using DeviceError::DeviceError;
};

class DriverSession {
 public:
  /// Requires: the driver was started, and outlives the session. Throws DeviceError without a
  /// context.
  DriverSession(const CudaDriver& driver, int device, CallTiming timing);
  DriverSession(const DriverSession&) = delete;
  DriverSession& operator=(const DriverSession&) = delete;
  ~DriverSession();

  const CudaDriver& driver() const { return driver_; }
  int device() const { return device_; }

  /// Makes a call and gives its answer.
  template <class Call>
  CUresult run(DriverCallKind kind, Bytes bytes, const Call& call) const {
    if (!timing_.listener) return call();
    const std::uint64_t begin = timing_.now();
    const CUresult result = call();
    timing_.listener({kind, bytes, timing_.now() - begin, result == CUDA_SUCCESS});
    return result;
  }
  /// As run(), for calls that must succeed.
  template <class Call>
  void require(DriverCallKind kind, Bytes bytes, const Call& call) const {
    const CUresult result = run(kind, bytes, call);
    if (result != CUDA_SUCCESS) fail(driver_call_name(kind), result);
  }
  /// Throws DeviceError.
  [[noreturn]] void fail(std::string_view call, CUresult result) const;

  /// The context is current, and calls that a capture would forbid are allowed to this thread, as
  /// long as this lives.
  class Scope {
   public:
    explicit Scope(const DriverSession& session);
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    ~Scope();

   private:
    const DriverSession& session_;
    bool has_pushed_ = false;
    CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
  };
  [[nodiscard]] Scope enter() const { return Scope(*this); }

 private:
  const CudaDriver& driver_;
  int device_ = 0;
  CUdevice handle_ = 0;
  CUcontext context_ = nullptr;
  CallTiming timing_;
};

}  // namespace vramlab::streams
