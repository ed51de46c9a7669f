// A program for recordings: memory that is known by handles, belongs to others, or appears when a
// graph is launched. What it does is its argument.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "streams/cuda_interface/prototypes.h"

namespace {

constexpr std::size_t two_mib = 2 << 20;

void must(CUresult result, const char* what) {
  if (result == CUDA_SUCCESS) return;
  std::printf("%s: %d\n", what, static_cast<int>(result));
  std::exit(99);
}

CUmemGenericAllocationHandle created() {
  CUmemAllocationProp what{};
  what.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  what.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  what.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  CUmemGenericAllocationHandle handle = 0;
  must(cuMemCreate(&handle, two_mib, &what, 0), "create");
  return handle;
}

CUdeviceptr mapped(CUmemGenericAllocationHandle handle) {
  CUdeviceptr at = 0;
  must(cuMemAddressReserve(&at, two_mib, 0, 0, 0), "reserve");
  must(cuMemMap(at, two_mib, 0, handle, 0), "map");
  return at;
}

/// A plain allocation in between shows what counts then.
void allocate_and_free(std::size_t bytes) {
  CUdeviceptr at = 0;
  must(cuMemAlloc_v2(&at, bytes), "allocate");
  must(cuMemFree_v2(at), "free");
}

void retain() {
  const CUmemGenericAllocationHandle handle = created();
  const CUdeviceptr at = mapped(handle);
  must(cuMemRelease(handle), "release");
  CUmemGenericAllocationHandle again = 0;
  must(cuMemRetainAllocationHandle(&again, reinterpret_cast<void*>(at + 4096)), "retain");
  must(cuMemUnmap(at, two_mib), "unmap");
  allocate_and_free(1000);
  must(cuMemRelease(again), "release of what was retained");
}

int exported(CUmemGenericAllocationHandle handle) {
  int file = -1;
  must(cuMemExportToShareableHandle(&file, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
       "export");
  return file;
}

CUmemGenericAllocationHandle imported(int file) {
  CUmemGenericAllocationHandle handle = 0;
  must(cuMemImportFromShareableHandle(&handle, reinterpret_cast<void*>(std::intptr_t{file}),
                                      CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR),
       "import");
  return handle;
}

void import_own() {
  const CUmemGenericAllocationHandle handle = created();
  const CUmemGenericAllocationHandle same = imported(exported(handle));
  must(cuMemRelease(handle), "release");
  allocate_and_free(1000);
  must(cuMemRelease(same), "release of what was imported");
}

/// A process of its own imports it.
void share(const char* program) {
  const int file = exported(created());
  fcntl(file, F_SETFD, 0);
  const pid_t child = fork();
  if (child == 0) {
    execl(program, program, "import_other", std::to_string(file).c_str(), nullptr);
    _exit(98);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0) std::exit(97);
}

void import_other(int file) {
  const CUmemGenericAllocationHandle handle = imported(file);
  const CUdeviceptr at = mapped(handle);
  must(cuMemRelease(handle), "release");
  allocate_and_free(1000);
  must(cuMemUnmap(at, two_mib), "unmap");
}

}  // namespace

int main(int count, char** words) {
  const std::string scene = count > 1 ? words[1] : "";
  CUcontext context = nullptr;
  must(cuInit(0), "cuInit");
  must(cuDevicePrimaryCtxRetain(&context, 0), "cuDevicePrimaryCtxRetain");
  must(cuCtxSetCurrent(context), "cuCtxSetCurrent");
  if (scene == "retain") retain();
  if (scene == "import_own") import_own();
  if (scene == "share") share("/proc/self/exe");
  if (scene == "import_other") import_other(std::atoi(words[2]));
  return 0;
}
