// The workspace that cuDNN wants for attention, as an H200 told it (CUDA 13.0, PyTorch 2.11.0,
// 2026-11-27; 371 shapes). Other GPUs are not known: none is wanted there.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace vramlab::dry_run::cudnn {

struct AttentionShape {
  std::uint64_t batches_and_heads = 0;
  std::uint64_t queries = 0;
  std::uint64_t keys = 0;
  std::uint64_t width = 0;  // of a head's values
};

namespace attention {

constexpr int hopper = 90;
constexpr std::uint64_t of_a_kernel = 256;

/// Parts of one query's keys: a power of two, as long as each has 128 keys and there are at most
/// 256 parts in all.
constexpr std::uint64_t parts_of_a_query(const AttentionShape& shape) {
  constexpr std::uint64_t least_keys = 513;
  constexpr std::uint64_t keys_of_a_part = 128;
  constexpr std::uint64_t most_parts = 256;
  if (shape.keys < least_keys || shape.batches_and_heads == 0) return 1;
  return std::bit_floor(
      std::min(shape.keys / keys_of_a_part, most_parts / shape.batches_and_heads));
}

/// The sums of each part, two numbers about each, and a line of counters.
constexpr std::uint64_t bytes_of_parts(std::uint64_t parts, std::uint64_t width) {
  constexpr std::uint64_t unit = 256;
  constexpr std::uint64_t counters = 128;
  const std::uint64_t numbers = (2 * parts * sizeof(float) + unit - 1) / unit * unit;
  return parts * width * sizeof(float) + numbers + counters;
}

}  // namespace attention

/// Bytes for the forward pass on a GPU of that compute capability, 90 for 9.0. One query with many
/// keys is computed in parts that are added at the end.
constexpr std::uint64_t attention_forward_workspace(int compute_capability,
                                                    const AttentionShape& shape) {
  if (compute_capability != attention::hopper) return 0;
  if (shape.queries != 1) return attention::of_a_kernel;
  const std::uint64_t parts = attention::parts_of_a_query(shape);
  if (parts < 2) return 0;
  return attention::bytes_of_parts(parts * shape.batches_and_heads, shape.width);
}

/// Bytes for the backward pass, in addition to those that the program's own part of cuDNN adds.
constexpr std::uint64_t attention_backward_workspace(int compute_capability) {
  return compute_capability == attention::hopper ? attention::of_a_kernel : 0;
}

}  // namespace vramlab::dry_run::cudnn
