// A communicator: which rank of how many this is.
#pragma once

#include "tools/cuda_standins/libraries/kit/objects.h"

namespace vramlab::dry_run {

inline constexpr int nccl_success = 0;
inline constexpr int nccl_invalid_usage = 5;

struct Communicator : Object {
  int rank = 0;
  int size = 1;
  int device = 0;
};

}  // namespace vramlab::dry_run
