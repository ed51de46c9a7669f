// Numbers of NCCL's types: how many bytes each has, and what a reduction makes of those of several
// ranks. Sums are made in the order of the ranks; a GPU may round otherwise.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "tools/cuda_standins/libraries/nccl/rank_channel.h"

namespace vramlab::dry_run {

/// Bytes of an ncclDataType_t.
std::size_t bytes_of(int type);

struct Reduction {
  int type = 0;
  /// An ncclRedOp_t.
  int operation = 0;
};

/// Requires: at least one rank, all with the same number of bytes. Empty for numbers of 8 bits with
/// a point, and for operations that the program made itself.
std::optional<Bytes> reduce(const std::vector<Bytes>& ranks, const Reduction& reduction);

}  // namespace vramlab::dry_run
