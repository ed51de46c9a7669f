// A program that does what users' programs do, a row of docs/guide/preload.md at a time: its
// argument says which. It prints what it meets.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "streams/cuda_interface/prototypes.h"

namespace {

constexpr std::size_t mib = std::size_t{1} << 20;

void must(CUresult result, const char* what) {
  if (result == CUDA_SUCCESS) return;
  std::printf("%s: %d\n", what, static_cast<int>(result));
  std::exit(99);
}

CUcontext use_device(CUdevice device = 0) {
  CUcontext context = nullptr;
  must(cuInit(0), "cuInit");
  must(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
  must(cuCtxSetCurrent(context), "cuCtxSetCurrent");
  return context;
}

CUdeviceptr allocated(std::size_t bytes) {
  CUdeviceptr at = 0;
  must(cuMemAlloc_v2(&at, bytes), "cuMemAlloc");
  return at;
}

std::size_t free_bytes() {
  std::size_t free = 0;
  std::size_t total = 0;
  must(cuMemGetInfo_v2(&free, &total), "cuMemGetInfo");
  return free;
}

CUstream made_stream() {
  CUstream stream = nullptr;
  must(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
  return stream;
}

/// A capture that a stream of the same device joins, with a free, a request and a free of what it
/// got in the middle of it.
void capture() {
  use_device();
  const CUstream first = made_stream();
  const CUstream second = made_stream();
  const CUdeviceptr before = allocated(4 * mib);
  must(cuStreamBeginCapture_v2(first, CU_STREAM_CAPTURE_MODE_RELAXED), "cuStreamBeginCapture");
  CUevent there = nullptr;
  CUevent back = nullptr;
  must(cuEventCreate(&there, CU_EVENT_DISABLE_TIMING), "cuEventCreate");
  must(cuEventCreate(&back, CU_EVENT_DISABLE_TIMING), "cuEventCreate");
  must(cuEventRecord(there, first), "cuEventRecord");
  must(cuStreamWaitEvent(second, there, 0), "cuStreamWaitEvent");
  must(cuMemFree_v2(before), "cuMemFree");
  must(cuMemFree_v2(allocated(8 * mib)), "cuMemFree of what the capture allocated");
  must(cuEventRecord(back, second), "cuEventRecord");
  must(cuStreamWaitEvent(first, back, 0), "cuStreamWaitEvent");
  CUgraph graph = nullptr;
  must(cuStreamEndCapture(first, &graph), "cuStreamEndCapture");
  must(cuMemFree_v2(allocated(4 * mib)), "cuMemFree");
  std::printf("graph %d\n", graph != nullptr ? 1 : 0);
}

void green() {
  const CUcontext primary = use_device();
  const std::size_t all = free_bytes();
  CUgreenCtx made = nullptr;
  CUcontext context = nullptr;
  must(cuGreenCtxCreate(&made, nullptr, 0, 1), "cuGreenCtxCreate");
  must(cuCtxFromGreenCtx(&context, made), "cuCtxFromGreenCtx");
  must(cuCtxSetCurrent(context), "cuCtxSetCurrent");
  const CUdeviceptr at = allocated(100 * mib);
  must(cuGreenCtxDestroy(made), "cuGreenCtxDestroy");
  must(cuCtxSetCurrent(primary), "cuCtxSetCurrent");
  std::printf("taken %zu\n", all - free_bytes());
  must(cuMemFree_v2(at), "cuMemFree");
  std::printf("taken %zu\n", all - free_bytes());
}

void contexts() {
  use_device();
  const std::size_t all = free_bytes();
  for (int i = 0; i < 1000; ++i) {
    CUcontext context = nullptr;
    must(cuCtxCreate_v2(&context, 0, 0), "cuCtxCreate");
    must(cuMemFree_v2(allocated(30 * mib)), "cuMemFree");
    allocated(3 * mib);
    must(cuCtxDestroy_v2(context), "cuCtxDestroy");
  }
  use_device();
  std::printf("taken %zu\n", all - free_bytes());
}

void handles() {
  use_device();
  CUipcMemHandle handle{};
  const CUdeviceptr first = allocated(2 * mib);
  const CUdeviceptr second = allocated(2 * mib);
  std::printf("first %d\n", static_cast<int>(cuIpcGetMemHandle(&handle, first)));
  std::printf("second %d\n", static_cast<int>(cuIpcGetMemHandle(&handle, second)));
  const CUdeviceptr third = allocated(2 * mib);
  std::printf("third %d\n", static_cast<int>(cuIpcGetMemHandle(&handle, third)));
  for (const CUdeviceptr at : {first, second, third}) must(cuMemFree_v2(at), "cuMemFree");
}

/// The child waits for a signal; what it allocates is refused there.
void child() {
  use_device();
  const CUdeviceptr at = allocated(4 * mib);
  std::fflush(stdout);
  int ready[2];
  if (pipe(ready) != 0) std::exit(97);
  const pid_t child = fork();
  if (child == 0) {
    CUdeviceptr mine = 0;
    const char answer = cuMemAlloc_v2(&mine, mib) == CUDA_SUCCESS ? 'y' : 'n';
    if (write(ready[1], &answer, 1) != 1) _exit(97);
    for (;;) pause();
  }
  char answer = '?';
  if (read(ready[0], &answer, 1) != 1) std::exit(97);
  kill(child, SIGTERM);
  int status = 0;
  waitpid(child, &status, 0);
  std::printf("allocated %c, ended by %d\n", answer, WIFSIGNALED(status) ? WTERMSIG(status) : 0);
  must(cuMemFree_v2(at), "cuMemFree");
}

}  // namespace

int main(int, char** words) {
  const std::string way = words[1];
  if (way == "capture") capture();
  if (way == "green") green();
  if (way == "contexts") contexts();
  if (way == "handles") handles();
  if (way == "child") child();
  return 0;
}
