// Kernels: binaries that programs register before main, with their functions and variables, found
// by the address that the host uses for them. A binary is loaded into a device when something of it
// is used there for the first time.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "tools/cuda_standins/code/kernel_facts.h"
#include "tools/cuda_standins/runtime/cudart.h"
#include "tools/cuda_standins/runtime/runtime_driver.h"

namespace vramlab::dry_run {

/// By device; null where it is not loaded.
template <class Handle>
class PerDevice {
 public:
  Handle& operator[](int device) {
    const auto place = static_cast<std::size_t>(device);
    if (place >= handles_.size()) handles_.resize(place + 1);
    return handles_[place];
  }

 private:
  std::vector<Handle> handles_;
};

struct Binary {
  const void* image = nullptr;
  PerDevice<CudaModule> modules{};
  std::vector<const void*> hosts{};
  /// By compute capability, found when they are first asked for.
  std::map<int, FactsByName> facts{};
};

struct Kernel {
  Binary* binary = nullptr;
  const char* name = "";
  PerDevice<cudaFunction_t> functions{};
};

struct Variable {
  Binary* binary = nullptr;
  const char* name = "";
  std::size_t bytes = 0;
  PerDevice<void*> places{};
};

class Kernels {
 public:
  Binary* add_binary(const void* image);
  void remove_binary(Binary* binary);
  void add_kernel(Binary* binary, const void* host, const char* name);
  void add_variable(Binary* binary, const void* host, const char* name, std::size_t bytes);

  /// The kernel of a host function, or of a handle that was given for it. Null if it was not
  /// registered.
  Kernel* find(const void* host);
  /// The driver's function on a device whose context is current; `host` as above, or a handle of
  /// the driver's.
  int function_of(const void* host, int device, cudaFunction_t* function);
  /// The image that the kernel came with; null where it is not known.
  const void* image_of(const void* host);
  /// The facts of the kernel in its machine code, if code for this GPU exists.
  std::optional<KernelFacts> facts_of_kernel(const void* host, int capability);
  int variable_of(const void* host, int device, void** at, std::size_t* bytes);
  /// A handle of the driver's, which may be launched like a host function from now on.
  void add_handle(const void* handle, cudaFunction_t function);
  void forget_device(int device);

 private:
  int module_of(Binary& binary, int device, CudaModule* module);
  int load_function(Kernel& kernel, int device, cudaFunction_t* function);

  std::mutex lock_;
  std::deque<Binary> binaries_;
  std::deque<Kernel> kernels_;
  std::unordered_map<const void*, Kernel*> by_host_;
  std::unordered_map<const void*, Variable> variables_;
  std::unordered_map<const void*, cudaFunction_t> handles_;
};
/// Never destroyed: binaries register before main and leave after it.
Kernels& kernels();

}  // namespace vramlab::dry_run
