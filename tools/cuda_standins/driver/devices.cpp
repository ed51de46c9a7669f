// Devices: their properties, their attributes, and which of them reach each other.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>

#include "tools/cuda_standins/driver/driver_call.h"
#include "tools/cuda_standins/driver/driver_types.h"

namespace vramlab::dry_run {
namespace {

/// An attribute that is the same on all GPUs here. One that is not named is 0: the GPU lacks it.
struct SameForAll {
  int attribute;
  int value;
};

constexpr int last_attribute = 161;
constexpr int largest = 0x7fffffff;

// The numbers are CUdevice_attribute's.
// clang-format off
constexpr SameForAll same_for_all[] = {
    // A block: threads, and the size of each dimension; the grid's dimensions.
    {1, 1024}, {2, 1024}, {3, 1024}, {4, 64}, {5, largest}, {6, 65535}, {7, 65535},
    // Shared memory and constants, a warp, the pitch of copies, registers of a block.
    {8, 48 << 10}, {9, 64 << 10}, {10, 32}, {11, largest}, {12, 65536},
    // Alignment of textures, copies beside kernels, mapped host memory.
    {14, 512}, {15, 1}, {19, 1},
    // Textures, by dimensions and layers.
    {21, 131072}, {22, 131072}, {23, 65536}, {24, 16384}, {25, 16384}, {26, 16384}, {27, 32768},
    {28, 32768}, {29, 2048}, {30, 512}, {31, 1}, {42, 32768}, {43, 2048}, {44, 1}, {45, 32768},
    {46, 32768}, {47, 8192}, {48, 8192}, {49, 32768}, {51, 32}, {52, 32768}, {53, 32768}, {54, 2046},
    {69, 268435456}, {70, 131072}, {71, 65000}, {72, 2097120}, {73, 32768}, {74, 32768}, {77, 32768},
    // Surfaces.
    {55, 32768}, {56, 131072}, {57, 65536}, {58, 16384}, {59, 16384}, {60, 16384}, {61, 32768},
    {62, 2048}, {63, 32768}, {64, 32768}, {65, 2048}, {66, 32768}, {67, 32768}, {68, 2046},
    // Engines for copies, one address space, priorities of streams, caches.
    {40, 3}, {41, 1}, {78, 1}, {79, 1}, {80, 1}, {82, 65536},
    // Managed memory, and what kernels may do beside each other.
    {83, 1}, {89, 1}, {90, 1}, {91, 1}, {95, 1}, {96, 1}, {99, 1},
    // Handles of memory, by a file; the bytes of shared memory that the system has of each block.
    {103, 1}, {111, 1024}, {112, 1}, {114, 1},
    // Pools, and the handles that they have.
    {115, 1}, {119, 1}, {121, 1}, {122, 1}, {123, 1}, {125, 1}, {129, 1}};
// clang-format on

const SameForAll* find_same(int attribute) {
  const auto* const found = std::ranges::find(same_for_all, attribute, &SameForAll::attribute);
  return found == std::end(same_for_all) ? nullptr : found;
}

/// The attributes that follow from a GPU's properties.
std::optional<int> from_properties(const streams::GpuProperties& properties, int attribute) {
  switch (attribute) {
    case 13:
      return properties.clock_khz;
    case 16:
      return properties.sm_count;
    case 36:
      return properties.memory_clock_khz;
    case 37:
      return properties.memory_bus_bits;
    case 38:
      return properties.l2_bytes;
    case 39:
      return properties.threads_per_sm;
    case 75:
      return properties.compute_major;
    case 76:
      return properties.compute_minor;
    case 81:
      return properties.shared_bytes_per_sm;
    case 97:
      return properties.shared_bytes_per_block_optin;
    case 106:
      return properties.blocks_per_sm;
    default:
      return std::nullopt;
  }
}

/// The attributes that came with a generation.
std::optional<int> from_generation(const streams::GpuProperties& properties, int attribute) {
  const int capability = properties.compute_capability();
  const bool is_data_centre = capability == 60 || capability == 70 || capability == 80 ||
                              (capability >= 90 && capability < 110);
  switch (attribute) {
    case 32:  // ECC
      return is_data_centre ? 1 : 0;
    case 87:  // How much slower doubles are.
      return is_data_centre ? 2 : capability < 86 ? 32 : 64;
    case 107:  // Compressible memory.
    case 113:  // Host memory registered for reading.
      return capability >= 80 ? 1 : 0;
    case 108:  // L2 that can be set aside, and the window of what goes there.
      return capability >= 80 ? properties.l2_bytes / 4 * 3 : 0;
    case 109:
      return capability >= 80 ? 128 << 20 : 0;
    case 110:  // Direct access by other devices.
    case 116:
      return is_data_centre ? 1 : 0;
    case 117:
      return 1;
    case 118:
      return capability >= 90 ? 200 : capability >= 70 ? 100 : 0;
    case 120:  // Clusters of blocks, and copies by tensor maps.
    case 127:
      return capability >= 90 ? 1 : 0;
    case 126:  // Domains whose memory operations are ordered on their own.
      return capability >= 90 ? 4 : 1;
    case 92:  // The first form of stream operations on memory: off since CUDA 12.
    case 93:
    case 94:
    case 98:
      return 0;
    default:
      return std::nullopt;
  }
}

/// The bus of a device's PCI address; its domain and its device are 0.
int pci_bus(const DriverOptions& options, std::uint32_t device) {
  return static_cast<int>(options.machine_number(device)) + 1;
}

/// The answer of cuDeviceGetAttribute; empty for a number that is no attribute of CUDA 13.5.
std::optional<int> device_attribute(const DriverOptions& options, CUdevice_attribute attribute,
                                    std::uint32_t device) {
  const auto number = static_cast<int>(attribute);
  if (number < 1 || number > last_attribute) return std::nullopt;
  if (number == CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED)
    return options.has_memory_mapping ? 1 : 0;
  constexpr int bus = 33;
  constexpr int board = 85;
  if (number == bus) return pci_bus(options, device);
  if (number == board) return static_cast<int>(options.machine_number(device));
  if (const auto known = from_properties(options.properties, number)) return known;
  if (const auto known = from_generation(options.properties, number)) return known;
  const SameForAll* const same = find_same(number);
  return same == nullptr ? 0 : same->value;
}

}  // namespace
}  // namespace vramlab::dry_run

using namespace vramlab::dry_run;

namespace {

/// `body` gets the driver and the device's number.
template <class Body>
CUresult device_call(const char* name, CUdevice device, const Body& body) {
  const auto checked = [&](StandInDriver& driver) {
    return has_device(driver, device) ? body(driver, static_cast<std::uint32_t>(device))
                                      : CUDA_ERROR_INVALID_DEVICE;
  };
  return driver_call({name, initialised}, checked, device);
}

int attribute(StandInDriver& driver, std::uint32_t device, unsigned number) {
  return device_attribute(driver.options(), static_cast<CUdevice_attribute>(number), device)
      .value_or(0);
}

CUresult give_text(const std::string& text, char* into, int room) {
  if (into == nullptr || room < 1) return CUDA_ERROR_INVALID_VALUE;
  into[text.copy(into, static_cast<std::size_t>(room) - 1)] = '\0';
  return CUDA_SUCCESS;
}

CUresult give_uuid(const char* name, CUuuid* uuid, CUdevice device) {
  const auto body = [=](StandInDriver& driver, std::uint32_t index) {
    if (uuid == nullptr) return CUDA_ERROR_INVALID_VALUE;
    std::memset(uuid->bytes, static_cast<int>(driver.options().machine_number(index)) + 1,
                sizeof uuid->bytes);
    return CUDA_SUCCESS;
  };
  return device_call(name, device, body);
}

std::string pci_text(const StandInDriver& driver, std::uint32_t device) {
  std::array<char, 24> text{};
  std::snprintf(text.data(), text.size(), "0000:%02X:00.0",
                static_cast<unsigned>(pci_bus(driver.options(), device)));
  return text.data();
}

CUdevprop properties_of(StandInDriver& driver, std::uint32_t device) {
  const auto ask = [&](unsigned number) { return attribute(driver, device, number); };
  return {.maxThreadsPerBlock = ask(1),
          .maxThreadsDim = {ask(2), ask(3), ask(4)},
          .maxGridSize = {ask(5), ask(6), ask(7)},
          .sharedMemPerBlock = ask(8),
          .totalConstantMemory = ask(9),
          .SIMDWidth = ask(10),
          .memPitch = ask(11),
          .regsPerBlock = ask(12),
          .clockRate = ask(13),
          .textureAlign = ask(14)};
}

}  // namespace

STAND_IN_CALL(cuDeviceGetCount)(int* count) {
  const auto body = [=](StandInDriver& driver) {
    return give(driver, count, driver.options().device_count);
  };
  return driver_call({"cuDeviceGetCount", initialised}, body);
}
STAND_IN_CALL(cuDeviceGet)(CUdevice* device, int ordinal) {
  const auto body = [=](StandInDriver& driver, std::uint32_t index) {
    return give(driver, device, index);
  };
  return device_call("cuDeviceGet", ordinal, body);
}
STAND_IN_CALL(cuDeviceGetName)(char* name, int room, CUdevice device) {
  const auto body = [=](StandInDriver& driver, std::uint32_t) {
    return give_text(driver.options().device_name, name, room);
  };
  return device_call("cuDeviceGetName", device, body);
}
STAND_IN_CALL(cuDeviceGetUuid)(CUuuid* uuid, CUdevice device) {
  return give_uuid("cuDeviceGetUuid", uuid, device);
}
STAND_IN_CALL(cuDeviceGetUuid_v2)(CUuuid* uuid, CUdevice device) {
  return give_uuid("cuDeviceGetUuid_v2", uuid, device);
}
STAND_IN_CALL(cuDeviceTotalMem_v2)(std::size_t* bytes, CUdevice device) {
  const auto body = [=](StandInDriver& driver, std::uint32_t index) {
    return give(driver, bytes, driver.memory().info(index).total.count);
  };
  return device_call("cuDeviceTotalMem_v2", device, body);
}
STAND_IN_CALL(cuDeviceGetAttribute)(int* value, CUdevice_attribute asked, CUdevice device) {
  const auto body = [=](StandInDriver& driver, std::uint32_t index) {
    const auto known = device_attribute(driver.options(), asked, index);
    return known ? give(driver, value, *known) : CUDA_ERROR_INVALID_VALUE;
  };
  return device_call("cuDeviceGetAttribute", device, body);
}
STAND_IN_CALL(cuDeviceGetProperties)(CUdevprop* properties, CUdevice device) {
  const auto body = [=](StandInDriver& driver, std::uint32_t index) {
    if (properties == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *properties = properties_of(driver, index);
    return CUDA_SUCCESS;
  };
  return device_call("cuDeviceGetProperties", device, body);
}
STAND_IN_CALL(cuDeviceComputeCapability)(int* major, int* minor, CUdevice device) {
  const auto body = [=](StandInDriver& driver, std::uint32_t) {
    if (major == nullptr || minor == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *major = driver.options().properties.compute_major;
    *minor = driver.options().properties.compute_minor;
    return CUDA_SUCCESS;
  };
  return device_call("cuDeviceComputeCapability", device, body);
}
STAND_IN_CALL(cuDeviceGetPCIBusId)(char* text, int room, CUdevice device) {
  const auto body = [=](StandInDriver& driver, std::uint32_t index) {
    return give_text(pci_text(driver, index), text, room);
  };
  return device_call("cuDeviceGetPCIBusId", device, body);
}
STAND_IN_CALL(cuDeviceGetByPCIBusId)(CUdevice* device, const char* text) {
  const auto body = [=](StandInDriver& driver) {
    if (text == nullptr) return CUDA_ERROR_INVALID_VALUE;
    for (std::uint32_t index = 0; index < driver.options().device_count; ++index)
      if (pci_text(driver, index) == text) return give(driver, device, index);
    return CUDA_ERROR_INVALID_DEVICE;
  };
  return driver_call({"cuDeviceGetByPCIBusId", initialised}, body);
}
STAND_IN_CALL(cuDeviceCanAccessPeer)(int* can, CUdevice device, CUdevice peer) {
  const auto body = [=](StandInDriver& driver, std::uint32_t) {
    if (!has_device(driver, peer)) return CUDA_ERROR_INVALID_DEVICE;
    return give(driver, can, device == peer ? 0 : 1);
  };
  return device_call("cuDeviceCanAccessPeer", device, body);
}
/// Access, atomics and arrays over the link are there; the rank of all links is the same.
STAND_IN_CALL(cuDeviceGetP2PAttribute)
(int* value, unsigned asked, CUdevice device, CUdevice peer) {
  const auto body = [=](StandInDriver& driver, std::uint32_t) {
    if (!has_device(driver, peer) || device == peer) return CUDA_ERROR_INVALID_DEVICE;
    constexpr unsigned performance_rank = 1;
    return give(driver, value, asked == performance_rank ? 0 : 1);
  };
  return device_call("cuDeviceGetP2PAttribute", device, body);
}
/// Processors can't be set aside, and nothing is known of the texture's format.
STAND_IN_CALL(cuDeviceGetExecAffinitySupport)(int* is_supported, unsigned, CUdevice device) {
  const auto body = [=](StandInDriver& driver, std::uint32_t) {
    return give(driver, is_supported, 0);
  };
  return device_call("cuDeviceGetExecAffinitySupport", device, body);
}
STAND_IN_CALL(cuFlushGPUDirectRDMAWrites)(unsigned /*target*/, unsigned /*scope*/) {
  return accept("cuFlushGPUDirectRDMAWrites");
}
