// What cuDeviceGetAttribute answers.
#pragma once

#include <cstdint>
#include <optional>

#include "streams/cuda_interface/types.h"
#include "tools/cuda_standins/model/driver_options.h"

namespace vramlab::dry_run {

/// Empty for what is no attribute of CUDA 13.5.
std::optional<int> device_attribute(const DriverOptions& options, CUdevice_attribute attribute,
                                    std::uint32_t device);

/// The bus of a device's PCI address; its domain and its device are 0.
int pci_bus(const DriverOptions& options, std::uint32_t device);

}  // namespace vramlab::dry_run
