#include "tools/dry_run/driver/occupancy.h"

#include <algorithm>

namespace vramlab::dry_run {
namespace {

constexpr int threads_of_warp = 32;
constexpr int registers_per_sm = 65536;

/// The system has some shared memory of each block on these.
std::uint64_t shared_of_system(const streams::GpuProperties& gpu) {
  return gpu.compute_major >= 8 ? 1024 : 0;
}

}  // namespace

int blocks_per_sm(const streams::GpuProperties& gpu, int threads, std::uint64_t shared_bytes) {
  if (threads < 1 || threads > most_threads_per_block) return 0;
  const int whole = (threads + threads_of_warp - 1) / threads_of_warp * threads_of_warp;
  int blocks = std::min({gpu.blocks_per_sm, gpu.threads_per_sm / whole,
                         registers_per_sm / (whole * registers_per_thread)});
  const std::uint64_t of_block = shared_bytes + shared_of_system(gpu);
  if (of_block > 0) {
    const std::uint64_t fitting = static_cast<std::uint64_t>(gpu.shared_bytes_per_sm) / of_block;
    blocks = std::min(blocks, static_cast<int>(std::min<std::uint64_t>(fitting, 1024)));
  }
  return blocks;
}

}  // namespace vramlab::dry_run
