// The functions of CUDA's runtime that the GPU tests call, answered by the simulator.
#include <cuda_runtime_api.h>

#include <cstdlib>
#include <string>

#include "tests/gpu/gpu_work.h"
#include "tests/gpu/stand_in/stand_in_runtime.h"

using namespace vramlab::tests;
using namespace vramlab::streams;
using vramlab::allocator::EventId;

namespace {

template <class Handle>
Handle handle_of(std::uint64_t name) {
  return reinterpret_cast<Handle>(static_cast<std::uintptr_t>(name));
}
template <class Handle>
std::uint64_t name_of(Handle handle) {
  return reinterpret_cast<std::uintptr_t>(handle);
}
StandInRuntime& runtime() { return stand_in_runtime(); }
TimedStreams& calls() { return runtime().next_call(); }
StreamAt at(cudaStream_t stream) { return StandInRuntime::stream_at(stream); }

/// The action of the kernel, on the host and when it ends.
void do_gpu_work(const BoardView& board, const GpuWork& work, Time begin, Time end) {
  const std::uint32_t run = board.run_counts[work.work];
  const std::uint32_t slot = work.work * board.runs_per_work + run;
  const std::uint32_t words = (board.slot_count + 31) / 32;
  if (work.part != WorkPart::end) {
    for (std::uint32_t other = 0; other < board.slot_count; ++other)
      if (board.ended[other] != 0) board.seen[slot * words + other / 32] |= 1U << (other % 32);
    board.begin_ns[slot] = begin.ns + 1;
  }
  if (work.part == WorkPart::begin) return;
  board.end_ns[slot] = end.ns + 1;
  board.run_counts[work.work] = run + 1;
  board.ended[slot] = 1;
}

CaptureMode mode_of(cudaStreamCaptureMode mode) {
  if (mode == cudaStreamCaptureModeGlobal) return CaptureMode::global;
  return mode == cudaStreamCaptureModeThreadLocal ? CaptureMode::thread_local_only
                                                  : CaptureMode::relaxed;
}

cudaStreamCaptureMode cuda_mode_of(CaptureMode mode) {
  if (mode == CaptureMode::global) return cudaStreamCaptureModeGlobal;
  return mode == CaptureMode::thread_local_only ? cudaStreamCaptureModeThreadLocal
                                                : cudaStreamCaptureModeRelaxed;
}

WorkKind kind_of(cudaMemcpyKind kind) {
  if (kind == cudaMemcpyHostToDevice) return WorkKind::copy_to_device;
  return kind == cudaMemcpyDeviceToHost ? WorkKind::copy_to_host : WorkKind::copy_on_device;
}

}  // namespace

cudaError_t vramlab::tests::launch_gpu_work(const BoardView& board, const GpuWork& work,
                                            cudaStream_t stream) {
  Work simulated;
  simulated.duration = {work.part == WorkPart::whole ? work.spin_ns : 100};
  if (work.fault == GpuFault::illegal_address) simulated.fault = CudaStatus::illegal_address;
  if (work.fault == GpuFault::trap) simulated.fault = CudaStatus::launch_failure;
  return runtime().submit(stream, simulated, [board, work](Time begin, Time end) {
    do_gpu_work(board, work, begin, end);
  });
}

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* gpu, int /*device*/) {
  *gpu = {};
  std::string("no GPU but the simulator standing in for one").copy(gpu->name, 64);
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) {
  *version = 0;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = 0;
  return cudaSuccess;
}
const char* cudaGetErrorName(cudaError_t error) {
  return cuda_status_name(StandInRuntime::status_of(error)).data();
}
const char* cudaGetErrorString(cudaError_t error) { return cudaGetErrorName(error); }
cudaError_t cudaGetLastError() { return cudaSuccess; }

cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned /*flags*/) {
  *memory = runtime().allocate_pinned(bytes);
  return cudaSuccess;
}
cudaError_t cudaFreeHost(void* memory) {
  runtime().release(memory);
  return cudaSuccess;
}
cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  const CudaStatus status = calls().check_unsafe_call();
  if (status == CudaStatus::success) *memory = runtime().allocate_pinned(bytes);
  return runtime().returns(status);
}
cudaError_t cudaFree(void* memory) { return cudaFreeHost(memory); }

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  *stream = handle_of<cudaStream_t>(runtime().new_name());
  return runtime().returns(calls().create_stream(
      at(*stream), {.is_blocking = flags == cudaStreamDefault, .priority = priority}));
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return runtime().returns(calls().destroy_stream(at(stream)));
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return runtime().returns(calls().query_stream(at(stream)));
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return runtime().returns(calls().synchronize_stream(at(stream)));
}
cudaError_t cudaDeviceSynchronize() { return runtime().returns(calls().synchronize_device(0)); }

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* argument) {
  Work work;
  work.kind = WorkKind::host_function;
  return runtime().submit(stream, work, [=](Time, Time) { function(argument); });
}
cudaError_t cudaMemcpyAsync(void* to, const void* /*from*/, std::size_t /*bytes*/,
                            cudaMemcpyKind kind, cudaStream_t stream) {
  Work work;
  work.kind = kind_of(kind);
  work.duration = {2'000};
  work.blocks_host = kind == cudaMemcpyDeviceToHost && !runtime().is_pinned(to);
  return runtime().submit(stream, work, [](Time, Time) {});
}
cudaError_t cudaMemsetAsync(void* /*to*/, int /*value*/, std::size_t /*bytes*/,
                            cudaStream_t stream) {
  Work work;
  work.kind = WorkKind::memset;
  work.duration = {1'000};
  return runtime().submit(stream, work, [](Time, Time) {});
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  const std::uint64_t name = runtime().new_name();
  *event = handle_of<cudaEvent_t>(name);
  return runtime().returns(calls().create_event({name}, 0, flags != cudaEventDisableTiming));
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return runtime().returns(calls().destroy_event({name_of(event)}));
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return runtime().returns(calls().record_event({name_of(event)}, at(stream), 0));
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned /*flags*/) {
#ifdef VRAMLAB_FORGET_EVENT_WAITS
  if (!calls().capture_of(at(stream))) return cudaSuccess;
#endif
  return runtime().returns(calls().wait_for_event(at(stream), {name_of(event)}, 0));
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  return runtime().returns(calls().query_event({name_of(event)}));
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return runtime().returns(calls().synchronize_event({name_of(event)}));
}
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t from, cudaEvent_t to) {
  const ElapsedTime elapsed = calls().elapsed({name_of(from)}, {name_of(to)});
  *ms = static_cast<float>(elapsed.ns) / 1e6F;
  return runtime().returns(elapsed.status);
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return runtime().returns(calls().begin_capture(at(stream), mode_of(mode)));
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  const std::uint64_t name = runtime().new_name();
  const CudaStatus status = calls().end_capture(at(stream), {name});
  *graph = status == CudaStatus::success ? handle_of<cudaGraph_t>(name) : nullptr;
  return runtime().returns(status);
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* made, cudaGraph_t graph,
                                          unsigned long long /*flags*/) {
  *made = handle_of<cudaGraphExec_t>(name_of(graph));
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t /*graph*/) { return cudaSuccess; }
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph) {
  return runtime().returns(calls().destroy_graph({name_of(graph)}));
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) {
  return runtime().returns(calls().launch_graph({name_of(graph)}, at(stream), 0));
}
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  *mode = cuda_mode_of(calls().exchange_capture_mode(mode_of(*mode)));
  return cudaSuccess;
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  const bool captures = calls().capture_of(at(stream)).has_value();
  *status = captures ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  return runtime().returns(calls().check_capture_query(at(stream)));
}
/// It has other arguments in each generation of the toolkit.
#if CUDART_VERSION >= 13000
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                     unsigned long long* /*id*/, cudaGraph_t* /*graph*/,
                                     const cudaGraphNode_t** /*nodes*/,
                                     const cudaGraphEdgeData** /*edges*/, std::size_t* count) {
#else
cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                        unsigned long long* /*id*/, cudaGraph_t* /*graph*/,
                                        const cudaGraphNode_t** /*nodes*/, std::size_t* count) {
#endif
  const auto capture = calls().capture_of(at(stream));
  *status = capture ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  *count = capture ? capture->terminals.size() : 0;
  return runtime().returns(calls().check_capture_query(at(stream)));
}

}  // extern "C"
