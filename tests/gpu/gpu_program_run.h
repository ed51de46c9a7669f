// GpuProgramRun: the state of one program while its calls are made: handles by name, captures that
// were begun, and what host functions need until the end.
#pragma once

#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "tests/gpu/gpu_board.h"
#include "tests/gpu/gpu_buffers.h"
#include "tests/gpu/host_threads.h"

namespace vramlab::tests {

class GpuProgramRun {
 public:
  GpuProgramRun(GpuBoard& board, GpuBuffers& buffers, std::uint64_t ns_per_step);

  /// On the call's own thread.
  CallAnswer make(const StreamCall& call);
  /// Ends captures that are still under way, and waits for everything.
  cudaError_t finish();
  /// Destroys what was made. Afterwards nothing else can be done.
  void clear_up();

 private:
  struct HostWork {
    GpuBoard* board = nullptr;
    std::uint32_t work = 0;
    std::uint64_t spin_ns = 0;
  };

  cudaError_t make_here(const StreamCall& call, std::vector<std::int64_t>& figures);
  cudaError_t make_event_call(const StreamCall& call, std::vector<std::int64_t>& figures);
  cudaError_t make_capture_call(const StreamCall& call, std::vector<std::int64_t>& figures);
  cudaError_t create_stream(const StreamCall& call);
  cudaError_t destroy_stream(const StreamCall& call);
  cudaError_t submit(const StreamCall& call);
  cudaError_t submit_copy(const StreamCall& call, cudaStream_t stream);
  cudaError_t copy(const streams::Work& work, cudaStream_t stream);
  cudaError_t launch_part(const StreamCall& call, WorkPart part, cudaStream_t stream);
  cudaError_t launch_host_function(const StreamCall& call, cudaStream_t stream);
  cudaError_t end_capture(const StreamCall& call);
  cudaError_t allocate();
  cudaError_t describe_capture(const StreamCall& call, std::vector<std::int64_t>& figures);
  static void run_host_work(void* host_work);

  /// Throws where the GPU destroyed it and the simulator did not.
  cudaStream_t stream_of(const StreamCall& call) const;
  cudaEvent_t event_named(allocator::EventId event) const;
  cudaGraphExec_t graph_of(const StreamCall& call) const;

  GpuBoard& board_;
  GpuBuffers& buffers_;
  std::uint64_t ns_per_step_;
  std::map<std::uint64_t, cudaStream_t> streams_;
  std::map<std::uint64_t, cudaEvent_t> events_;
  std::map<std::uint64_t, cudaGraphExec_t> graphs_;
  std::vector<std::pair<streams::ThreadId, cudaStream_t>> begun_captures_;
  std::deque<HostWork> host_works_;
  std::vector<void*> allocations_;
  HostThreads threads_;
};

}  // namespace vramlab::tests
