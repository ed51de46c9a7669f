// A program that is linked to the driver, in scenes: what it does is its first argument.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "streams/cuda_interface/prototypes.h"

namespace {

void must(CUresult result, const char* what) {
  if (result == CUDA_SUCCESS) return;
  std::printf("%s: %d\n", what, static_cast<int>(result));
  std::exit(99);
}

CUcontext use_device() {
  CUcontext context = nullptr;
  must(cuInit(0), "cuInit");
  must(cuDevicePrimaryCtxRetain(&context, 0), "cuDevicePrimaryCtxRetain");
  must(cuCtxSetCurrent(context), "cuCtxSetCurrent");
  return context;
}

CUdeviceptr allocated(std::size_t bytes) {
  CUdeviceptr at = 0;
  must(cuMemAlloc_v2(&at, bytes), "cuMemAlloc");
  return at;
}

void allocate_and_free(std::size_t bytes) {
  const CUdeviceptr at = allocated(bytes);
  must(cuMemFree_v2(at), "cuMemFree");
}

/// In the static constructors and destructors of a program that asks for it.
struct FromStatics {
  FromStatics() {
    const char* const wanted = std::getenv("FROM_STATICS");
    if (wanted == nullptr) return;
    use_device();
    at = allocated(12345);
  }
  ~FromStatics() {
    if (at != 0) std::printf("static free: %d\n", static_cast<int>(cuMemFree_v2(at)));
  }
  CUdeviceptr at = 0;
};
FromStatics from_statics;

int null_outputs() {
  use_device();
  std::printf("alloc %d\n", static_cast<int>(cuMemAlloc_v2(nullptr, 4096)));
  std::printf("info %d\n", static_cast<int>(cuMemGetInfo_v2(nullptr, nullptr)));
  std::size_t total = 0;
  std::printf("half info %d\n", static_cast<int>(cuMemGetInfo_v2(nullptr, &total)));
  CUdeviceptr at = 77;
  std::printf("zero %d %llu\n", static_cast<int>(cuMemAlloc_v2(&at, 0)), at);
  std::printf("free 0 %d\n", static_cast<int>(cuMemFree_v2(0)));
  std::printf("async null %d\n", static_cast<int>(cuMemAllocAsync(nullptr, 16, nullptr)));
  return 0;
}

int no_context() {
  must(cuInit(0), "cuInit");
  CUdeviceptr at = 77;
  std::printf("alloc %d %llu\n", static_cast<int>(cuMemAlloc_v2(&at, 4096)), at);
  std::printf("free %d\n", static_cast<int>(cuMemFree_v2(4096)));
  return 0;
}

int wait_for_child(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  std::printf("child %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
  return 0;
}

int fork_before() {
  const pid_t child = fork();
  use_device();
  allocate_and_free(child == 0 ? 1111 : 2222);
  return child == 0 ? 0 : wait_for_child(child);
}

int fork_after() {
  use_device();
  const CUdeviceptr at = allocated(3333);
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    // Whatever the driver says to it: neither a hang nor a crash.
    CUdeviceptr mine = 0;
    static_cast<void>(cuMemAlloc_v2(&mine, 4444));
    static_cast<void>(cuMemFree_v2(at));
    std::exit(5);
  }
  wait_for_child(child);
  must(cuMemFree_v2(at), "cuMemFree after the fork");
  allocate_and_free(5555);
  return 0;
}

int fork_in_storm() {
  use_device();
  CUcontext context = nullptr;
  must(cuCtxGetCurrent(&context), "cuCtxGetCurrent");
  std::atomic<bool> over = false;
  std::thread storm([&] {
    must(cuCtxSetCurrent(context), "cuCtxSetCurrent");
    while (!over) allocate_and_free(4096);
  });
  for (int i = 0; i < 20; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      CUdeviceptr mine = 0;
      static_cast<void>(cuMemAlloc_v2(&mine, 4444));
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0) return 1;
  }
  over = true;
  storm.join();
  return 0;
}

int threads() {
  const CUcontext context = use_device();
  std::vector<std::thread> all;
  for (int i = 0; i < 8; ++i)
    all.emplace_back([&] {
      must(cuCtxSetCurrent(context), "cuCtxSetCurrent");
      for (std::size_t round = 0; round < 250; ++round) allocate_and_free(4096 + round * 512);
    });
  for (std::thread& one : all) one.join();
  return 0;
}

/// A daemon closes what it does not know; the numbers go to files of its own.
int close_all() {
  use_device();
  const CUdeviceptr at = allocated(1000);
  for (int descriptor = 3; descriptor < 200; ++descriptor) close(descriptor);
  std::vector<int> mine;
  for (int i = 0; i < 20; ++i) mine.push_back(open("victim", O_CREAT | O_RDWR | O_APPEND, 0600));
  must(cuMemFree_v2(at), "cuMemFree");
  allocate_and_free(2000);
  std::printf("victim %lld\n", static_cast<long long>(lseek(mine.front(), 0, SEEK_END)));
  return 0;
}

int kinds() {
  use_device();
  CUdeviceptr at = 0;
  std::size_t pitch = 0;
  must(cuMemAllocPitch_v2(&at, &pitch, 100, 10, 4), "pitch");
  must(cuMemFree_v2(at), "free of pitch");
  must(cuMemAllocManaged(&at, 8192, CU_MEM_ATTACH_GLOBAL), "managed");
  must(cuMemFree_v2(at), "free of managed");
  void* host = nullptr;
  must(cuMemHostAlloc(&host, 3000, 0), "host");
  must(cuMemFreeHost(host), "free of host");
  CUstream stream = nullptr;
  CUstream other = nullptr;
  must(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "stream");
  must(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING), "stream");
  must(cuMemAllocAsync(&at, 7000, stream), "async");
  must(cuMemFreeAsync(at, other), "free async");
  must(cuStreamDestroy_v2(stream), "destroy");
  CUdeviceptr huge = 5;
  std::printf("huge %d\n", static_cast<int>(cuMemAlloc_v2(&huge, std::size_t{1} << 50)));
  return 0;
}

int physical() {
  use_device();
  CUmemAllocationProp what{};
  what.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  what.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  constexpr std::size_t bytes = 2 << 20;
  CUmemGenericAllocationHandle handle = 0;
  CUdeviceptr at = 0;
  must(cuMemCreate(&handle, bytes, &what, 0), "create");
  must(cuMemAddressReserve(&at, bytes, 0, 0, 0), "reserve");
  must(cuMemMap(at, bytes, 0, handle, 0), "map");
  must(cuMemRelease(handle), "release");
  must(cuMemUnmap(at, bytes), "unmap");
  return 0;
}

int reset() {
  use_device();
  allocated(6000);
  allocated(7000);
  must(cuDevicePrimaryCtxReset_v2(0), "reset");
  return 0;
}

__attribute__((noinline)) int with_stack() {
  use_device();
  allocate_and_free(4096);
  return 0;
}

int many(int count) {
  use_device();
  for (int i = 0; i < count; ++i) allocated(4096);
  return 0;
}

/// The time of an allocation and its free, for people to compare.
int timed(int count) {
  use_device();
  allocate_and_free(4096);
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < count; ++i) allocate_and_free(4096);
  const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - begin;
  std::printf("%.0f ns\n", taken.count() / count);
  return 0;
}

}  // namespace

int main(int count, char** words) {
  const std::string scene = count > 1 ? words[1] : "";
  if (scene == "null_outputs") return null_outputs();
  if (scene == "no_context") return no_context();
  if (scene == "fork_before") return fork_before();
  if (scene == "fork_after") return fork_after();
  if (scene == "fork_in_storm") return fork_in_storm();
  if (scene == "threads") return threads();
  if (scene == "close_all") return close_all();
  if (scene == "kinds") return kinds();
  if (scene == "physical") return physical();
  if (scene == "reset") return reset();
  if (scene == "with_stack") return with_stack();
  if (scene == "statics") return 0;
  if (scene == "timed") return timed(std::atoi(words[2]));
  if (scene == "status") return std::atoi(words[2]);
  if (scene == "underscore_exit") {
    many(10);
    _exit(7);
  }
  if (scene == "kill") {
    many(100);
    raise(SIGKILL);
  }
  if (scene == "wait") {
    many(1);
    std::printf("ready\n");
    std::fflush(stdout);
    pause();
  }
  if (scene == "exec") {
    many(3);
    execl("/proc/self/exe", words[0], "allocate", nullptr);
  }
  if (scene == "allocate") {
    use_device();
    allocate_and_free(4096);
    return 0;
  }
  return 98;
}
