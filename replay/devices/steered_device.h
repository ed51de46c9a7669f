// SteeredDevice: a device whose work ends when a program says so, seen from both of its sides. A
// simulated device stands behind it, or a real GPU.
#pragma once

#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include "allocator/words/device.h"
#include "streams/device/device_world.h"
#include "streams/device/memory_device.h"

namespace vramlab::replay {

struct SteeredDevice {
  /// Keeps the device.
  std::shared_ptr<void> owner;
  allocator::Device* device = nullptr;
  streams::DeviceWorld* world = nullptr;
  /// Where it is simulated.
  const streams::MemoryDevice* simulated = nullptr;
};

template <class BothSides>
SteeredDevice steered(std::shared_ptr<BothSides> device) {
  allocator::Device* const allocators_side = device.get();
  streams::DeviceWorld* const worlds_side = device.get();
  const streams::MemoryDevice* simulated = nullptr;
  if constexpr (std::is_base_of_v<streams::MemoryDevice, BothSides>) simulated = device.get();
  return {std::move(device), allocators_side, worlds_side, simulated};
}

/// Makes a device with this memory.
using MakeDevice = std::function<SteeredDevice(const streams::MemoryOptions& memory)>;

}  // namespace vramlab::replay
