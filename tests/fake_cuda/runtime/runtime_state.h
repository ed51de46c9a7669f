// RuntimeState: what CUDA's runtime keeps of its own: which device each thread uses, its last
// error, and the kernels that programs register before main.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <string>

#include "streams/cuda_interface/types.h"
#include "tests/fake_cuda/runtime/fake_cudart.h"
#include "tests/fake_cuda/runtime/runtime_driver.h"

namespace vramlab::fake {

/// One thread's state.
struct RuntimeThread {
  int device = 0;
  int last_error = 0;
  /// The configuration of the launch under way.
  fake_dim3 grid{};
  fake_dim3 block{};
  std::size_t shared_bytes = 0;
  void* stream = nullptr;
};
RuntimeThread& runtime_thread();

class RuntimeState {
 public:
  void add_kernel(const void* host, const std::string& name);
  /// Null where nobody registered it.
  void* kernel_of(const void* host);
  /// The driver's function. Requires: a context is current.
  CUfunction function_of(void* kernel, CUresult& result);

  /// Makes the thread's device usable: the driver is there and its primary context is current.
  CUresult begin_call();
  CUresult reset();

 private:
  std::mutex lock_;
  std::map<const void*, std::string> kernels_;
  /// Contexts that are held, by device.
  std::map<int, CUcontext> contexts_;
  bool is_initialised_ = false;
};
/// Never destroyed: programs call until they are gone.
RuntimeState& runtime_state();

/// The call, with the thread's context; the result is the thread's last error where it is one.
template <class Body>
int runtime_call(const Body& body) {
  CUresult result = runtime_state().begin_call();
  if (result == CUDA_SUCCESS) result = body(runtime_driver());
  if (result != CUDA_SUCCESS && result != CUDA_ERROR_NOT_READY)
    runtime_thread().last_error = static_cast<int>(result);
  return static_cast<int>(result);
}

}  // namespace vramlab::fake
