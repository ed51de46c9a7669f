#include "tools/cuda_standins/runtime/runtime_state.h"

#include "tools/cuda_standins/runtime/kernels.h"

namespace vramlab::dry_run {

RuntimeThread& runtime_thread() {
  constinit thread_local RuntimeThread thread;
  return thread;
}

RuntimeState& runtime_state() {
  static auto* const state = new RuntimeState;
  return *state;
}

int RuntimeState::initialise() {
  if (is_initialised_.load(std::memory_order_acquire)) return error::success;
  const RuntimeDriver& driver = runtime_driver();
  if (!driver.ask.has_driver()) return error::no_driver;
  const std::lock_guard guard(lock_);
  const int result = driver.init(0);
  if (result != error::success) return result;
  using SetRuntime = void (*)(int version);
  if (const auto set =
          reinterpret_cast<SetRuntime>(driver.ask.symbol("vramlab_dry_run_set_runtime")))
    set(runtime_version());
  is_initialised_.store(true, std::memory_order_release);
  return result;
}

int RuntimeState::use_device() {
  if (const int result = initialise(); result != error::success) return result;
  RuntimeThread& thread = runtime_thread();
  const RuntimeDriver& driver = runtime_driver();
  CudaContext current = nullptr;
  if (const int result = driver.get_current(&current); result != error::success) return result;
  if (current == nullptr) return take_context();
  if (current != thread.context) return driver.context_device(&thread.used_device);
  if (thread.resets != resets_.load(std::memory_order_relaxed)) return take_context();
  thread.used_device = thread.device;
  return error::success;
}

int RuntimeState::take_context() {
  RuntimeThread& thread = runtime_thread();
  CudaContext context = nullptr;
  if (const int result = context_of(thread.device, &context); result != error::success)
    return result;
  thread.resets = resets_.load(std::memory_order_relaxed);
  thread.context = context;
  thread.used_device = thread.device;
  return runtime_driver().set_current(context);
}

int RuntimeState::context_of(int device, CudaContext* context) {
  if (const int result = initialise(); result != error::success) return result;
  const std::lock_guard guard(lock_);
  CudaContext& held = held_[device];
  if (held == nullptr)
    if (const int result = runtime_driver().retain(&held, device); result != error::success) {
      held_.erase(device);
      return result;
    }
  *context = held;
  return error::success;
}

int RuntimeState::set_device(int device) {
  if (const int result = initialise(); result != error::success) return result;
  int count = 0;
  if (const int result = runtime_driver().device_count(&count); result != error::success)
    return result;
  if (device < 0 || device >= count) return error::invalid_device;
  RuntimeThread& thread = runtime_thread();
  const int before = thread.device;
  thread.device = device;
  const int result = take_context();
  if (result != error::success) thread.device = before;
  return result;
}

int RuntimeState::get_device(int* device) {
  if (device == nullptr) return error::invalid_value;
  if (const int result = initialise(); result != error::success) return result;
  const RuntimeThread& thread = runtime_thread();
  CudaContext current = nullptr;
  if (const int result = runtime_driver().get_current(&current); result != error::success)
    return result;
  if (current != nullptr && current != thread.context)
    return runtime_driver().context_device(device);
  *device = thread.device;
  return error::success;
}

int RuntimeState::reset_device() {
  if (const int result = initialise(); result != error::success) return result;
  const std::lock_guard guard(lock_);
  const int device = runtime_thread().device;
  held_.erase(device);
  ++resets_;
  kernels().forget_device(device);
  return runtime_driver().reset(device);
}

}  // namespace vramlab::dry_run
