#include <algorithm>
#include <climits>

#include "tools/cuda_standins/code/kernel_facts.h"

namespace vramlab::dry_run {
namespace {

constexpr int warp_threads = 32;
constexpr int largest_block = 1024;
/// A multiprocessor has four parts with registers of their own, which warps get in whole pieces.
constexpr int parts = 4;
constexpr int register_piece = 256;

template <class Number>
Number rounded_up(Number value, Number unit) {
  return (value + unit - 1) / unit * unit;
}

int warps_of(int threads) { return rounded_up(threads, warp_threads) / warp_threads; }

/// As many warps as have their registers at once.
int warps_with_registers(const MultiprocessorLimits& limits, const KernelFacts& kernel) {
  const int of_warp = rounded_up(kernel.registers * warp_threads, register_piece);
  return of_warp == 0 ? INT_MAX : limits.registers / parts / of_warp * parts;
}

int blocks_with_registers(const MultiprocessorLimits& limits, const KernelFacts& kernel,
                          int block_warps) {
  const int warps = warps_with_registers(limits, kernel);
  return rounded_up(block_warps, parts) > warps ? 0 : warps / block_warps;
}

int blocks_with_shared_memory(const MultiprocessorLimits& limits, const KernelFacts& kernel,
                              std::size_t dynamic_bytes) {
  constexpr std::size_t new_piece = 128;
  constexpr std::size_t old_piece = 256;
  constexpr int first_with_new_piece = 80;
  const std::size_t piece = limits.capability >= first_with_new_piece ? new_piece : old_piece;
  const std::size_t used = kernel.shared_bytes + limits.reserved_shared_bytes + dynamic_bytes;
  const std::size_t taken = rounded_up(used, piece);
  if (taken > limits.shared_bytes_of_block + limits.reserved_shared_bytes) return 0;
  return taken == 0 ? INT_MAX : static_cast<int>(limits.shared_bytes / taken);
}

}  // namespace

int most_threads(const MultiprocessorLimits& limits, const KernelFacts& kernel) {
  const int promised = kernel.most_threads == 0 ? largest_block : kernel.most_threads;
  const int warps = warps_with_registers(limits, kernel);
  if (warps >= largest_block / warp_threads) return std::min(promised, largest_block);
  return std::min(promised, warps * warp_threads);
}

int blocks_at_once(const MultiprocessorLimits& limits, const KernelFacts& kernel,
                   const BlockOfThreads& block) {
  if (block.threads < 1 || block.threads > most_threads(limits, kernel)) return 0;
  const int warps = warps_of(block.threads);
  return std::min({limits.blocks, limits.threads / warp_threads / warps,
                   blocks_with_registers(limits, kernel, warps),
                   blocks_with_shared_memory(limits, kernel, block.dynamic_shared_bytes)});
}

}  // namespace vramlab::dry_run
