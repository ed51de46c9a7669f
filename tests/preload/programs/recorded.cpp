// A program for recordings: memory that is known by handles, belongs to others, or appears when a
// graph is launched. What it does is its argument.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "streams/cuda_interface/prototypes.h"
#include "tools/cuda_standins/driver/driver_types.h"

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

CUDA_MEM_ALLOC_NODE_PARAMS wish(std::size_t bytes) {
  CUDA_MEM_ALLOC_NODE_PARAMS what{};
  what.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  what.poolProps.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  what.bytesize = bytes;
  return what;
}

void capture() {
  CUstream stream = nullptr;
  CUgraph graph = nullptr;
  CUdeviceptr at = 0;
  must(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "stream");
  must(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED), "begin");
  must(cuMemAllocAsync(&at, 4000, stream), "allocate");
  must(cuMemFreeAsync(at, stream), "free");
  must(cuStreamEndCapture(stream, &graph), "end");
  must(cuMemAllocAsync(&at, 5000, stream), "allocate outside");
  must(cuMemFreeAsync(at, stream), "free outside");
}

CUgraphNodeParams allocation_node(std::size_t bytes) {
  CUgraphNodeParams what{};
  what.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC;
  const CUDA_MEM_ALLOC_NODE_PARAMS inside = wish(bytes);
  std::memcpy(what.reserved1, &inside, sizeof inside);
  return what;
}

CUgraphNodeParams free_node(const CUgraphNodeParams& of) {
  CUDA_MEM_ALLOC_NODE_PARAMS made{};
  std::memcpy(&made, of.reserved1, sizeof made);
  CUgraphNodeParams what{};
  what.type = CU_GRAPH_NODE_TYPE_MEM_FREE;
  std::memcpy(what.reserved1, &made.dptr, sizeof made.dptr);
  return what;
}

void nodes() {
  CUgraph graph = nullptr;
  CUgraphNode node = nullptr;
  CUstream stream = nullptr;
  must(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "stream");
  must(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED), "begin");
  must(cuStreamEndCapture(stream, &graph), "end");
  CUDA_MEM_ALLOC_NODE_PARAMS first = wish(1000);
  must(cuGraphAddMemAllocNode(&node, graph, nullptr, 0, &first), "allocation node");
  must(cuGraphAddMemFreeNode(&node, graph, &node, 1, first.dptr), "free node");
  CUgraphNodeParams made = allocation_node(2000);
  must(cuGraphAddNode(&node, graph, nullptr, 0, &made), "node");
  made = free_node(made);
  must(cuGraphAddNode(&node, graph, &node, 1, &made), "node");
  made = allocation_node(3000);
  must(cuGraphAddNode_v2(&node, graph, nullptr, nullptr, 0, &made), "node of version 2");
  made = allocation_node(4000);
  must(cuGraphAddNode_v3(&node, graph, nullptr, nullptr, 0, &made), "node of version 3");
}

void multicast() {
  CUmulticastObjectProp what{};
  what.numDevices = 1;
  what.size = two_mib;
  CUmemGenericAllocationHandle handle = 0;
  must(cuMulticastCreate(&handle, &what), "multicast");
  const CUdeviceptr at = mapped(handle);
  must(cuMemRelease(handle), "release");
  must(cuMemUnmap(at, two_mib), "unmap");
}

void external() {
  CUDA_EXTERNAL_MEMORY_HANDLE_DESC what{};
  what.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
  what.size = 8000;
  CUexternalMemory memory = nullptr;
  must(cuImportExternalMemory(&memory, &what), "external memory");
  CUDA_EXTERNAL_MEMORY_BUFFER_DESC part{};
  part.offset = 1000;
  part.size = 7000;
  CUdeviceptr at = 0;
  must(cuExternalMemoryGetMappedBuffer(&at, memory, &part), "buffer");
  must(cuDestroyExternalMemory(memory), "destroy");
  must(cuMemFree_v2(at), "free");
}

void pool() {
  CUmemoryPool own = nullptr;
  CUmemoryPool others = nullptr;
  CUdeviceptr at = 0;
  CUmemPoolPtrExportData data{};
  int file = -1;
  must(cuDeviceGetDefaultMemPool(&own, 0), "pool");
  must(cuMemAllocAsync(&at, 6000, nullptr), "allocate");
  must(cuMemPoolExportPointer(&data, at), "export of a pointer");
  must(cuMemPoolExportToShareableHandle(&file, own, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
       "export of a pool");
  must(cuMemPoolImportFromShareableHandle(&others, reinterpret_cast<void*>(std::intptr_t{file}),
                                          CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
       "import of a pool");
  CUdeviceptr imported = 0;
  must(cuMemPoolImportPointer(&imported, others, &data), "import of a pointer");
  must(cuMemFreeAsync(imported, nullptr), "free of what was imported");
  must(cuMemFreeAsync(at, nullptr), "free");
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
  if (scene == "capture") capture();
  if (scene == "nodes") nodes();
  if (scene == "multicast") multicast();
  if (scene == "external") external();
  if (scene == "pool") pool();
  if (scene == "share") share("/proc/self/exe");
  if (scene == "import_other") import_other(std::atoi(words[2]));
  return 0;
}
