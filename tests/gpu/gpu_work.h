// Work on the GPU: it notes on a board in pinned memory when it began and what had ended by then,
// spins, and notes that it ended. Nothing here needs the rest of vramlab, nor its language: the
// CUDA compiler reads it.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace vramlab::tests {

/// Pinned memory that the host and the device see under the same addresses. A slot is a run of a
/// piece of work; each piece has `runs_per_work` in a row. Whoever begins reads who has ended, so
/// the order is proven without a clock.
struct BoardView {
  std::uint32_t runs_per_work = 1;
  std::uint32_t slot_count = 0;
  /// By slot, 1 once it ended.
  std::uint32_t* ended = nullptr;
  /// By slot: 32 slots a word, `slot_count / 32` words rounded up.
  std::uint32_t* seen = nullptr;
  /// By slot; by the device's clock.
  std::uint64_t* begin_ns = nullptr;
  std::uint64_t* end_ns = nullptr;
  /// By piece of work: how often it has run.
  std::uint32_t* run_counts = nullptr;
};

/// Work that can't note anything itself, such as a copy, has a part before it and one behind it.
enum class WorkPart : std::uint32_t { whole, begin, end };
enum class GpuFault : std::uint32_t { none, illegal_address, trap };

struct GpuWork {
  std::uint32_t work = 0;
  WorkPart part = WorkPart::whole;
  GpuFault fault = GpuFault::none;
  std::uint64_t spin_ns = 0;
};

cudaError_t launch_gpu_work(const BoardView& board, const GpuWork& work, cudaStream_t stream);

}  // namespace vramlab::tests
