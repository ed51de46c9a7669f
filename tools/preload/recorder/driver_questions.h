// What the recorder asks the driver about a call's surroundings. A driver that does not say leaves
// the answer at nothing.
#pragma once

#include <cstdint>
#include <string>

#include "streams/cuda_interface/functions.h"
#include "tools/preload/ground/memory_calls.h"

namespace vramlab::preload {

class DriverQuestions {
 public:
  /// Requires: the driver is loaded.
  DriverQuestions();

  /// This thread's context; null without one.
  CUcontext current_context() const;
  std::uint32_t current_device() const;
  bool is_capturing(StreamHandle stream) const;
  /// The device of a stream-ordered allocation. Its pool may be on another device than the stream.
  std::uint32_t device_of(CUdeviceptr at) const;
  /// As the header of a trace has them: `[{"device":0,"memory":1024,"name":"..."}]`. Empty where
  /// the driver does not say.
  std::string devices() const;

 private:
  PFN_cuCtxGetCurrent_v4000 context_current_;
  PFN_cuCtxGetDevice_v2000 context_device_;
  PFN_cuStreamIsCapturing_v10000 is_capturing_;
  PFN_cuPointerGetAttribute_v4000 pointer_attribute_;
  PFN_cuDeviceGetCount_v2000 device_count_;
  PFN_cuDeviceGet_v2000 device_get_;
  PFN_cuDeviceGetName_v2000 device_name_;
  PFN_cuDeviceTotalMem_v3020 device_memory_;
};

}  // namespace vramlab::preload
