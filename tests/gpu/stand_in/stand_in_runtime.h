// StandInRuntime: what the functions of CUDA's runtime need behind them when there is no GPU: the
// simulator, and what each piece of work does when it ends.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <map>
#include <set>

#include "streams/stream_model/timed_streams.h"

namespace vramlab::tests {

/// Begin and end, in virtual time.
using WorkBody = std::function<void(streams::Time, streams::Time)>;

class StandInRuntime : private streams::StreamWatcher {
 public:
  StandInRuntime();

  /// The calling thread's next call is made on this.
  streams::TimedStreams& next_call();
  /// The call that was made may have to wait.
  cudaError_t returns(streams::CudaStatus status);

  /// A name that nobody has: of a stream, an event or a graph.
  std::uint64_t new_name() { return next_name_++; }
  cudaError_t submit(cudaStream_t stream, streams::Work work, WorkBody body);

  void* allocate_pinned(std::size_t bytes);
  void release(void* memory);
  bool is_pinned(const void* memory) const { return pinned_.contains(memory); }

  static streams::StreamAt stream_at(cudaStream_t stream);
  /// Requires: the simulator has such an error.
  static streams::CudaStatus status_of(cudaError_t error);

 private:
  void ended(const streams::EndedItem& item) override;

  std::map<std::uint64_t, WorkBody> bodies_;
  std::set<const void*> pinned_;
  std::uint64_t next_name_ = 16;
  std::uint64_t next_tag_ = 1;
  streams::TimedStreams timed_;
};

/// CUDA's runtime is one for a process, so what stands in for it is.
StandInRuntime& stand_in_runtime();

}  // namespace vramlab::tests
