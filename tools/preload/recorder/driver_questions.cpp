#include "tools/preload/recorder/driver_questions.h"

#include <array>

#include "tools/preload/driver/driver_library.h"
#include "tools/preload/ground/record_line.h"

namespace vramlab::preload {
DriverQuestions::DriverQuestions()
    : context_current_(driver_function_of<PFN_cuCtxGetCurrent_v4000>("cuCtxGetCurrent")),
      context_device_(driver_function_of<PFN_cuCtxGetDevice_v2000>("cuCtxGetDevice")),
      is_capturing_(driver_function_of<PFN_cuStreamIsCapturing_v10000>("cuStreamIsCapturing")),
      pointer_attribute_(
          driver_function_of<PFN_cuPointerGetAttribute_v4000>("cuPointerGetAttribute")),
      device_count_(driver_function_of<PFN_cuDeviceGetCount_v2000>("cuDeviceGetCount")),
      device_get_(driver_function_of<PFN_cuDeviceGet_v2000>("cuDeviceGet")),
      device_name_(driver_function_of<PFN_cuDeviceGetName_v2000>("cuDeviceGetName")),
      device_memory_(driver_function_of<PFN_cuDeviceTotalMem_v3020>("cuDeviceTotalMem_v2")) {}

CUcontext DriverQuestions::current_context() const {
  CUcontext context = nullptr;
  if (context_current_ == nullptr || context_current_(&context) != CUDA_SUCCESS) return nullptr;
  return context;
}

std::uint32_t DriverQuestions::current_device() const {
  CUdevice device = 0;
  if (context_device_ == nullptr || context_device_(&device) != CUDA_SUCCESS || device < 0)
    return 0;
  return static_cast<std::uint32_t>(device);
}

bool DriverQuestions::is_capturing(StreamHandle stream) const {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  return is_capturing_ != nullptr &&
         is_capturing_(stream.explicit_handle(), &status) == CUDA_SUCCESS &&
         status == CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

std::uint32_t DriverQuestions::device_of(CUdeviceptr at) const {
  int device = 0;
  if (pointer_attribute_ == nullptr ||
      pointer_attribute_(&device, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, at) != CUDA_SUCCESS ||
      device < 0)
    return current_device();
  return static_cast<std::uint32_t>(device);
}

std::string DriverQuestions::devices() const {
  int count = 0;
  if (device_count_ == nullptr || device_get_ == nullptr || device_name_ == nullptr ||
      device_memory_ == nullptr || device_count_(&count) != CUDA_SUCCESS)
    return {};
  RecordLine list;
  for (int number = 0; number < count; ++number) {
    CUdevice device = 0;
    std::size_t bytes = 0;
    std::array<char, 256> name{};
    if (device_get_(&device, number) != CUDA_SUCCESS ||
        device_memory_(&bytes, device) != CUDA_SUCCESS ||
        device_name_(name.data(), static_cast<int>(name.size()) - 1, device) != CUDA_SUCCESS)
      return {};
    list.raw(number == 0 ? "" : ",").begin("device", static_cast<std::uint64_t>(number));
    list.add("memory", bytes).add("name", name.data()).raw("}");
  }
  return "[" + std::string(list.letters()) + "]";
}

}  // namespace vramlab::preload
