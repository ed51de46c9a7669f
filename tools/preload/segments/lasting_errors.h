// Errors of the driver that do not pass.
#pragma once

#include "streams/cuda_interface/types.h"

namespace vramlab::shim {

/// After one of these the context answers nothing else any more.
bool is_lasting(CUresult error);

}  // namespace vramlab::shim
