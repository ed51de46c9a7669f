// DeviceSides: a device from both of its sides, the allocator's and the program's. A simulated
// device stands behind it, or a real GPU.
#pragma once

#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include "streams/device/memory_device.h"

namespace vramlab::replay {

struct DeviceSides {
  /// Keeps the device.
  std::shared_ptr<void> owner;
  allocator::Device* device = nullptr;
  /// Null on streams in virtual time, which do what the program says by themselves.
  streams::DrivenDevice* driven = nullptr;
  /// Null on a real GPU.
  streams::MemoryDevice* simulated = nullptr;
};

template <class Both>
DeviceSides both_sides(std::shared_ptr<Both> device) {
  DeviceSides sides{device, device.get()};
  if constexpr (std::is_base_of_v<streams::DrivenDevice, Both>) sides.driven = device.get();
  if constexpr (std::is_base_of_v<streams::MemoryDevice, Both>) sides.simulated = device.get();
  return sides;
}

/// Makes a device with this memory.
using MakeDevice = std::function<DeviceSides(const streams::MemoryOptions& memory)>;

}  // namespace vramlab::replay
