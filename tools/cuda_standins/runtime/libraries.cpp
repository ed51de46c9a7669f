// CUDA's runtime: code that a program loads while it runs.
#include "tools/cuda_standins/runtime/kernels.h"
#include "tools/cuda_standins/runtime/runtime_state.h"

using namespace vramlab::dry_run;

namespace {

/// From then on the kernel can be launched like a host function.
int add_kernel(const RuntimeDriver& driver, cudaKernel_t kernel) {
  cudaFunction_t function = nullptr;
  const int result = driver.kernel_function(&function, kernel);
  if (result == error::success) kernels().add_handle(kernel, function);
  return result;
}

}  // namespace

CUDART_CALL(cudaLibraryLoadData)
(cudaLibrary_t* library, const void* code, int* jit_options, void** jit_values, unsigned jit_count,
 int* options, void** values, unsigned count) {
  return forward<&RuntimeDriver::library_load>(library, code, jit_options, jit_values, jit_count,
                                               options, values, count);
}
CUDART_CALL(cudaLibraryLoadFromFile)
(cudaLibrary_t* library, const char* file, int* jit_options, void** jit_values, unsigned jit_count,
 int* options, void** values, unsigned count) {
  return forward<&RuntimeDriver::library_load_file>(library, file, jit_options, jit_values,
                                                    jit_count, options, values, count);
}
CUDART_FORWARD(cudaLibraryUnload, library_unload, (cudaLibrary_t library), library)
CUDART_CALL(cudaLibraryGetKernel)
(cudaKernel_t* kernel, cudaLibrary_t library, const char* name) {
  return runtime_call([=](const RuntimeDriver& driver) {
    const int result = driver.library_kernel(kernel, library, name);
    return result == error::success ? add_kernel(driver, *kernel) : result;
  });
}
CUDART_FORWARD(cudaLibraryGetGlobal, library_global,
               (void** at, size_t* bytes, cudaLibrary_t library, const char* name), at, bytes,
               library, name)
CUDART_FORWARD(cudaLibraryGetManaged, library_managed,
               (void** at, size_t* bytes, cudaLibrary_t library, const char* name), at, bytes,
               library, name)
CUDART_FORWARD(cudaLibraryGetUnifiedFunction, library_unified,
               (void** function, cudaLibrary_t library, const char* name), function, library, name)
CUDART_FORWARD(cudaLibraryGetKernelCount, library_kernel_count,
               (unsigned* count, cudaLibrary_t library), count, library)
CUDART_CALL(cudaLibraryEnumerateKernels)
(cudaKernel_t* found, unsigned count, cudaLibrary_t library) {
  return runtime_call([=](const RuntimeDriver& driver) {
    int result = driver.library_kernels(found, count, library);
    for (unsigned place = 0; result == error::success && place < count; ++place)
      if (found[place] != nullptr) result = add_kernel(driver, found[place]);
    return result;
  });
}
CUDART_FORWARD(cudaKernelSetAttributeForDevice, set_kernel_attribute,
               (cudaKernel_t kernel, int attribute, int value, int device), attribute, value,
               kernel, device)
