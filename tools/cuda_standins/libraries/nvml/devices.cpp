#include "tools/cuda_standins/libraries/nvml/devices.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

#include "tools/cuda_standins/libraries/kit/driver.h"

namespace vramlab::dry_run::nvml {
namespace {

constexpr int most_devices = 64;

std::array<Device, most_devices>& devices() {
  static std::array<Device, most_devices> all = [] {
    std::array<Device, most_devices> made;
    for (int index = 0; index < most_devices; ++index)
      made[static_cast<std::size_t>(index)].index = index;
    return made;
  }();
  return all;
}

/// The driver's device; -1 without one. Asking for it sets the driver up.
int driver_device(int index) {
  int device = -1;
  if (cuInit == nullptr || cuDeviceGet == nullptr || cuInit(0) != 0) return -1;
  return cuDeviceGet(&device, index) == 0 ? device : -1;
}

bool put_text(const char* from, char* text, std::size_t bytes) {
  if (text == nullptr || std::strlen(from) >= bytes) return false;
  std::strcpy(text, from);
  return true;
}

/// Figures of the driver in the device's own context, which must be there already: NVML makes none.
void ask_driver(int device, MemoryFigures& figures) {
  CUcontext context = nullptr;
  if (cuDevicePrimaryCtxRetain(&context, device) != 0) return;
  std::size_t free = 0;
  std::size_t total = 0;
  cuCtxPushCurrent_v2(context);
  if (cuMemGetInfo_v2(&free, &total) == 0) figures = {total, free, true};
  cuCtxPopCurrent_v2(&context);
  cuDevicePrimaryCtxRelease_v2(device);
}

}  // namespace

int device_count() {
  int count = 0;
  if (vramlab_dry_run_gpu_count != nullptr)
    count = vramlab_dry_run_gpu_count();
  else if (cuInit != nullptr && cuDeviceGetCount != nullptr && cuInit(0) == 0)
    cuDeviceGetCount(&count);
  return std::clamp(count, 0, most_devices);
}

Device* device_at(int index) {
  if (index < 0 || index >= device_count()) return nullptr;
  return &devices()[static_cast<std::size_t>(index)];
}

int index_of(const void* handle) {
  const auto* const device = static_cast<const Device*>(handle);
  const Device* const first = devices().data();
  return device >= first && device < first + most_devices ? device->index : -1;
}

MemoryFigures memory_of(int index) {
  MemoryFigures figures;
  const int device = driver_device(index);
  if (device < 0 || cuDeviceTotalMem_v2 == nullptr) return figures;
  std::size_t total = 0;
  cuDeviceTotalMem_v2(&total, device);
  figures = {total, total, false};
  unsigned flags = 0;
  int is_active = 0;
  if (cuDevicePrimaryCtxGetState != nullptr) cuDevicePrimaryCtxGetState(device, &flags, &is_active);
  if (is_active != 0) ask_driver(device, figures);
  return figures;
}

bool put_uuid(int index, char* text, std::size_t bytes) {
  CUuuid uuid{};
  const int device = driver_device(index);
  if (device >= 0 && cuDeviceGetUuid_v2 != nullptr) cuDeviceGetUuid_v2(&uuid, device);
  char line[64] = "GPU-";
  std::size_t at = 4;
  for (std::size_t byte = 0; byte < sizeof(uuid.bytes); ++byte) {
    if (byte == 4 || byte == 6 || byte == 8 || byte == 10) line[at++] = '-';
    std::snprintf(line + at, sizeof(line) - at, "%02x",
                  static_cast<unsigned char>(uuid.bytes[byte]));
    at += 2;
  }
  return put_text(line, text, bytes);
}

bool put_bus_id(int index, char* text, std::size_t bytes) {
  char from[32] = "0000:00:00.0";
  const int device = driver_device(index);
  if (device >= 0 && cuDeviceGetPCIBusId != nullptr)
    cuDeviceGetPCIBusId(from, sizeof(from), device);
  char line[40];
  std::snprintf(line, sizeof(line), "0000%s", from);
  return put_text(line, text, bytes);
}

bool put_name(int index, char* text, std::size_t bytes) {
  char name[128] = "";
  const int device = driver_device(index);
  if (device >= 0 && cuDeviceGetName != nullptr) cuDeviceGetName(name, sizeof(name), device);
  return put_text(name, text, bytes);
}

int attribute_of(int index, int attribute) {
  int value = 0;
  const int device = driver_device(index);
  if (device >= 0 && cuDeviceGetAttribute != nullptr)
    cuDeviceGetAttribute(&value, static_cast<CUdevice_attribute>(attribute), device);
  return value;
}

}  // namespace vramlab::dry_run::nvml
