#include "streams/live/driver_session.h"

#include <array>

#include "allocator/types/check.h"

namespace vramlab::streams {
namespace {

NoCudaDriver failed(const CudaDriver& driver, const char* call, CUresult result) {
  return {std::string(call) + " says " + driver_error_name(driver, result)};
}

}  // namespace

std::variant<GpuFacts, NoCudaDriver> find_gpu(const CudaDriver& driver, int index) {
  int count = 0;
  if (const CUresult result = driver.init(0); result != CUDA_SUCCESS)
    return failed(driver, "cuInit", result);
  if (const CUresult result = driver.device_count(&count); result != CUDA_SUCCESS)
    return failed(driver, "cuDeviceGetCount", result);
  if (index < 0 || index >= count)
    return NoCudaDriver{"there is no GPU " + std::to_string(index) + ": the driver counts " +
                        std::to_string(count)};
  GpuFacts facts;
  facts.index = index;
  CUdevice device = 0;
  std::array<char, 256> name{};
  std::size_t memory = 0;
  const auto attribute = [&](CUdevice_attribute asked, int& into) {
    return driver.device_attribute(&into, asked, device);
  };
  CUresult result = driver.device_get(&device, index);
  if (result == CUDA_SUCCESS)
    result = driver.device_name(name.data(), static_cast<int>(name.size()) - 1, device);
  if (result == CUDA_SUCCESS) result = driver.device_total_memory(&memory, device);
  if (result == CUDA_SUCCESS)
    result = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, facts.compute_major);
  if (result == CUDA_SUCCESS)
    result = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, facts.compute_minor);
  if (result == CUDA_SUCCESS) result = driver.driver_version(&facts.driver_version);
  if (result != CUDA_SUCCESS) return failed(driver, "asking for the GPU", result);
  facts.name = name.data();
  facts.memory = {memory};
  return facts;
}

DriverSession::DriverSession(const CudaDriver& driver, int device, CallTiming timing)
    : driver_(driver), device_(device), timing_(std::move(timing)) {
  check(!timing_.listener || timing_.now, "who listens needs a clock");
  CUresult result = driver_.device_get(&handle_, device);
  if (result != CUDA_SUCCESS) fail("cuDeviceGet", result);
  result = driver_.primary_retain(&context_, handle_);
  if (result != CUDA_SUCCESS) fail("cuDevicePrimaryCtxRetain", result);
}

/// A driver that is gone already has given it back.
DriverSession::~DriverSession() { static_cast<void>(driver_.primary_release(handle_)); }

void DriverSession::fail(std::string_view call, CUresult result) const {
  std::string sentence = std::string(call) + ": " + driver_error_name(driver_, result);
  const char* words = nullptr;
  if (driver_.error_string(result, &words) == CUDA_SUCCESS && words != nullptr)
    sentence += std::string(" (") + words + ")";
  if (result == CUDA_ERROR_DEINITIALIZED || result == CUDA_ERROR_CONTEXT_IS_DESTROYED)
    throw DriverIsGone(sentence);
  throw DeviceError(sentence);
}

DriverSession::Scope::Scope(const DriverSession& session) : session_(session) {
  const CudaDriver& driver = session_.driver_;
  CUcontext current = nullptr;
  CUresult result = driver.context_current(&current);
  if (result == CUDA_SUCCESS && current != session_.context_) {
    result = driver.context_push(session_.context_);
    has_pushed_ = result == CUDA_SUCCESS;
  }
  if (result != CUDA_SUCCESS) session_.fail("cuCtxPushCurrent", result);
  static_cast<void>(driver.exchange_capture_mode(&mode_));
}

/// The context that was current before may be gone; a failure to pop changes nothing here.
DriverSession::Scope::~Scope() {
  const CudaDriver& driver = session_.driver_;
  static_cast<void>(driver.exchange_capture_mode(&mode_));
  CUcontext popped = nullptr;
  if (has_pushed_) static_cast<void>(driver.context_pop(&popped));
}

}  // namespace vramlab::streams
