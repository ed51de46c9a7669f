// CUDA's runtime: what is known of a pointer. One that CUDA does not know is no error.
#include <cstdint>
#include <cstring>

#include "tools/cuda_standins/runtime/runtime_state.h"
#include "tools/cuda_standins/runtime/version.h"

using namespace vramlab::dry_run;

namespace {

constexpr int unregistered_memory = 0;
constexpr int host_memory = 1;
constexpr int managed_memory = 3;
/// What CUDA 13 has behind the fields of CUDA 12.
constexpr std::size_t new_bytes = 64;

/// What the driver tells in one call.
struct Told {
  unsigned kind = 0;
  int device = -1;
  unsigned is_managed = 0;
  void* on_device = nullptr;
};

int ask(const RuntimeDriver& driver, const void* at, Told& told) {
  constexpr int memory_type = 2;
  constexpr int device_pointer = 3;
  constexpr int is_managed = 8;
  constexpr int device_ordinal = 9;
  int attributes[] = {memory_type, device_ordinal, is_managed, device_pointer};
  void* values[] = {&told.kind, &told.device, &told.is_managed, &told.on_device};
  return driver.pointer_attributes(4, attributes, values, at);
}

cudaPointerAttributes as_runtime(const Told& told, const void* at) {
  void* const address = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(at));
  if (told.kind == 0) return {unregistered_memory, -2, nullptr, address};
  if (told.is_managed != 0) return {managed_memory, told.device, address, address};
  if (told.kind == host_memory) return {host_memory, told.device, told.on_device, address};
  return {static_cast<int>(told.kind), told.device, told.on_device, nullptr};
}

}  // namespace

CUDART_CALL(cudaPointerGetAttributes)(cudaPointerAttributes* into, const void* at) {
  return runtime_call([=](const RuntimeDriver& driver) {
    if (into == nullptr) return error::invalid_value;
    Told told;
    const int result = ask(driver, at, told);
    if (result != error::success && result != error::invalid_value) return result;
    *into = as_runtime(told, at);
    if (runtime_version() >= first_version_13)
      std::memset(reinterpret_cast<char*>(into) + sizeof *into, 0, new_bytes);
    return error::success;
  });
}
