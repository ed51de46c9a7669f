// Programs of users, further rows of docs/guide/preload.md: its argument says which. It prints what
// it meets, and ends with 3 where the oracle found a race.
#include <dlfcn.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "tests/fake_cuda/programs/program.h"

using namespace vramlab::fake_programs;

namespace {

constexpr std::size_t mib = std::size_t{1} << 20;
constexpr std::uint64_t long_ns = 10000000;

void say(const char* what, long long value) {
  std::printf("%s %lld\n", what, value);
  std::fflush(stdout);
}

std::size_t free_bytes() {
  std::size_t free = 0;
  std::size_t total = 0;
  MUST(cuMemGetInfo_v2(&free, &total));
  return free;
}

CUstream made_stream() {
  CUstream stream = nullptr;
  MUST(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  return stream;
}

CUevent made_event() {
  CUevent event = nullptr;
  MUST(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
  return event;
}

/// Work on the stream that uses the memory for a long time.
void use(CUdeviceptr at, std::size_t bytes, CUstream stream) {
  std::uint64_t ns = long_ns;
  const fake_cuda_use used{at, bytes, 1};
  const fake_cuda_use* uses = &used;
  std::uint32_t count = 1;
  void* arguments[] = {&ns, &uses, &count};
  MUST(cuLaunchKernel(find_kernel("fake_use"), 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr));
}

/// A stream of the second device joins a capture of the first, and memory there is freed.
void capture_of_two_devices() {
  const CUcontext second = open_device(1);
  const CUdeviceptr before = take_memory(4 * mib);
  const CUstream joining = made_stream();
  const CUevent back = made_event();
  const CUcontext first = open_device(0);
  const CUstream stream = made_stream();
  const CUevent there = made_event();
  MUST(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
  MUST(cuEventRecord(there, stream));
  MUST(cuStreamWaitEvent(joining, there, 0));
  MUST(cuCtxSetCurrent(second));
  give_back_memory(before);
  MUST(cuEventRecord(back, joining));
  MUST(cuCtxSetCurrent(first));
  MUST(cuStreamWaitEvent(stream, back, 0));
  CUgraph graph = nullptr;
  say("end", cuStreamEndCapture(stream, &graph));
  MUST(cuCtxSetCurrent(second));
  give_back_memory(take_memory(4 * mib));
}

/// All that the driver has is taken, but for what lies beside memory in use.
void full_device_in_capture() {
  open_device();
  const CUdeviceptr held = take_memory(4 * mib);
  const CUdeviceptr freed = take_memory(4 * mib);
  CUmemAllocationProp what{};
  what.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  what.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  CUmemGenericAllocationHandle handle = 0;
  for (const std::size_t bytes : {512 * mib, 32 * mib, 2 * mib})
    while (cuMemCreate(&handle, bytes, &what, 0) == CUDA_SUCCESS) continue;
  give_back_memory(freed);
  const CUstream stream = made_stream();
  MUST(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
  CUdeviceptr at = 0;
  say("in the capture", cuMemAlloc_v2(&at, 4 * mib));
  CUgraph graph = nullptr;
  MUST(cuStreamEndCapture(stream, &graph));
  MUST(cuMemFree_v2(at));
  give_back_memory(held);
}

/// Three ways to start the program that is this one, for which CUDA is new.
void other_programs(const char* self) {
  open_device();
  const CUdeviceptr at = take_memory(4 * mib);
  say("system", std::system((std::string(self) + " plain").c_str()));
  int status = 0;
  const pid_t child = fork();
  if (child == 0) execl(self, self, "plain", nullptr);
  MUST(waitpid(child, &status, 0) == child ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN);
  say("fork and exec", status);
  std::vector<char*> words = {const_cast<char*>(self), const_cast<char*>("plain"), nullptr};
  pid_t spawned = 0;
  MUST(posix_spawn(&spawned, self, nullptr, nullptr, words.data(), environ) == 0
           ? CUDA_SUCCESS
           : CUDA_ERROR_UNKNOWN);
  waitpid(spawned, &status, 0);
  say("posix_spawn", status);
  give_back_memory(at);
}

void plain() {
  open_device();
  give_back_memory(take_memory(4 * mib));
  give_back_memory(take_memory(4 * mib));
  say("allocated", 2);
}

void reset() {
  open_device();
  const std::size_t all = free_bytes();
  fake_cuda_given_back(take_memory(4 * mib));
  give_back_memory(take_memory(100 * mib));
  MUST(cuDevicePrimaryCtxReset_v2(0));
  open_device();
  say("taken", static_cast<long long>(all - free_bytes()));
  give_back_memory(take_memory(4 * mib));
}

/// The second device works on what the first one frees, which is a race without the library.
void peers() {
  const CUcontext owner = open_device(0);
  const CUcontext peer = open_device(1);
  MUST(cuCtxEnablePeerAccess(owner, 0));
  const CUstream stream = made_stream();
  MUST(cuCtxSetCurrent(owner));
  const CUdeviceptr at = take_memory(30 * mib);
  MUST(cuCtxSetCurrent(peer));
  use(at, 30 * mib, stream);
  MUST(cuCtxSetCurrent(owner));
  give_back_memory(at);
  const CUdeviceptr next = take_memory(30 * mib);
  use(next, 30 * mib, nullptr);
  MUST(cuCtxSynchronize());
  give_back_memory(next);
}

void addresses() {
  open_device();
  const CUdeviceptr first = take_memory(2 * mib);
  const CUdeviceptr second = take_memory(2 * mib);
  for (const CUdeviceptr at : {first, second}) {
    CUdeviceptr base = 0;
    std::size_t bytes = 0;
    MUST(cuMemGetAddressRange_v2(&base, &bytes, at));
    std::printf("%s, %zu MiB\n", base == at ? "its own" : "within another's", bytes / mib);
  }
  give_back_memory(first);
  give_back_memory(second);
}

/// Whether work goes on that uses the memory when it was freed.
void relies_on_wait() {
  open_device();
  const CUdeviceptr at = take_memory(30 * mib);
  use(at, 30 * mib, made_stream());
  give_back_memory(at);
  say("in use", fake_cuda_is_in_use(at, 30 * mib));
  MUST(cuCtxSynchronize());
}

/// Memory of cuMemAlloc, freed in the order of a stream on which it is used.
void stream_ordered_free() {
  open_device();
  const CUstream stream = made_stream();
  const CUdeviceptr at = take_memory(30 * mib);
  use(at, 30 * mib, stream);
  fake_cuda_given_back(at);
  say("freed", cuMemFreeAsync(at, stream));
  const CUdeviceptr next = take_memory(30 * mib);
  use(next, 30 * mib, nullptr);
  MUST(cuCtxSynchronize());
  give_back_memory(next);
}

/// Freed memory comes back another time, except memory that these functions gave.
void other_memory() {
  open_device();
  CUdeviceptr at = 0;
  for (int i = 0; i < 2; ++i) {
    MUST(cuMemAllocManaged(&at, 8 * mib, CU_MEM_ATTACH_GLOBAL));
    MUST(cuMemFree_v2(at));
    MUST(cuMemAllocAsync(&at, 8 * mib, nullptr));
    MUST(cuMemFreeAsync(at, nullptr));
    MUST(cuCtxSynchronize());
  }
  say("done", 1);
}

void device_error() {
  open_device();
  const CUdeviceptr at = take_memory(4 * mib);
  CUdeviceptr next = 0;
  std::uint64_t ns = 1000;
  std::int32_t error = CUDA_ERROR_ILLEGAL_ADDRESS;
  void* arguments[] = {&ns, &error};
  const CUfunction kernel = find_kernel("fake_fault");
  MUST(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
  say("synchronize", cuCtxSynchronize());
  say("copy", cuMemsetD8_v2(at, 0, 16));
  // Cached memory may still be had until the library has asked the driver about what was freed.
  for (int i = 0; i < 3; ++i)
    if (cuMemAlloc_v2(&next, 4 * mib) == CUDA_SUCCESS) cuMemFree_v2(next);
  say("allocate", cuMemAlloc_v2(&next, 4 * mib));
  say("free", cuMemFree_v2(at));
}

/// Freed memory is used, though work on it is pending; then nothing is left.
void too_much() {
  open_device();
  const CUdeviceptr at = take_memory(6 << 10);
  const CUdeviceptr large = take_memory(6144 * mib);
  use(large, 6144 * mib, made_stream());
  give_back_memory(large);
  CUdeviceptr next = 0;
  say("again", cuMemAlloc_v2(&next, 7168 * mib));
  CUdeviceptr none = 0;
  say("more", cuMemAlloc_v2(&none, 2048 * mib));
  MUST(cuMemFree_v2(next));
  give_back_memory(at);
}

int give_back_once(void* held) {
  CUdeviceptr& at = *static_cast<CUdeviceptr*>(held);
  if (at == 0) return 0;
  give_back_memory(std::exchange(at, 0));
  return 1;
}

/// A request gets what the program frees when it is asked.
void asked_for_memory() {
  open_device();
  CUdeviceptr held = take_memory(30 * mib);
  const CUdeviceptr first = held;
  using Add = int(int, int (*)(void*), void*);
  void* const found = dlsym(RTLD_DEFAULT, "vramlab_add_free_memory_callback");
  if (found == nullptr) return say("found", 0);
  say("registered", reinterpret_cast<Add*>(found)(0, give_back_once, &held));
  say("the same block", take_memory(30 * mib) == first ? 1 : 0);
}

}  // namespace

int main(int, char** words) {
  const std::string row = words[1];
  if (row == "capture_of_two_devices") capture_of_two_devices();
  if (row == "full_device_in_capture") full_device_in_capture();
  if (row == "other_programs") other_programs(words[0]);
  if (row == "plain") plain();
  if (row == "reset") reset();
  if (row == "peers") peers();
  if (row == "addresses") addresses();
  if (row == "relies_on_wait") relies_on_wait();
  if (row == "stream_ordered_free") stream_ordered_free();
  if (row == "other_memory") other_memory();
  if (row == "device_error") device_error();
  if (row == "too_much") too_much();
  if (row == "asked_for_memory") asked_for_memory();
  return end_of_program();
}
