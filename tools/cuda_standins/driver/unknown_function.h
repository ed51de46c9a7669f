// The answer of a function of the driver that nobody wrote by hand.
#pragma once

#include "streams/cuda_interface/status.h"

namespace vramlab::dry_run {

/// CUDA_ERROR_NOT_SUPPORTED, and a note for the report.
CUresult answer_unknown(const char* symbol);

}  // namespace vramlab::dry_run
