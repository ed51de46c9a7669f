// CUDA's runtime: launches, the attributes of kernels, and how many of their blocks fit.
#include <array>
#include <mutex>
#include <string>

#include "tools/cuda_standins/code/fat_binary.h"
#include "tools/cuda_standins/code/kernel_facts.h"
#include "tools/cuda_standins/runtime/errors.h"
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

// The attributes of kernels, and how many of their blocks fit.

namespace {

template <class Call>
int with_function(const void* host, const Call& call) {
  return runtime_call([&](const RuntimeDriver& driver) {
    cudaFunction_t function = nullptr;
    const int result = kernels().function_of(host, runtime_thread().used_device, &function);
    return result == error::success ? call(driver, function) : result;
  });
}

/// The driver's attributes, by their numbers. The driver may not have all of them.
struct FunctionAttribute {
  int number;
  int cudaFuncAttributes::* field;
};
constexpr std::array function_attributes = {
    FunctionAttribute{0, &cudaFuncAttributes::maxThreadsPerBlock},
    FunctionAttribute{4, &cudaFuncAttributes::numRegs},
    FunctionAttribute{5, &cudaFuncAttributes::ptxVersion},
    FunctionAttribute{6, &cudaFuncAttributes::binaryVersion},
    FunctionAttribute{7, &cudaFuncAttributes::cacheModeCA},
    FunctionAttribute{8, &cudaFuncAttributes::maxDynamicSharedSizeBytes},
    FunctionAttribute{9, &cudaFuncAttributes::preferredShmemCarveout},
    FunctionAttribute{10, &cudaFuncAttributes::clusterDimMustBeSet},
    FunctionAttribute{11, &cudaFuncAttributes::requiredClusterWidth},
    FunctionAttribute{12, &cudaFuncAttributes::requiredClusterHeight},
    FunctionAttribute{13, &cudaFuncAttributes::requiredClusterDepth},
    FunctionAttribute{14, &cudaFuncAttributes::nonPortableClusterSizeAllowed},
    FunctionAttribute{15, &cudaFuncAttributes::clusterSchedulingPolicyPreference},
};
struct FunctionSize {
  int number;
  size_t cudaFuncAttributes::* field;
};
constexpr std::array function_sizes = {
    FunctionSize{1, &cudaFuncAttributes::sharedSizeBytes},
    FunctionSize{2, &cudaFuncAttributes::constSizeBytes},
    FunctionSize{3, &cudaFuncAttributes::localSizeBytes},
};

/// The compute capability: 10 times the major plus the minor number.
int capability_of(const RuntimeDriver& driver, int device) {
  constexpr int major_number = 75;
  constexpr int minor_number = 76;
  int major = 0;
  int minor = 0;
  driver.device_attribute(&major, major_number, device);
  driver.device_attribute(&minor, minor_number, device);
  return 10 * major + minor;
}

/// Libraries of templates size their scratch memory by these two, so that the versions of the
/// program's code count before those of the driver.
void tell_versions(const RuntimeDriver& driver, const void* host, cudaFuncAttributes& told) {
  const int capability = capability_of(driver, runtime_thread().used_device);
  const ChosenCode code = choose_code(kernels().image_of(host), capability);
  if (code.fit == CodeFit::none) {
    static std::once_flag once;
    std::call_once(once, [=] {
      const std::string gpu =
          std::to_string(capability / 10) + '.' + std::to_string(capability % 10);
      note("modelled", "kernels without code for compute capability " + gpu);
    });
  }
  if (code.fit == CodeFit::fits) {
    told.ptxVersion = code.versions.ptx;
    told.binaryVersion = code.versions.binary;
  }
  if (told.ptxVersion == 0) told.ptxVersion = capability;
  if (told.binaryVersion == 0) told.binaryVersion = capability;
}

MultiprocessorLimits limits_of(const RuntimeDriver& driver, int device) {
  const auto ask = [&](int number) {
    int value = 0;
    driver.device_attribute(&value, number, device);
    return value;
  };
  const auto bytes = [&](int number) { return static_cast<size_t>(ask(number)); };
  return {
      capability_of(driver, device), ask(39), ask(106), ask(82), bytes(81), bytes(97), bytes(111)};
}

/// Facts of the machine code count before those that the driver assumes.
void tell_facts(const RuntimeDriver& driver, const void* host, cudaFuncAttributes& told) {
  const MultiprocessorLimits limits = limits_of(driver, runtime_thread().used_device);
  const auto facts = kernels().facts_of_kernel(host, limits.capability);
  if (!facts) return;
  told.numRegs = facts->registers;
  told.sharedSizeBytes = facts->shared_bytes;
  told.maxThreadsPerBlock = most_threads(limits, *facts);
}

DriverLaunch as_driver(const cudaLaunchConfig_t& how) {
  return {how.gridDim, how.blockDim, static_cast<unsigned>(how.dynamicSmemBytes),
          how.stream,  how.attrs,    how.numAttrs};
}

}  // namespace

CUDART_CALL(cudaFuncGetAttributes)(cudaFuncAttributes* into, const void* host) {
  return with_function(host, [=](const RuntimeDriver& driver, cudaFunction_t function) {
    if (into == nullptr) return error::invalid_value;
    *into = {};
    for (const auto& [number, field] : function_attributes)
      driver.function_attribute(&(into->*field), number, function);
    for (const auto& [number, field] : function_sizes) {
      int bytes = 0;
      driver.function_attribute(&bytes, number, function);
      into->*field = static_cast<size_t>(bytes);
    }
    tell_versions(driver, host, *into);
    tell_facts(driver, host, *into);
    return error::success;
  });
}
CUDART_CALL(cudaFuncSetAttribute)(const void* host, int attribute, int value) {
  return with_function(host, [=](const RuntimeDriver& driver, cudaFunction_t function) {
    return driver.set_function_attribute(function, attribute, value);
  });
}
CUDART_CALL(cudaFuncSetCacheConfig)(const void* host, int preference) {
  return with_function(host, [=](const RuntimeDriver& driver, cudaFunction_t function) {
    return driver.set_function_cache(function, preference);
  });
}
/// Banks of shared memory have one width on all GPUs that are still supported.
CUDART_CALL(cudaFuncSetSharedMemConfig)(const void* host, int /*banks*/) {
  return with_function(host, [](const RuntimeDriver&, cudaFunction_t) { return error::success; });
}
CUDART_CALL(cudaFuncGetName)(const char** name, const void* host) {
  Kernel* const found = kernels().find(host);
  if (name == nullptr) return finish_call(error::invalid_value);
  if (found == nullptr) return finish_call(error::invalid_function);
  *name = found->name;
  return error::success;
}
CUDART_CALL(cudaFuncGetParamInfo)
(const void* host, size_t place, size_t* offset, size_t* bytes) {
  return with_function(host, [=](const RuntimeDriver& driver, cudaFunction_t function) {
    return driver.function_parameter(function, place, offset, bytes);
  });
}
CUDART_CALL(cudaGetFuncBySymbol)(cudaFunction_t* into, const void* host) {
  return with_function(host, [=](const RuntimeDriver&, cudaFunction_t function) {
    if (into == nullptr) return error::invalid_value;
    *into = function;
    kernels().add_handle(function, function);
    return error::success;
  });
}

CUDART_CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags)
(int* blocks, const void* host, int threads, size_t shared_bytes, unsigned flags) {
  return with_function(host, [=](const RuntimeDriver& driver, cudaFunction_t function) {
    if (blocks == nullptr || threads <= 0) return error::invalid_value;
    const MultiprocessorLimits limits = limits_of(driver, runtime_thread().used_device);
    if (const auto facts = kernels().facts_of_kernel(host, limits.capability)) {
      *blocks = blocks_at_once(limits, *facts, {threads, shared_bytes});
      return error::success;
    }
    return driver.most_blocks(blocks, function, threads, shared_bytes, flags);
  });
}
CUDART_CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor)
(int* blocks, const void* host, int threads, size_t shared_bytes) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, host, threads, shared_bytes,
                                                                0);
}
CUDART_CALL(cudaOccupancyAvailableDynamicSMemPerBlock)
(size_t* bytes, const void* host, int blocks, int threads) {
  return with_function(host, [=](const RuntimeDriver& driver, cudaFunction_t function) {
    return driver.shared_left(bytes, function, blocks, threads);
  });
}
CUDART_CALL(cudaOccupancyMaxActiveClusters)
(int* clusters, const void* host, const cudaLaunchConfig_t* how) {
  return with_function(host, [=](const RuntimeDriver& driver, cudaFunction_t function) {
    if (how == nullptr) return error::invalid_value;
    const DriverLaunch order = as_driver(*how);
    return driver.most_clusters(clusters, function, &order);
  });
}
CUDART_CALL(cudaOccupancyMaxPotentialClusterSize)
(int* size, const void* host, const cudaLaunchConfig_t* how) {
  return with_function(host, [=](const RuntimeDriver& driver, cudaFunction_t function) {
    if (how == nullptr) return error::invalid_value;
    const DriverLaunch order = as_driver(*how);
    return driver.largest_cluster(size, function, &order);
  });
}
