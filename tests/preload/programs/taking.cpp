// A program that frees most of the device's memory, and then takes memory in another way: its
// argument says which. It prints what the driver's function answered.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "streams/cuda_interface/prototypes.h"

namespace {

constexpr std::size_t gib = std::size_t{1} << 30;
constexpr std::size_t wanted = 4 * gib;

void must(CUresult result, const char* what) {
  if (result == CUDA_SUCCESS) return;
  std::printf("%s: %d\n", what, static_cast<int>(result));
  std::exit(99);
}

CUdeviceptr allocated(std::size_t bytes) {
  CUdeviceptr at = 0;
  must(cuMemAlloc_v2(&at, bytes), "cuMemAlloc");
  return at;
}

CUresult take_pitched() {
  CUdeviceptr at = 0;
  std::size_t pitch = 0;
  return cuMemAllocPitch_v2(&at, &pitch, std::size_t{1} << 20, wanted >> 20, 4);
}

CUresult take_from_pool() {
  CUmemPoolProps what{};
  what.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  what.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  CUmemoryPool pool = nullptr;
  must(cuMemPoolCreate(&pool, &what), "cuMemPoolCreate");
  CUdeviceptr at = 0;
  return cuMemAllocFromPoolAsync(&at, wanted, pool, nullptr);
}

CUresult create_physical() {
  CUmemAllocationProp what{};
  what.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  what.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  CUmemGenericAllocationHandle handle = 0;
  return cuMemCreate(&handle, wanted, &what, 0);
}

/// Cells take 16 bytes in the stand-in driver.
constexpr CUDA_ARRAY3D_DESCRIPTOR box{1024, 1024, wanted >> 24, CU_AD_FORMAT_FLOAT, 4, 0};

CUresult create_array() {
  const CUDA_ARRAY_DESCRIPTOR what{1024, wanted >> 14, CU_AD_FORMAT_FLOAT, 4};
  CUarray made = nullptr;
  return cuArrayCreate_v2(&made, &what);
}
CUresult create_box() {
  CUarray made = nullptr;
  return cuArray3DCreate_v2(&made, &box);
}
CUresult create_mipmapped() {
  const CUDA_ARRAY3D_DESCRIPTOR what{1024, wanted >> 14, 0, CU_AD_FORMAT_FLOAT, 4, 0};
  CUmipmappedArray made = nullptr;
  return cuMipmappedArrayCreate(&made, &what, 1);
}

CUresult take_plain() {
  CUdeviceptr at = 0;
  return cuMemAlloc_v2(&at, wanted);
}
CUresult take_in_second_context() {
  CUcontext made = nullptr;
  must(cuCtxCreate_v2(&made, 0, 0), "cuCtxCreate");
  std::size_t free = 0;
  std::size_t total = 0;
  must(cuMemGetInfo_v2(&free, &total), "cuMemGetInfo");
  if (free < 7 * gib) std::printf("only %zu are free in the second context\n", free);
  return take_plain();
}
CUresult take_in_capture() {
  CUstream stream = nullptr;
  must(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
  must(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED), "cuStreamBeginCapture");
  const CUresult result = take_plain();
  CUgraph graph = nullptr;
  must(cuStreamEndCapture(stream, &graph), "cuStreamEndCapture");
  return result;
}

// Calls that take memory only because the test says so.
CUgraph a_graph() {
  CUgraph made = nullptr;
  CUstream stream = nullptr;
  must(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
  must(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED), "cuStreamBeginCapture");
  must(cuStreamEndCapture(stream, &made), "cuStreamEndCapture");
  return made;
}
CUresult load_module() {
  CUmodule made = nullptr;
  return cuModuleLoadData(&made, "");
}
CUresult load_library() {
  CUlibrary made = nullptr;
  return cuLibraryLoadData(&made, "", nullptr, nullptr, 0, nullptr, nullptr, 0);
}
CUresult instantiate() {
  CUgraphExec made = nullptr;
  return cuGraphInstantiateWithFlags(&made, a_graph(), 0);
}
CUresult launch_graph() {
  CUgraphExec made = nullptr;
  must(cuGraphInstantiateWithFlags(&made, a_graph(), 0), "cuGraphInstantiate");
  return cuGraphLaunch(made, nullptr);
}
CUresult create_context() {
  CUcontext made = nullptr;
  return cuCtxCreate_v2(&made, 0, 0);
}
CUresult create_stream() {
  CUstream made = nullptr;
  return cuStreamCreate(&made, 0);
}

/// Makes no call of the driver: its log says what happens meanwhile.
bool log_has_a_free_in_time() {
  for (int round = 0; round < 10000; ++round) {
    std::ifstream log(std::getenv("FAKE_CUDA_LOG"));
    for (std::string line; std::getline(log, line);)
      if (line.find(" cuMemFree_v2 ") != std::string::npos) return true;
    usleep(1000);
  }
  return false;
}

volatile std::sig_atomic_t handled = 0;

CUresult wait_for_trim() {
  raise(SIGUSR2);
  std::printf("own handler %d, given back %d\n", static_cast<int>(handled),
              log_has_a_free_in_time() ? 1 : 0);
  return CUDA_SUCCESS;
}

CUresult take(const std::string& way) {
  CUdeviceptr at = 0;
  if (way == "pitch") return take_pitched();
  if (way == "managed") return cuMemAllocManaged(&at, wanted, CU_MEM_ATTACH_GLOBAL);
  if (way == "async") return cuMemAllocAsync(&at, wanted, nullptr);
  if (way == "pool") return take_from_pool();
  if (way == "physical") return create_physical();
  if (way == "array") return create_array();
  if (way == "box") return create_box();
  if (way == "mipmapped") return create_mipmapped();
  if (way == "second_context") return take_in_second_context();
  if (way == "trim_signal") return wait_for_trim();
  if (way == "capture") return take_in_capture();
  if (way == "cuModuleLoadData") return load_module();
  if (way == "cuLibraryLoadData") return load_library();
  if (way == "cuGraphInstantiateWithFlags") return instantiate();
  if (way == "cuGraphLaunch") return launch_graph();
  if (way == "cuCtxCreate_v2") return create_context();
  if (way == "cuStreamCreate") return create_stream();
  std::exit(98);
}

}  // namespace

int main(int count, char** words) {
  // Installed before the library listens: it is called as well.
  std::signal(SIGUSR2, [](int) { handled = handled + 1; });
  CUcontext context = nullptr;
  must(cuInit(0), "cuInit");
  must(cuDevicePrimaryCtxRetain(&context, 0), "cuDevicePrimaryCtxRetain");
  must(cuCtxSetCurrent(context), "cuCtxSetCurrent");
  // The test may say that it stays in use.
  const CUdeviceptr at = allocated(6 * gib);
  if (count < 3) must(cuMemFree_v2(at), "cuMemFree");
  std::printf("%d\n", static_cast<int>(take(words[1])));
  return 0;
}
