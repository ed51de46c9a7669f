#include "tests/fake_cuda/runtime/runtime_state.h"

namespace vramlab::fake {
namespace {

/// cudaErrorInsufficientDriver: also where there is none.
constexpr auto no_driver = static_cast<CUresult>(35);

}  // namespace

RuntimeThread& runtime_thread() {
  thread_local RuntimeThread thread;
  return thread;
}

RuntimeState& runtime_state() {
  static auto* const state = new RuntimeState;
  return *state;
}

void RuntimeState::add_kernel(const void* host, const std::string& name) {
  const std::lock_guard guard(lock_);
  kernels_[host] = name;
}

void* RuntimeState::kernel_of(const void* host) {
  const std::lock_guard guard(lock_);
  const auto found = kernels_.find(host);
  return found == kernels_.end() ? nullptr : &found->second;
}

CUfunction RuntimeState::function_of(void* kernel, CUresult& result) {
  const RuntimeDriver& driver = runtime_driver();
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  result = driver.module_load(&module, "");
  if (result == CUDA_SUCCESS)
    result =
        driver.module_function(&function, module, static_cast<const std::string*>(kernel)->c_str());
  return function;
}

CUresult RuntimeState::begin_call() {
  const RuntimeDriver& driver = runtime_driver();
  if (driver.init == nullptr) return no_driver;
  CUcontext context = nullptr;
  {
    const std::lock_guard guard(lock_);
    if (!is_initialised_) {
      if (const CUresult result = driver.init(0); result != CUDA_SUCCESS) return result;
      is_initialised_ = true;
    }
    CUcontext& held = contexts_[runtime_thread().device];
    if (held == nullptr)
      if (const CUresult result = driver.retain(&held, runtime_thread().device);
          result != CUDA_SUCCESS)
        return result;
    context = held;
  }
  CUcontext current = nullptr;
  const CUresult result = driver.get_current(&current);
  return result != CUDA_SUCCESS || current == context ? result : driver.set_current(context);
}

CUresult RuntimeState::reset() {
  const std::lock_guard guard(lock_);
  contexts_.erase(runtime_thread().device);
  return runtime_driver().reset(runtime_thread().device);
}

}  // namespace vramlab::fake
