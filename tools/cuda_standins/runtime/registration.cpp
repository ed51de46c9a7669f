// CUDA's runtime: what programs say before main, and configurations of launches.
#include <cstdlib>
#include <cstring>

#include "tools/cuda_standins/runtime/kernels.h"
#include "tools/cuda_standins/runtime/runtime_state.h"

using namespace vramlab::dry_run;

namespace {

Binary* binary_of(void** handle) { return reinterpret_cast<Binary*>(handle); }

}  // namespace

void** __cudaRegisterFatBinary(void* binary) {
  return reinterpret_cast<void**>(kernels().add_binary(binary));
}
void __cudaRegisterFatBinaryEnd(void** /*handle*/) {}
void __cudaUnregisterFatBinary(void** handle) { kernels().remove_binary(binary_of(handle)); }
char __cudaInitModule(void** /*handle*/) { return 1; }
void __cudaRegisterFunction(void** handle, const char* host, char* /*device*/, const char* name,
                            int /*threads*/, void* /*thread*/, void* /*block*/,
                            void* /*block_size*/, void* /*grid_size*/, int* /*warp*/) {
  kernels().add_kernel(binary_of(handle), host, name);
}
void __cudaRegisterVar(void** handle, char* host, char* /*device*/, const char* name,
                       int /*is_external*/, size_t bytes, int /*is_constant*/, int /*is_global*/) {
  kernels().add_variable(binary_of(handle), host, name, bytes);
}
extern "C" VRAMLAB_CUDART_API void __cudaRegisterManagedVar(void** handle, void** host,
                                                            char* /*device*/, const char* name,
                                                            int /*is_external*/, size_t bytes,
                                                            int /*is_constant*/,
                                                            int /*is_global*/) {
  // The host reads it through a pointer that is filled in before main.
  *host = std::calloc(1, bytes);
  kernels().add_variable(binary_of(handle), host, name, bytes);
}
extern "C" VRAMLAB_CUDART_API void __cudaRegisterHostVar(void** handle, const char* name,
                                                         char* host, size_t bytes) {
  kernels().add_variable(binary_of(handle), host, name, bytes);
}
extern "C" VRAMLAB_CUDART_API void __cudaRegisterUnifiedTable(void** /*handle*/, void* /*table*/) {}

CUDART_CALL(__cudaGetKernel)(cudaKernel_t* kernel, const void* host) {
  Kernel* const found = kernels().find(host);
  *kernel = reinterpret_cast<cudaKernel_t>(found);
  return finish_call(found == nullptr ? error::invalid_function : error::success);
}
CUDART_CALL(cudaGetKernel)(cudaKernel_t* kernel, const void* host) {
  return kernel == nullptr ? finish_call(error::invalid_value) : __cudaGetKernel(kernel, host);
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes,
                                     cudaStream_t stream) {
  RuntimeThread& thread = runtime_thread();
  if (thread.configuration_count == RuntimeThread::most_configurations)
    return static_cast<unsigned>(finish_call(error::missing_configuration));
  thread.configurations[thread.configuration_count++] = {grid, block, shared_bytes, stream};
  return 0;
}
CUDART_CALL(__cudaPopCallConfiguration)
(dim3* grid, dim3* block, size_t* shared_bytes, void* stream) {
  RuntimeThread& thread = runtime_thread();
  if (thread.configuration_count == 0) return finish_call(error::missing_configuration);
  const LaunchConfiguration& last = thread.configurations[--thread.configuration_count];
  *grid = last.grid;
  *block = last.block;
  *shared_bytes = last.shared_bytes;
  std::memcpy(stream, &last.stream, sizeof last.stream);
  return 0;
}
