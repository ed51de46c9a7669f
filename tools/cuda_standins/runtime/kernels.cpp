#include "tools/cuda_standins/runtime/kernels.h"

#include <cstdlib>
#include <string_view>

#include "tools/cuda_standins/runtime/errors.h"

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
