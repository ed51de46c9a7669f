#include "tools/cuda_standins/runtime/kernels.h"

#include <cstdlib>
#include <cstring>
#include <string_view>

#include "tools/cuda_standins/runtime/errors.h"
#include "tools/cuda_standins/runtime/runtime_state.h"

namespace vramlab::dry_run {

Kernels& kernels() {
  static auto* const all = new Kernels;
  return *all;
}

Binary* Kernels::add_binary(const void* image) {
  const std::lock_guard guard(lock_);
  return &binaries_.emplace_back(Binary{image});
}

void Kernels::remove_binary(Binary* binary) {
  const std::lock_guard guard(lock_);
  for (const void* const host : binary->hosts) {
    by_host_.erase(host);
    variables_.erase(host);
  }
  binary->hosts.clear();
}

void Kernels::add_kernel(Binary* binary, const void* host, const char* name) {
  const std::lock_guard guard(lock_);
  Kernel& kernel = kernels_.emplace_back(Kernel{binary, name});
  by_host_[host] = &kernel;
  binary->hosts.push_back(host);
}

void Kernels::add_variable(Binary* binary, const void* host, const char* name, std::size_t bytes) {
  const std::lock_guard guard(lock_);
  variables_[host] = Variable{binary, name, bytes};
  binary->hosts.push_back(host);
}

Kernel* Kernels::find(const void* host) {
  const std::lock_guard guard(lock_);
  const auto found = by_host_.find(host);
  if (found == by_host_.end()) return nullptr;
  // The handle stands for the kernel in every later call.
  Kernel* const kernel = found->second;
  by_host_.emplace(kernel, kernel);
  return kernel;
}

const void* Kernels::image_of(const void* host) {
  const std::lock_guard guard(lock_);
  const auto found = by_host_.find(host);
  return found == by_host_.end() ? nullptr : found->second->binary->image;
}

std::optional<KernelFacts> Kernels::facts_of_kernel(const void* host, int capability) {
  const std::lock_guard guard(lock_);
  const auto found = by_host_.find(host);
  if (found == by_host_.end()) return std::nullopt;
  Binary& binary = *found->second->binary;
  auto facts = binary.facts.find(capability);
  if (facts == binary.facts.end())
    facts = binary.facts.emplace(capability, facts_of(choose_code(binary.image, capability))).first;
  const auto known = facts->second.find(std::string_view(found->second->name));
  return known == facts->second.end() || known->second.registers == 0
             ? std::nullopt
             : std::optional(known->second);
}

int Kernels::function_of(const void* host, int device, cudaFunction_t* function) {
  const std::lock_guard guard(lock_);
  const auto found = by_host_.find(host);
  if (found == by_host_.end()) {
    const auto handle = handles_.find(host);
    if (handle == handles_.end()) return error::invalid_function;
    *function = handle->second;
    return error::success;
  }
  *function = found->second->functions[device];
  return *function != nullptr ? error::success : load_function(*found->second, device, function);
}

int Kernels::load_function(Kernel& kernel, int device, cudaFunction_t* function) {
  CudaModule module = nullptr;
  int result = module_of(*kernel.binary, device, &module);
  if (result == error::success)
    result = runtime_driver().module_function(function, module, kernel.name);
  if (result == error::success) kernel.functions[device] = *function;
  return result;
}

int Kernels::module_of(Binary& binary, int device, CudaModule* module) {
  CudaModule& loaded = binary.modules[device];
  const int result =
      loaded != nullptr ? error::success : runtime_driver().module_load(&loaded, binary.image);
  *module = loaded;
  return result;
}

int Kernels::variable_of(const void* host, int device, void** at, std::size_t* bytes) {
  const std::lock_guard guard(lock_);
  const auto found = variables_.find(host);
  if (found == variables_.end()) return error::invalid_symbol;
  Variable& variable = found->second;
  void*& place = variable.places[device];
  *bytes = variable.bytes;
  if (place == nullptr) {
    CudaModule module = nullptr;
    if (const int result = module_of(*variable.binary, device, &module); result != error::success)
      return result;
    std::size_t told = 0;
    // A driver that knows no variables leaves them to us: memory of the host that copies reach.
    if (runtime_driver().module_global(&place, &told, module, variable.name) != error::success)
      place = std::calloc(1, variable.bytes);
  }
  *at = place;
  return error::success;
}

void Kernels::add_handle(const void* handle, cudaFunction_t function) {
  const std::lock_guard guard(lock_);
  handles_[handle] = function;
}

void Kernels::forget_device(int device) {
  const std::lock_guard guard(lock_);
  for (Binary& binary : binaries_) binary.modules[device] = nullptr;
  for (Kernel& kernel : kernels_) kernel.functions[device] = nullptr;
  for (auto& [host, variable] : variables_) variable.places[device] = nullptr;
}

}  // namespace vramlab::dry_run

// Registration: the calls of programs before main, and configurations of launches.

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

// Libraries: code that a program loads while it runs.

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
