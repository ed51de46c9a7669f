// RuntimeState: the runtime's own state: the device and the last error of each thread, and the
// contexts that it holds. It also says how a function of the runtime is written.
//
// A thread that has a context of the driver's keeps it; otherwise the first call that needs one
// makes the primary context of the thread's device current, and no call before.
#pragma once

#include <atomic>
#include <map>
#include <mutex>

#include "tools/cuda_standins/runtime/cudart.h"
#include "tools/cuda_standins/runtime/errors.h"
#include "tools/cuda_standins/runtime/runtime_driver.h"

namespace vramlab::dry_run {

// The version of CUDA's runtime that this library stands for. v12 and v13 say it, beside the
// functions that mean something else in the other.

inline constexpr int first_version_13 = 13000;

/// The version that cudaRuntimeGetVersion tells.
int runtime_version();
/// The library's name, for instance libcudart.so.12.
const char* runtime_library();

/// The values between <<< and >>>.
struct LaunchConfiguration {
  dim3 grid{};
  dim3 block{};
  std::size_t shared_bytes = 0;
  cudaStream_t stream = nullptr;
};

/// One thread's state.
struct RuntimeThread {
  static constexpr int most_configurations = 16;

  int device = 0;
  int last_error = 0;
  /// The device whose context the call under way uses.
  int used_device = 0;
  /// The context that this runtime made current last, and how often devices were reset before.
  CudaContext context = nullptr;
  unsigned resets = 0;
  /// Launches under way, since arguments of a launch may launch something.
  LaunchConfiguration configurations[most_configurations]{};
  int configuration_count = 0;
};
RuntimeThread& runtime_thread();

class RuntimeState {
 public:
  /// Makes sure that the driver can be called.
  int initialise();
  /// Makes sure that the thread has a context.
  int use_device();
  int set_device(int device);
  int get_device(int* device);
  /// The device's primary context, which is held from then on.
  int context_of(int device, CudaContext* context);
  int reset_device();

 private:
  int take_context();

  std::mutex lock_;
  std::map<int, CudaContext> held_;
  std::atomic<bool> is_initialised_ = false;
  std::atomic<unsigned> resets_ = 0;
};
/// It is never destroyed: programs call until they are gone.
RuntimeState& runtime_state();

/// The result is the thread's last error where it is one.
inline int finish_call(int result) {
  if (result != error::success && result != error::not_ready) runtime_thread().last_error = result;
  return result;
}

/// The call, with the thread's context.
template <class Body>
int runtime_call(const Body& body) {
  const int result = runtime_state().use_device();
  return finish_call(result == error::success ? body(runtime_driver()) : result);
}

/// The same for what needs no context.
template <class Body>
int driver_call(const Body& body) {
  const int result = runtime_state().initialise();
  return finish_call(result == error::success ? body(runtime_driver()) : result);
}

/// Passes the call on to a function of the driver that has the same form.
template <auto Member, class... Arguments>
int forward(Arguments... arguments) {
  return runtime_call([=](const RuntimeDriver& driver) { return (driver.*Member)(arguments...); });
}
template <auto Member, class... Arguments>
int forward_to_driver(Arguments... arguments) {
  return driver_call([=](const RuntimeDriver& driver) { return (driver.*Member)(arguments...); });
}
template <auto Member, class... Arguments>
int forward_variant(DefaultStream variant, Arguments... arguments) {
  return runtime_call(
      [=](const RuntimeDriver& driver) { return (driver.*Member)[variant](arguments...); });
}

}  // namespace vramlab::dry_run

/// CUDART_CALL(cudaMalloc)(parameters) { ... }
#define CUDART_CALL(name) extern "C" VRAMLAB_CUDART_API int name

/// Both stream variants of a function, over on_NAME(variant, arguments).
#define CUDART_TWINS(name, suffix, parameters, ...)                        \
  CUDART_CALL(name) parameters {                                           \
    return on_##name(vramlab::dry_run::DefaultStream::plain, __VA_ARGS__); \
  }                                                                        \
  CUDART_CALL(name##suffix) parameters {                                   \
    return on_##name(vramlab::dry_run::DefaultStream::own, __VA_ARGS__);   \
  }

/// A function that the driver has in the same form, also in two variants.
#define CUDART_FORWARD(name, member, parameters, ...)                                        \
  CUDART_CALL(name) parameters {                                                             \
    return vramlab::dry_run::forward<&vramlab::dry_run::RuntimeDriver::member>(__VA_ARGS__); \
  }
#define CUDART_FORWARD_TWINS(name, suffix, member, parameters, ...)                     \
  CUDART_CALL(name) parameters {                                                        \
    return vramlab::dry_run::forward_variant<&vramlab::dry_run::RuntimeDriver::member>( \
        vramlab::dry_run::DefaultStream::plain, __VA_ARGS__);                           \
  }                                                                                     \
  CUDART_CALL(name##suffix) parameters {                                                \
    return vramlab::dry_run::forward_variant<&vramlab::dry_run::RuntimeDriver::member>( \
        vramlab::dry_run::DefaultStream::own, __VA_ARGS__);                             \
  }
