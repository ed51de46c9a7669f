#include "tools/cuda_standins/libraries/cudnn/attention.h"

#include <algorithm>
#include <bit>

namespace vramlab::dry_run::cudnn {
namespace {

constexpr int hopper = 90;
constexpr std::uint64_t of_a_kernel = 256;

std::uint64_t rounded_up(std::uint64_t bytes, std::uint64_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

/// Parts of one query's keys: a power of two, as long as each has 128 keys and there are at most
/// 256 parts in all.
std::uint64_t parts_of_a_query(const AttentionShape& shape) {
  constexpr std::uint64_t least_keys = 513;
  constexpr std::uint64_t keys_of_a_part = 128;
  constexpr std::uint64_t most_parts = 256;
  if (shape.keys < least_keys || shape.batches_and_heads == 0) return 1;
  return std::bit_floor(
      std::min(shape.keys / keys_of_a_part, most_parts / shape.batches_and_heads));
}

/// The sums of each part, two numbers about each, and a line of counters.
std::uint64_t bytes_of_parts(std::uint64_t parts, std::uint64_t width) {
  constexpr std::uint64_t counters = 128;
  return parts * width * sizeof(float) + rounded_up(2 * parts * sizeof(float), 256) + counters;
}

}  // namespace

std::uint64_t attention_forward_workspace(int compute_capability, const AttentionShape& shape) {
  if (compute_capability != hopper) return 0;
  if (shape.queries != 1) return of_a_kernel;
  const std::uint64_t parts = parts_of_a_query(shape);
  return parts < 2 ? 0 : bytes_of_parts(parts * shape.batches_and_heads, shape.width);
}

std::uint64_t attention_backward_workspace(int compute_capability) {
  return compute_capability == hopper ? of_a_kernel : 0;
}

}  // namespace vramlab::dry_run::cudnn
