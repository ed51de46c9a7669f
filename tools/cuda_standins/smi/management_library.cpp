#include "tools/cuda_standins/smi/management_library.h"

#include <dlfcn.h>

#include <stdexcept>

namespace vramlab::dry_run {
namespace {

// As NVML's documentation has them.
using Device = void*;
struct Memory {
  unsigned long long total = 0;
  unsigned long long free = 0;
  unsigned long long used = 0;
};
constexpr int success = 0;
constexpr unsigned most_letters = 96;

class Library {
 public:
  Library() : handle_(dlopen("libnvidia-ml.so.1", RTLD_NOW)) {
    if (handle_ == nullptr) throw std::runtime_error("there is no libnvidia-ml.so.1");
  }

  /// The function's answer is that all went well.
  template <class... Arguments>
  bool call(const char* name, Arguments... arguments) const {
    const auto function = reinterpret_cast<int (*)(Arguments...)>(dlsym(handle_, name));
    return function != nullptr && function(arguments...) == success;
  }

  template <class... Arguments>
  std::string text(const char* name, Arguments... arguments) const {
    char letters[most_letters] = {};
    return call(name, arguments..., static_cast<char*>(letters), most_letters) ? letters : "";
  }

 private:
  void* handle_;
};

std::string dotted(int major, int minor) {
  return std::to_string(major) + "." + std::to_string(minor);
}

ToldGpu gpu_at(const Library& library, unsigned index) {
  Device device = nullptr;
  if (!library.call("nvmlDeviceGetHandleByIndex_v2", index, &device))
    throw std::runtime_error("GPU " + std::to_string(index) + " does not answer");
  ToldGpu gpu;
  gpu.index = index;
  gpu.name = library.text("nvmlDeviceGetName", device);
  gpu.uuid = library.text("nvmlDeviceGetUUID", device);
  int major = 0;
  int minor = 0;
  if (library.call("nvmlDeviceGetCudaComputeCapability", device, &major, &minor))
    gpu.compute_capability = dotted(major, minor);
  Memory memory;
  if (library.call("nvmlDeviceGetMemoryInfo", device, &memory)) {
    gpu.total_bytes = memory.total;
    gpu.free_bytes = memory.free;
    gpu.used_bytes = memory.used;
  }
  return gpu;
}

}  // namespace

ToldSystem ask_management_library() {
  const Library library;
  if (!library.call("nvmlInit_v2")) throw std::runtime_error("NVML does not start");
  ToldSystem system;
  system.driver_version = library.text("nvmlSystemGetDriverVersion");
  int version = 0;
  constexpr int per_major = 1000;
  constexpr int per_minor = 10;
  if (library.call("nvmlSystemGetCudaDriverVersion", &version))
    system.cuda_version = dotted(version / per_major, version % per_major / per_minor);
  unsigned count = 0;
  if (!library.call("nvmlDeviceGetCount_v2", &count))
    throw std::runtime_error("the GPUs can't be counted");
  for (unsigned index = 0; index < count; ++index) system.gpus.push_back(gpu_at(library, index));
  return system;
}

}  // namespace vramlab::dry_run
