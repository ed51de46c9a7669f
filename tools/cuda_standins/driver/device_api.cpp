// What is asked of a device.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <string>

#include "tools/cuda_standins/driver/device_attributes.h"
#include "tools/cuda_standins/driver/driver_call.h"
#include "tools/cuda_standins/driver/driver_types.h"

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
