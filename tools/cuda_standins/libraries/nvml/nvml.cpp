// NVML: the GPUs and the figures that the stand-in driver has. Figures that it lacks (clocks in
// use, fans, links) are not supported, which NVML's users expect of some GPUs.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstring>

#include "tools/cuda_standins/libraries/kit/calls.h"
#include "tools/cuda_standins/libraries/kit/driver.h"
#include "tools/cuda_standins/libraries/kit/objects.h"

namespace vramlab::dry_run::nvml {

constexpr int success = 0;
constexpr int invalid_argument = 2;
constexpr int not_supported = 3;
constexpr int not_found = 6;
constexpr int insufficient_size = 7;

struct Device {
  int index = 0;
};

struct MemoryFigures {
  unsigned long long total = 0;
  unsigned long long free = 0;
  bool is_in_use = false;  // by this process
};

int device_count();

/// Null if there is no such GPU. A handle stays valid for the whole process.
Device* device_at(int index);

/// The GPU behind a handle, or -1.
int index_of(const void* handle);

MemoryFigures memory_of(int index);

/// "GPU-...", "00000000:01:00.0" and the name; false if the text has no room.
bool put_uuid(int index, char* text, std::size_t bytes);
bool put_bus_id(int index, char* text, std::size_t bytes);
bool put_name(int index, char* text, std::size_t bytes);

int attribute_of(int index, int attribute);

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

/// The driver's device; -1 without one. A program that asks NVML has not used CUDA by that, so the
/// driver is not initialised for it.
int driver_device(int index) {
  int device = -1;
  if (vramlab_dry_run_answer_nvml == nullptr || cuDeviceGet == nullptr) return -1;
  vramlab_dry_run_answer_nvml();
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
  if (vramlab_dry_run_gpu_count != nullptr) count = vramlab_dry_run_gpu_count();
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

// The exported functions.
namespace {

struct Memory {
  unsigned long long total, free, used;
};
struct MemoryV2 {
  unsigned version;
  unsigned long long total, reserved, free, used;
};
struct PciInfo {
  char short_bus_id[16];
  unsigned domain, bus, device, ids, subsystem_ids;
  char bus_id[32];
};
struct Utilization {
  unsigned gpu, memory;
};
/// How a GPU is joined to others by NVLink switches; all zeros say that it is not.
struct FabricInfo {
  unsigned version;
  unsigned char cluster[16];
  int status;
  unsigned clique;
  unsigned char state;
  unsigned health;
};
struct ProcessV1 {
  unsigned pid;
  unsigned long long used;
};
struct ProcessV2 {
  unsigned pid;
  unsigned long long used;
  unsigned gpu_instance, compute_instance;
};

/// The driver that came with a version of CUDA.
const char* driver_version() {
  const int cuda = driver_cuda_version();
  if (cuda >= 13000) return "580.65.06";
  if (cuda >= 12080) return "570.86.15";
  if (cuda >= 12060) return "560.35.05";
  return cuda >= 12040 ? "550.54.15" : "530.30.02";
}

int put_text(const char* from, char* text, unsigned bytes) {
  if (text == nullptr || std::strlen(from) >= bytes) return insufficient_size;
  std::strcpy(text, from);
  return success;
}

int put_handle(Device* device, void** handle) {
  if (handle == nullptr) return invalid_argument;
  *handle = device;
  return device == nullptr ? invalid_argument : success;
}

template <typename T, typename Value>
int put_figure(const void* handle, T* place, Value value) {
  if (index_of(handle) < 0 || place == nullptr) return invalid_argument;
  *place = static_cast<T>(value);
  return success;
}

/// A GPU whose text by `put` is the one given.
template <typename Put>
int find(const char* wanted, void** handle, Put put) {
  char text[96];
  for (int index = 0; index < device_count(); ++index)
    if (put(index, text, sizeof(text)) && std::strcmp(text, wanted) == 0)
      return put_handle(device_at(index), handle);
  return not_found;
}

/// This process, if it uses the GPU; other processes are not known.
template <typename Process>
int put_processes(const void* handle, unsigned* count, Process* processes) {
  const int index = index_of(handle);
  if (index < 0 || count == nullptr) return invalid_argument;
  const MemoryFigures figures = memory_of(index);
  const unsigned room = *count;
  *count = figures.is_in_use ? 1 : 0;
  if (*count > room || (*count > 0 && processes == nullptr)) return insufficient_size;
  if (*count == 0) return success;
  std::memset(processes, 0xff, sizeof(*processes));  // no instance of a part of the GPU
  processes->pid = static_cast<unsigned>(getpid());
  processes->used = figures.total - figures.free;
  return success;
}

}  // namespace
}  // namespace vramlab::dry_run::nvml

using namespace vramlab::dry_run;
using namespace vramlab::dry_run::nvml;

VRAMLAB_EXPORT int nvmlInit_v2() { return success; }
VRAMLAB_EXPORT int nvmlInit() { return success; }
VRAMLAB_EXPORT int nvmlInitWithFlags(unsigned) { return success; }
VRAMLAB_EXPORT int nvmlShutdown() { return success; }
VRAMLAB_EXPORT const char* nvmlErrorString(int error) {
  switch (error) {
    case success:
      return "Success";
    case invalid_argument:
      return "Invalid Argument";
    case not_supported:
      return "Not Supported";
    case not_found:
      return "Not Found";
    case insufficient_size:
      return "Insufficient Size";
    default:
      return "Unknown Error";
  }
}

VRAMLAB_EXPORT int nvmlSystemGetDriverVersion(char* text, unsigned bytes) {
  return put_text(driver_version(), text, bytes);
}
VRAMLAB_EXPORT int nvmlSystemGetNVMLVersion(char* text, unsigned bytes) {
  char line[64];
  std::snprintf(line, sizeof(line), "%d.%s", part_of_version(0), driver_version());
  return put_text(line, text, bytes);
}
VRAMLAB_EXPORT int nvmlSystemGetCudaDriverVersion(int* version) {
  put(version, driver_cuda_version());
  return success;
}
VRAMLAB_EXPORT int nvmlSystemGetCudaDriverVersion_v2(int* version) {
  put(version, driver_cuda_version());
  return success;
}

VRAMLAB_EXPORT int nvmlDeviceGetCount_v2(unsigned* count) {
  put(count, device_count());
  return success;
}
VRAMLAB_EXPORT int nvmlDeviceGetCount(unsigned* count) { return nvmlDeviceGetCount_v2(count); }
VRAMLAB_EXPORT int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** handle) {
  return put_handle(device_at(static_cast<int>(index)), handle);
}
VRAMLAB_EXPORT int nvmlDeviceGetHandleByIndex(unsigned index, void** handle) {
  return nvmlDeviceGetHandleByIndex_v2(index, handle);
}
VRAMLAB_EXPORT int nvmlDeviceGetHandleByUUID(const char* uuid, void** handle) {
  return uuid == nullptr ? invalid_argument : find(uuid, handle, put_uuid);
}
/// The domain may have four digits or eight.
VRAMLAB_EXPORT int nvmlDeviceGetHandleByPciBusId_v2(const char* bus_id, void** handle) {
  if (bus_id == nullptr) return invalid_argument;
  char line[64];
  const char* const colon = std::strchr(bus_id, ':');
  const bool is_short = colon != nullptr && colon - bus_id == 4;
  std::snprintf(line, sizeof(line), "%s%s", is_short ? "0000" : "", bus_id);
  return find(line, handle, put_bus_id);
}
VRAMLAB_EXPORT int nvmlDeviceGetHandleByPciBusId(const char* bus_id, void** handle) {
  return nvmlDeviceGetHandleByPciBusId_v2(bus_id, handle);
}

VRAMLAB_EXPORT int nvmlDeviceGetIndex(void* handle, unsigned* index) {
  return put_figure(handle, index, index_of(handle));
}
VRAMLAB_EXPORT int nvmlDeviceGetMinorNumber(void* handle, unsigned* number) {
  return put_figure(handle, number, index_of(handle));
}
VRAMLAB_EXPORT int nvmlDeviceGetName(void* handle, char* text, unsigned bytes) {
  return put_name(index_of(handle), text, bytes) ? success : insufficient_size;
}
VRAMLAB_EXPORT int nvmlDeviceGetUUID(void* handle, char* text, unsigned bytes) {
  return put_uuid(index_of(handle), text, bytes) ? success : insufficient_size;
}
VRAMLAB_EXPORT int nvmlDeviceGetPciInfo_v3(void* handle, PciInfo* info) {
  const int index = index_of(handle);
  if (index < 0 || info == nullptr) return invalid_argument;
  *info = {};
  put_bus_id(index, info->bus_id, sizeof(info->bus_id));
  std::sscanf(info->bus_id, "%x:%x:%x", &info->domain, &info->bus, &info->device);
  std::memcpy(info->short_bus_id, info->bus_id + 4,
              std::min(sizeof(info->short_bus_id) - 1, std::strlen(info->bus_id + 4)));
  return success;
}
VRAMLAB_EXPORT int nvmlDeviceGetPciInfo_v2(void* handle, PciInfo* info) {
  return nvmlDeviceGetPciInfo_v3(handle, info);
}
VRAMLAB_EXPORT int nvmlDeviceGetPciInfo(void* handle, PciInfo* info) {
  return nvmlDeviceGetPciInfo_v3(handle, info);
}

VRAMLAB_EXPORT int nvmlDeviceGetMemoryInfo(void* handle, Memory* memory) {
  const int index = index_of(handle);
  if (index < 0 || memory == nullptr) return invalid_argument;
  const MemoryFigures figures = memory_of(index);
  *memory = {figures.total, figures.free, figures.total - figures.free};
  return success;
}
VRAMLAB_EXPORT int nvmlDeviceGetMemoryInfo_v2(void* handle, MemoryV2* memory) {
  const int index = index_of(handle);
  if (index < 0 || memory == nullptr) return invalid_argument;
  const MemoryFigures figures = memory_of(index);
  *memory = {memory->version, figures.total, 0, figures.free, figures.total - figures.free};
  return success;
}
VRAMLAB_EXPORT int nvmlDeviceGetUtilizationRates(void* handle, Utilization* utilization) {
  return put_figure(handle, utilization, Utilization{});
}
VRAMLAB_EXPORT int nvmlDeviceGetTemperature(void* handle, int, unsigned* degrees) {
  return put_figure(handle, degrees, 0);
}
VRAMLAB_EXPORT int nvmlDeviceGetPowerUsage(void* handle, unsigned* milliwatts) {
  return put_figure(handle, milliwatts, 0);
}
VRAMLAB_EXPORT int nvmlDeviceGetTotalEnergyConsumption(void* handle, unsigned long long* energy) {
  return put_figure(handle, energy, 0);
}
VRAMLAB_EXPORT int nvmlDeviceGetMigMode(void* handle, unsigned* current, unsigned* pending) {
  put(pending, 0);
  return put_figure(handle, current, 0);
}
VRAMLAB_EXPORT int nvmlDeviceGetPersistenceMode(void* handle, int* mode) {
  return put_figure(handle, mode, 0);
}
VRAMLAB_EXPORT int nvmlDeviceGetComputeMode(void* handle, int* mode) {
  return put_figure(handle, mode, 0);
}
VRAMLAB_EXPORT int nvmlDeviceGetCudaComputeCapability(void* handle, int* major, int* minor) {
  const int index = index_of(handle);
  put(minor, attribute_of(index, 76));
  return put_figure(handle, major, attribute_of(index, 75));
}
VRAMLAB_EXPORT int nvmlDeviceGetMemoryBusWidth(void* handle, unsigned* bits) {
  return put_figure(handle, bits, attribute_of(index_of(handle), 37));
}
/// The clock of the multiprocessors (0 and 1) or the memory (2), in MHz.
VRAMLAB_EXPORT int nvmlDeviceGetMaxClockInfo(void* handle, int kind, unsigned* clock) {
  return put_figure(handle, clock, attribute_of(index_of(handle), kind == 2 ? 36 : 13) / 1000);
}
VRAMLAB_EXPORT int nvmlDeviceGetClockInfo(void* handle, int kind, unsigned* clock) {
  return nvmlDeviceGetMaxClockInfo(handle, kind, clock);
}
/// PyTorch 2.13 does not go on with expandable segments where this fails.
VRAMLAB_EXPORT int nvmlDeviceGetGpuFabricInfoV(void* handle, FabricInfo* info) {
  if (index_of(handle) < 0 || info == nullptr) return invalid_argument;
  const unsigned version = info->version;
  *info = {};
  info->version = version;
  return success;
}
VRAMLAB_EXPORT int nvmlDeviceGetP2PStatus(void* handle, void* other, int, int* status) {
  return index_of(other) < 0 ? invalid_argument : put_figure(handle, status, 0);
}

VRAMLAB_EXPORT int nvmlDeviceGetComputeRunningProcesses(void* handle, unsigned* count,
                                                        ProcessV1* processes) {
  return put_processes(handle, count, processes);
}
VRAMLAB_EXPORT int nvmlDeviceGetComputeRunningProcesses_v2(void* handle, unsigned* count,
                                                           ProcessV2* processes) {
  return put_processes(handle, count, processes);
}
VRAMLAB_EXPORT int nvmlDeviceGetComputeRunningProcesses_v3(void* handle, unsigned* count,
                                                           ProcessV2* processes) {
  return put_processes(handle, count, processes);
}
VRAMLAB_EXPORT int nvmlDeviceGetGraphicsRunningProcesses_v3(void*, unsigned* count, ProcessV2*) {
  put(count, 0);
  return success;
}
