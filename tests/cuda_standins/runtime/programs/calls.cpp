// The functions of CUDA's runtime that an ordinary program calls, linked to libcudart.so.12 or .13.
// It ends with 0 where everything is as it must be, and names what is not.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tools/cuda_standins/runtime/cudart.h"

namespace {

void must(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "failed: %s (last error %s)\n", what,
               cudaGetErrorName(cudaPeekAtLastError()));
  std::_Exit(1);
}
#define MUST(call) must((call) == 0, #call)

constexpr std::size_t bytes = std::size_t{1} << 20;

void use_memory(cudaStream_t stream) {
  void* device = nullptr;
  void* host = nullptr;
  MUST(cudaMalloc(&device, bytes));
  MUST(cudaHostAlloc(&host, bytes, 0));
  std::memset(host, 1, bytes);
  MUST(cudaMemcpyAsync(device, host, bytes, 1, stream));
  MUST(cudaMemsetAsync(device, 0, bytes, stream));
  MUST(cudaMemcpyAsync(host, device, bytes, 2, stream));
  MUST(cudaStreamSynchronize(stream));
  must(static_cast<char*>(host)[bytes - 1] == 0, "memory that was set to zero brings zeros");
  MUST(cudaFreeHost(host));
  MUST(cudaFree(device));
  MUST(cudaMallocAsync(&device, bytes, stream));
  MUST(cudaFreeAsync(device, stream));
}

void use_events(cudaStream_t stream) {
  cudaEvent_t start = nullptr;
  cudaEvent_t end = nullptr;
  float ms = -1;
  MUST(cudaEventCreate(&start));
  MUST(cudaEventCreate(&end));
  MUST(cudaEventRecord(start, stream));
  MUST(cudaEventRecord(end, stream));
  MUST(cudaEventSynchronize(end));
  MUST(cudaEventQuery(end));
  MUST(cudaEventElapsedTime(&ms, start, end));
  must(ms >= 0, "time does not run backwards");
  MUST(cudaStreamWaitEvent(stream, end, 0));
  MUST(cudaEventDestroy(start));
  MUST(cudaEventDestroy(end));
}

void use_capture(cudaStream_t stream, void* memory) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t made = nullptr;
  MUST(cudaStreamBeginCapture(stream, 1));
  MUST(cudaMemsetAsync(memory, 0, bytes, stream));
  MUST(cudaStreamEndCapture(stream, &graph));
  MUST(cudaGraphInstantiate(&made, graph, 0));
  MUST(cudaGraphLaunch(made, stream));
  MUST(cudaStreamSynchronize(stream));
  MUST(cudaGraphExecDestroy(made));
  MUST(cudaGraphDestroy(graph));
}

}  // namespace

int main() {
  int count = 0;
  int version = 0;
  MUST(cudaGetDeviceCount(&count));
  must(count > 0, "there is a device");
  MUST(cudaRuntimeGetVersion(&version));
  MUST(cudaSetDevice(0));
  cudaStream_t stream = nullptr;
  void* memory = nullptr;
  MUST(cudaStreamCreateWithFlags(&stream, 1));
  MUST(cudaMalloc(&memory, bytes));
  use_memory(stream);
  use_memory(nullptr);
  use_events(stream);
  use_capture(stream, memory);
  MUST(cudaFree(memory));
  MUST(cudaStreamDestroy(stream));
  must(cudaMalloc(&memory, std::size_t{1} << 60) == 2, "too much memory is refused");
  must(cudaGetLastError() == 2 && cudaGetLastError() == 0, "the last error is told once");
  MUST(cudaDeviceSynchronize());
  std::printf("%d\n", version);
  return 0;
}
