// SteeredDevice: a device whose work ends when a program says so, seen from both of its sides. A
// simulated device stands behind it, or a real GPU.
#pragma once

#include <functional>
#include <memory>

#include "allocator/device.h"
#include "streams/device_world.h"
#include "streams/simulated_memory.h"

namespace vramlab::replay {

struct SteeredDevice {
  /// Keeps the device.
  std::shared_ptr<void> owner;
  allocator::Device* device = nullptr;
  streams::DeviceWorld* world = nullptr;
};

template <class BothSides>
SteeredDevice steered(std::shared_ptr<BothSides> device) {
  allocator::Device* const allocators_side = device.get();
  streams::DeviceWorld* const worlds_side = device.get();
  return {std::move(device), allocators_side, worlds_side};
}

/// Makes a device with this memory.
using MakeDevice = std::function<SteeredDevice(const streams::MemoryOptions& memory)>;

}  // namespace vramlab::replay
