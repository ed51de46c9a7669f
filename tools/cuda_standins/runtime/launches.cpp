// CUDA's runtime: launches.
#include "tools/cuda_standins/runtime/kernels.h"
#include "tools/cuda_standins/runtime/runtime_state.h"

using namespace vramlab::dry_run;

namespace {

bool is_empty(dim3 size) { return size.x == 0 || size.y == 0 || size.z == 0; }

/// The largest block and grid are the same on all GPUs that are still supported.
bool can_be_launched(dim3 grid, dim3 block) {
  constexpr unsigned most_rows = 65535;
  constexpr unsigned most_layers = 64;
  constexpr unsigned most_threads = 1024;
  return !is_empty(grid) && !is_empty(block) && grid.y <= most_rows && grid.z <= most_rows &&
         block.x <= most_threads && block.y <= most_threads && block.z <= most_layers &&
         static_cast<unsigned long long>(block.x) * block.y * block.z <= most_threads;
}

template <class Launch>
int launch(const void* host, dim3 grid, dim3 block, const Launch& call) {
  return runtime_call([&](const RuntimeDriver& driver) {
    if (host == nullptr) return error::invalid_function;
    cudaFunction_t function = nullptr;
    const int result = kernels().function_of(host, runtime_thread().used_device, &function);
    if (result != error::success) return result;
    return can_be_launched(grid, block) ? call(driver, function) : error::invalid_configuration;
  });
}

int on_cudaLaunchKernel(DefaultStream variant, const void* host, dim3 grid, dim3 block,
                        void** arguments, size_t shared_bytes, cudaStream_t stream) {
  return launch(host, grid, block, [&](const RuntimeDriver& driver, cudaFunction_t function) {
    return driver.launch[variant](function, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                                  static_cast<unsigned>(shared_bytes), stream, arguments, nullptr);
  });
}
int on___cudaLaunchKernel(DefaultStream variant, cudaKernel_t kernel, dim3 grid, dim3 block,
                          void** arguments, size_t shared_bytes, cudaStream_t stream) {
  return on_cudaLaunchKernel(variant, kernel, grid, block, arguments, shared_bytes, stream);
}
int on_cudaLaunchCooperativeKernel(DefaultStream variant, const void* host, dim3 grid, dim3 block,
                                   void** arguments, size_t shared_bytes, cudaStream_t stream) {
  return launch(host, grid, block, [&](const RuntimeDriver& driver, cudaFunction_t function) {
    return driver.launch_cooperative[variant](function, grid.x, grid.y, grid.z, block.x, block.y,
                                              block.z, static_cast<unsigned>(shared_bytes), stream,
                                              arguments);
  });
}
int on_cudaLaunchKernelExC(DefaultStream variant, const cudaLaunchConfig_t* how, const void* host,
                           void** arguments) {
  if (how == nullptr) return finish_call(error::invalid_value);
  const DriverLaunch order = {
      how->gridDim, how->blockDim, static_cast<unsigned>(how->dynamicSmemBytes),
      how->stream,  how->attrs,    how->numAttrs};
  return launch(host, how->gridDim, how->blockDim,
                [&](const RuntimeDriver& driver, cudaFunction_t function) {
                  return driver.launch_with[variant](&order, function, arguments, nullptr);
                });
}

}  // namespace

CUDART_TWINS(cudaLaunchKernel, _ptsz,
             (const void* host, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
              cudaStream_t stream),
             host, grid, block, arguments, shared_bytes, stream)
CUDART_TWINS(__cudaLaunchKernel, _ptsz,
             (cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
              cudaStream_t stream),
             kernel, grid, block, arguments, shared_bytes, stream)
CUDART_TWINS(cudaLaunchCooperativeKernel, _ptsz,
             (const void* host, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
              cudaStream_t stream),
             host, grid, block, arguments, shared_bytes, stream)
CUDART_TWINS(cudaLaunchKernelExC, _ptsz,
             (const cudaLaunchConfig_t* how, const void* host, void** arguments), how, host,
             arguments)
CUDART_FORWARD_TWINS(cudaLaunchHostFunc, _ptsz, host_function,
                     (cudaStream_t stream, cudaHostFn_t function, void* argument), stream, function,
                     argument)
