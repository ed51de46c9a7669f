// How many blocks of a kernel one multiprocessor runs at once, by the limits that CUDA's
// programming guide documents. Nothing is known of a kernel itself, so it has the registers of an
// average one.
#pragma once

#include <cstdint>

#include "streams/device/gpu_models.h"

namespace vramlab::dry_run {

inline constexpr int registers_per_thread = 32;
inline constexpr int most_threads_per_block = 1024;

/// 0 where a block is too large.
int blocks_per_sm(const streams::GpuProperties& gpu, int threads, std::uint64_t shared_bytes);

}  // namespace vramlab::dry_run
