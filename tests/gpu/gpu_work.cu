#include "tests/gpu/gpu_work.h"

namespace vramlab::tests {
namespace {

constexpr std::uint32_t lanes = 32;

__device__ std::uint64_t now_ns() {
  std::uint64_t ns;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
  return ns;
}

/// One warp. The host writes to the board too, so it is read and written as volatile.
__global__ void __launch_bounds__(lanes) run_gpu_work(BoardView board, GpuWork work) {
  const std::uint32_t lane = threadIdx.x;
  volatile std::uint32_t* run_counts = board.run_counts;
  volatile std::uint32_t* ended = board.ended;
  const std::uint32_t run = run_counts[work.work];
  const std::uint32_t last_run = board.runs_per_work - 1;
  const std::uint32_t slot = work.work * board.runs_per_work + (run < last_run ? run : last_run);
  const std::uint32_t words = (board.slot_count + lanes - 1) / lanes;
  const std::uint64_t begin = now_ns();
  __syncwarp();
  if (work.part != WorkPart::end) {
    for (std::uint32_t word = 0; word < words; ++word) {
      const std::uint32_t other = word * lanes + lane;
      const bool has_ended = other < board.slot_count && ended[other] != 0;
      const std::uint32_t bits = __ballot_sync(~0U, has_ended);
      if (lane == 0) board.seen[slot * words + word] = bits;
    }
    if (lane == 0) board.begin_ns[slot] = begin;
  }
  while (work.part == WorkPart::whole && now_ns() - begin < work.spin_ns) {
  }
  __syncwarp();
  if (lane != 0) return;
  if (work.fault == GpuFault::illegal_address) *reinterpret_cast<volatile int*>(16) = 1;
  if (work.fault == GpuFault::trap) __trap();
  if (work.part != WorkPart::begin) {
    board.end_ns[slot] = now_ns();
    run_counts[work.work] = run + 1;
    __threadfence_system();
    ended[slot] = 1;
  }
  __threadfence_system();
}

}  // namespace

cudaError_t launch_gpu_work(const BoardView& board, const GpuWork& work, cudaStream_t stream) {
  BoardView board_argument = board;
  GpuWork work_argument = work;
  void* arguments[] = {&board_argument, &work_argument};
  return cudaLaunchKernel(reinterpret_cast<const void*>(&run_gpu_work), dim3(1), dim3(lanes),
                          arguments, 0, stream);
}

}  // namespace vramlab::tests
