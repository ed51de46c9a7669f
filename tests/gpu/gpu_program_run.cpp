#include "tests/gpu/gpu_program_run.h"

#include <chrono>
#include <cmath>
#include <stdexcept>

#include "allocator/types/check.h"

namespace vramlab::tests {
namespace {

using namespace streams;
using Kind = StreamCallKind;

/// The GPU and the simulator parted before.
class StreamIsGone : public std::runtime_error {
 public:
  StreamIsGone() : std::runtime_error("the stream had been destroyed") {}
};

/// While it lives, this thread's calls disturb no capture and are refused because of none.
class UnseenByCaptures {
 public:
  UnseenByCaptures() { static_cast<void>(cudaThreadExchangeStreamCaptureMode(&mode_)); }
  UnseenByCaptures(const UnseenByCaptures&) = delete;
  UnseenByCaptures& operator=(const UnseenByCaptures&) = delete;
  ~UnseenByCaptures() { static_cast<void>(cudaThreadExchangeStreamCaptureMode(&mode_)); }

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

cudaStreamCaptureMode cuda_mode(CaptureMode mode) {
  switch (mode) {
    case CaptureMode::global:
      return cudaStreamCaptureModeGlobal;
    case CaptureMode::thread_local_only:
      return cudaStreamCaptureModeThreadLocal;
    case CaptureMode::relaxed:
      return cudaStreamCaptureModeRelaxed;
  }
  return cudaStreamCaptureModeGlobal;
}

CaptureMode mode_of(cudaStreamCaptureMode mode) {
  if (mode == cudaStreamCaptureModeGlobal) return CaptureMode::global;
  return mode == cudaStreamCaptureModeThreadLocal ? CaptureMode::thread_local_only
                                                  : CaptureMode::relaxed;
}

GpuFault fault_of(const Work& work) {
  if (work.fault == CudaStatus::illegal_address) return GpuFault::illegal_address;
  return work.fault == CudaStatus::launch_failure ? GpuFault::trap : GpuFault::none;
}

/// cudaStreamGetCaptureInfo has other arguments in each generation of the toolkit.
cudaError_t capture_info(cudaStream_t stream, cudaStreamCaptureStatus& status,
                         std::size_t& dependency_count) {
  const cudaGraphNode_t* dependencies = nullptr;
#if CUDART_VERSION >= 13000
  const cudaGraphEdgeData* edges = nullptr;
  return cudaStreamGetCaptureInfo(stream, &status, nullptr, nullptr, &dependencies, &edges,
                                  &dependency_count);
#else
  return cudaStreamGetCaptureInfo_v2(stream, &status, nullptr, nullptr, &dependencies,
                                     &dependency_count);
#endif
}

bool is_capturing(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  require_success(cudaStreamIsCapturing(stream, &status), "cudaStreamIsCapturing");
  return status != cudaStreamCaptureStatusNone;
}

}  // namespace

GpuProgramRun::GpuProgramRun(GpuBoard& board, GpuBuffers& buffers, std::uint64_t ns_per_step)
    : board_(board), buffers_(buffers), ns_per_step_(ns_per_step) {}

CallAnswer GpuProgramRun::make(const StreamCall& call) {
  CallAnswer answer;
  threads_.make_call(call.thread, [&] {
    try {
      answer.error = cudaGetErrorName(make_here(call, answer.figures));
    } catch (const StreamIsGone& gone) {
      answer.error = gone.what();
    }
    // Errors that are not sticky are remembered until they are asked for.
    static_cast<void>(cudaGetLastError());
  });
  answer.ended = board_.ended_runs();
  return answer;
}

cudaStream_t GpuProgramRun::stream_of(const StreamCall& call) const {
  if (call.stream.stream.value == 0) return cudaStreamLegacy;
  const auto found = streams_.find(call.stream.stream.value);
  if (found == streams_.end()) throw StreamIsGone();
  return found->second;
}

cudaEvent_t GpuProgramRun::event_named(allocator::EventId event) const {
  const auto found = events_.find(event.value);
  return found == events_.end() ? nullptr : found->second;
}

cudaGraphExec_t GpuProgramRun::graph_of(const StreamCall& call) const {
  const auto found = graphs_.find(call.graph.value);
  return found == graphs_.end() ? nullptr : found->second;
}

cudaError_t GpuProgramRun::make_here(const StreamCall& call, std::vector<std::int64_t>& figures) {
  switch (call.kind) {
    case Kind::create_stream:
      return create_stream(call);
    case Kind::destroy_stream:
      return destroy_stream(call);
    case Kind::submit:
      return submit(call);
    case Kind::query_stream:
      return cudaStreamQuery(stream_of(call));
    case Kind::synchronize_stream:
      return cudaStreamSynchronize(stream_of(call));
    case Kind::synchronize_device:
      return cudaDeviceSynchronize();
    default:
      return call.kind <= Kind::elapsed ? make_event_call(call, figures)
                                        : make_capture_call(call, figures);
  }
}

cudaError_t GpuProgramRun::make_event_call(const StreamCall& call,
                                           std::vector<std::int64_t>& figures) {
  const cudaEvent_t event = event_named(call.event);
  switch (call.kind) {
    case Kind::create_event: {
      cudaEvent_t made = nullptr;
      const cudaError_t error = cudaEventCreateWithFlags(
          &made, call.has_timing ? cudaEventDefault : cudaEventDisableTiming);
      if (error == cudaSuccess) events_[call.event.value] = made;
      return error;
    }
    case Kind::destroy_event: {
      const cudaError_t error = cudaEventDestroy(event);
      if (error == cudaSuccess) events_.erase(call.event.value);
      return error;
    }
    case Kind::record_event:
      return cudaEventRecord(event, stream_of(call));
    case Kind::wait_for_event:
      return cudaStreamWaitEvent(stream_of(call), event, 0);
    case Kind::query_event:
      return cudaEventQuery(event);
    case Kind::synchronize_event:
      return cudaEventSynchronize(event);
    default: {
      float ms = 0;
      const cudaError_t error = cudaEventElapsedTime(&ms, event, event_named(call.other_event));
      if (error == cudaSuccess) figures.push_back(std::llround(static_cast<double>(ms) * 1e6));
      return error;
    }
  }
}

cudaError_t GpuProgramRun::make_capture_call(const StreamCall& call,
                                             std::vector<std::int64_t>& figures) {
  switch (call.kind) {
    case Kind::begin_capture: {
      const cudaStream_t stream = stream_of(call);
      const cudaError_t error = cudaStreamBeginCapture(stream, cuda_mode(call.mode));
      if (error == cudaSuccess) begun_captures_.emplace_back(call.thread, stream);
      return error;
    }
    case Kind::end_capture:
      return end_capture(call);
    case Kind::launch_graph:
      return cudaGraphLaunch(graph_of(call), stream_of(call));
    case Kind::destroy_graph: {
      const cudaError_t error = cudaGraphExecDestroy(graph_of(call));
      if (error == cudaSuccess) graphs_.erase(call.graph.value);
      return error;
    }
    case Kind::exchange_capture_mode: {
      cudaStreamCaptureMode mode = cuda_mode(call.mode);
      const cudaError_t error = cudaThreadExchangeStreamCaptureMode(&mode);
      figures.push_back(static_cast<std::int64_t>(mode_of(mode)));
      return error;
    }
    case Kind::check_unsafe_call:
      return allocate();
    default:
      return describe_capture(call, figures);
  }
}

// Streams and their work.

cudaError_t GpuProgramRun::create_stream(const StreamCall& call) {
  cudaStream_t stream = nullptr;
  const cudaError_t error = cudaStreamCreateWithPriority(
      &stream, call.traits.is_blocking ? cudaStreamDefault : cudaStreamNonBlocking,
      call.traits.priority);
  if (error == cudaSuccess) streams_[call.stream.stream.value] = stream;
  return error;
}

cudaError_t GpuProgramRun::destroy_stream(const StreamCall& call) {
  const cudaStream_t stream = stream_of(call);
  const cudaError_t error = cudaStreamDestroy(stream);
  if (error != cudaSuccess) return error;
  streams_.erase(call.stream.stream.value);
  std::erase_if(begun_captures_, [&](const auto& begun) { return begun.second == stream; });
  return error;
}

cudaError_t GpuProgramRun::submit(const StreamCall& call) {
  const cudaStream_t stream = stream_of(call);
  switch (call.work.kind) {
    case WorkKind::kernel:
      return launch_part(call, WorkPart::whole, stream);
    case WorkKind::host_function:
      return launch_host_function(call, stream);
    default:
      return submit_copy(call, stream);
  }
}

cudaError_t GpuProgramRun::launch_part(const StreamCall& call, WorkPart part, cudaStream_t stream) {
  const GpuWork work{.work = board_.work_index(call.work.tag),
                     .part = part,
                     .fault = fault_of(call.work),
                     .spin_ns = call.work.duration.ns * ns_per_step_};
  return launch_gpu_work(board_.view(), work, stream);
}

cudaError_t GpuProgramRun::submit_copy(const StreamCall& call, cudaStream_t stream) {
  if (const cudaError_t error = launch_part(call, WorkPart::begin, stream); error != cudaSuccess)
    return error;
  if (const cudaError_t error = copy(call.work, stream); error != cudaSuccess) return error;
  if (!call.work.blocks_host || is_capturing(stream))
    return launch_part(call, WorkPart::end, stream);
  // The host has waited for it, so the host knows that it ended.
  board_.note_end(board_.work_index(call.work.tag));
  return cudaSuccess;
}

cudaError_t GpuProgramRun::copy(const Work& work, cudaStream_t stream) {
  constexpr std::size_t bytes = GpuBuffers::bytes;
  switch (work.kind) {
    case WorkKind::copy_to_device:
      return cudaMemcpyAsync(buffers_.on_device(), buffers_.pinned(), bytes, cudaMemcpyHostToDevice,
                             stream);
    case WorkKind::copy_to_host:
      return cudaMemcpyAsync(work.blocks_host ? buffers_.pageable() : buffers_.pinned(),
                             buffers_.on_device(), bytes, cudaMemcpyDeviceToHost, stream);
    case WorkKind::copy_on_device:
      return cudaMemcpyAsync(buffers_.also_on_device(), buffers_.on_device(), bytes,
                             cudaMemcpyDeviceToDevice, stream);
    default:
      check(work.kind == WorkKind::memset, "programs for a GPU have no flags");
      return cudaMemsetAsync(buffers_.also_on_device(), 1, bytes, stream);
  }
}

cudaError_t GpuProgramRun::launch_host_function(const StreamCall& call, cudaStream_t stream) {
  host_works_.push_back(
      {&board_, board_.work_index(call.work.tag), call.work.duration.ns * ns_per_step_});
  return cudaLaunchHostFunc(stream, &run_host_work, &host_works_.back());
}

void GpuProgramRun::run_host_work(void* host_work) {
  const auto begin = std::chrono::steady_clock::now();
  const HostWork& work = *static_cast<HostWork*>(host_work);
  work.board->note_begin(work.work);
  while (std::chrono::steady_clock::now() - begin < std::chrono::nanoseconds(work.spin_ns)) {
  }
  work.board->note_end(work.work);
}

// Captures.

cudaError_t GpuProgramRun::end_capture(const StreamCall& call) {
  cudaGraph_t graph = nullptr;
  const cudaError_t error = cudaStreamEndCapture(stream_of(call), &graph);
  if (error != cudaSuccess || graph == nullptr) return error;
  const UnseenByCaptures unseen;
  cudaGraphExec_t made = nullptr;
  require_success(cudaGraphInstantiateWithFlags(&made, graph, 0), "cudaGraphInstantiate");
  require_success(cudaGraphDestroy(graph), "cudaGraphDestroy");
  cudaGraphExec_t& kept = graphs_[call.graph.value];
  if (kept != nullptr) require_success(cudaGraphExecDestroy(kept), "cudaGraphExecDestroy");
  kept = made;
  return cudaSuccess;
}

/// An unsafe call: what is freed again waits for the device, so that comes at the end.
cudaError_t GpuProgramRun::allocate() {
  void* allocated = nullptr;
  const cudaError_t error = cudaMalloc(&allocated, 256);
  if (error == cudaSuccess) allocations_.push_back(allocated);
  return error;
}

cudaError_t GpuProgramRun::describe_capture(const StreamCall& call,
                                            std::vector<std::int64_t>& figures) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  std::size_t dependency_count = 0;
  const cudaError_t error = capture_info(stream_of(call), status, dependency_count);
  const bool captures = status != cudaStreamCaptureStatusNone;
  figures = {captures ? 1 : 0, captures ? static_cast<std::int64_t>(dependency_count) : 0};
  return error;
}

// The end.

cudaError_t GpuProgramRun::finish() {
  for (const auto& [thread, stream] : begun_captures_)
    threads_.make_call(thread, [stream = stream] {
      cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
      static_cast<void>(cudaStreamIsCapturing(stream, &status));
      cudaGraph_t graph = nullptr;
      if (status != cudaStreamCaptureStatusNone)
        static_cast<void>(cudaStreamEndCapture(stream, &graph));
      if (graph != nullptr) static_cast<void>(cudaGraphDestroy(graph));
      static_cast<void>(cudaGetLastError());
    });
  return cudaDeviceSynchronize();
}

void GpuProgramRun::clear_up() {
  for (const auto& [name, graph] : graphs_) static_cast<void>(cudaGraphExecDestroy(graph));
  for (const auto& [name, event] : events_) static_cast<void>(cudaEventDestroy(event));
  for (const auto& [name, stream] : streams_) static_cast<void>(cudaStreamDestroy(stream));
  for (void* allocation : allocations_) static_cast<void>(cudaFree(allocation));
  static_cast<void>(cudaGetLastError());
}

}  // namespace vramlab::tests
