// The driver of this machine. The tests here run only where it has a GPU (gpu_live_main.cpp).
#pragma once

#include "streams/live/driver_session.h"

namespace vramlab::tests {

/// Requires: there is one.
const streams::CudaDriver& real_driver();

}  // namespace vramlab::tests
