// Reads what device calls cost on one GPU from a file as `vramlab live --calibrate` writes it
// (docs/reference/schemas/device-calls.schema.json).
#pragma once

#include <string>

#include "streams/device/device_costs.h"

namespace vramlab::replay {

/// Throws InputError.
streams::DeviceCosts read_device_costs(const std::string& path);

}  // namespace vramlab::replay
