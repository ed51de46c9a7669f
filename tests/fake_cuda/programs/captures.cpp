// A graph is captured and launched several times; memory is taken and given back around and inside.
#include "tests/fake_cuda/programs/program.h"

using namespace vramlab::fake_programs;

namespace {

constexpr std::uint64_t words = 1000;

CUgraphExec capture_fill(CUstream stream, CUfunction fill, CUdeviceptr at) {
  CUgraph graph = nullptr;
  CUgraphExec made = nullptr;
  CUstreamCaptureStatus status{};
  MUST(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
  MUST(cuStreamIsCapturing(stream, &status));
  must(status == CU_STREAM_CAPTURE_STATUS_ACTIVE, "the stream captures");
  MUST(launch(fill, {at, words, 5}, stream));
  MUST(cuStreamEndCapture(stream, &graph));
  MUST(cuGraphInstantiateWithFlags(&made, graph, 0));
  MUST(cuGraphDestroy(graph));
  return made;
}

/// Memory asked for in a capture that forbids it: the capture is lost, and the program hears of it.
void take_memory_in_a_strict_capture(CUstream stream) {
  CUgraph graph = nullptr;
  CUdeviceptr at = 0;
  MUST(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  must(cuMemAlloc_v2(&at, 4096) == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "memory in a capture");
  must(cuStreamEndCapture(stream, &graph) == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "its end");
}

/// The same with the thread's mode exchanged for the call, as PyTorch does.
void take_memory_in_a_relaxed_thread(CUstream stream) {
  CUgraph graph = nullptr;
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  MUST(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  MUST(cuThreadExchangeStreamCaptureMode(&mode));
  const CUdeviceptr at = take_memory(4096);
  MUST(cuThreadExchangeStreamCaptureMode(&mode));
  MUST(cuStreamEndCapture(stream, &graph));
  give_back_memory(at);
  MUST(cuGraphDestroy(graph));
}

}  // namespace

int main() {
  open_device();
  CUstream stream = nullptr;
  MUST(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  const CUfunction fill = find_kernel("fake_fill");
  const CUdeviceptr at = take_memory(words * 4);
  const CUgraphExec graph = capture_fill(stream, fill, at);
  for (std::uint32_t round = 0; round < 3; ++round) {
    MUST(cuMemsetD32_v2(at, round, words));
    MUST(cuGraphLaunch(graph, stream));
    MUST(cuStreamSynchronize(stream));
    must(holds(at, words, 5), "the graph's words are there");
  }
  take_memory_in_a_strict_capture(stream);
  take_memory_in_a_relaxed_thread(stream);
  MUST(cuGraphExecDestroy(graph));
  give_back_memory(at);
  return end_of_program();
}
