// The workspace that cuDNN wants for attention, as an H200 told it (CUDA 13.0, PyTorch 2.11.0,
// 2026-11-27; 371 shapes). Other GPUs are not known: none is wanted there.
#pragma once

#include <cstdint>

namespace vramlab::dry_run::cudnn {

struct AttentionShape {
  std::uint64_t batches_and_heads = 0;
  std::uint64_t queries = 0;
  std::uint64_t keys = 0;
  std::uint64_t width = 0;  // of a head's values
};

/// Bytes for the forward pass on a GPU of that compute capability, 90 for 9.0. One query with many
/// keys is computed in parts that are added at the end.
std::uint64_t attention_forward_workspace(int compute_capability, const AttentionShape& shape);

/// Bytes for the backward pass, in addition to those that the program's own part of cuDNN adds.
std::uint64_t attention_backward_workspace(int compute_capability);

}  // namespace vramlab::dry_run::cudnn
