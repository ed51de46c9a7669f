// Which PyTorch this process has loaded, as its allocator's rules depend on the version.
#pragma once

#include <string>

#include "allocator/types/reference_version.h"

namespace vramlab::pytorch {

/// The rules of the PyTorch around this library. They are those of the usual version where there is
/// none, as in a program that only loads the plug-in. Throws std::runtime_error where PyTorch does
/// not say its version.
const ReferenceVersion& reference_of_loaded_pytorch();

}  // namespace vramlab::pytorch
