// CUDA's runtime: streams, events, captures and launches.
#include <cstring>

#include "tests/fake_cuda/runtime/runtime_state.h"

using namespace vramlab::fake;

namespace {

CUstream as_stream(void* stream) { return static_cast<CUstream>(stream); }
CUevent as_event(void* event) { return static_cast<CUevent>(event); }

template <class Launch>
int launch(void* kernel, const Launch& call) {
  return runtime_call([=](const RuntimeDriver& driver) {
    if (kernel == nullptr) return static_cast<CUresult>(98);  // cudaErrorInvalidDeviceFunction
    CUresult result = CUDA_SUCCESS;
    const CUfunction function = runtime_state().function_of(kernel, result);
    return result == CUDA_SUCCESS ? call(driver, function) : result;
  });
}

}  // namespace

int cudaStreamCreate(void** stream) { return cudaStreamCreateWithFlags(stream, 0); }
int cudaStreamCreateWithFlags(void** stream, unsigned flags) {
  return runtime_call([=](const RuntimeDriver& driver) {
    return driver.stream_create(reinterpret_cast<CUstream*>(stream), flags);
  });
}
int cudaStreamDestroy(void* stream) {
  return runtime_call(
      [=](const RuntimeDriver& driver) { return driver.stream_destroy(as_stream(stream)); });
}
int cudaStreamQuery(void* stream) {
  return runtime_call(
      [=](const RuntimeDriver& driver) { return driver.stream_query(as_stream(stream)); });
}
int cudaStreamSynchronize(void* stream) {
  return runtime_call(
      [=](const RuntimeDriver& driver) { return driver.stream_synchronize(as_stream(stream)); });
}
int cudaStreamSynchronize_ptsz(void* stream) {
  return runtime_call([=](const RuntimeDriver& driver) {
    return driver.stream_synchronize_own(as_stream(stream));
  });
}
int cudaStreamWaitEvent(void* stream, void* event, unsigned flags) {
  return runtime_call([=](const RuntimeDriver& driver) {
    return driver.stream_wait(as_stream(stream), as_event(event), flags);
  });
}
int cudaStreamBeginCapture(void* stream, int mode) {
  return runtime_call([=](const RuntimeDriver& driver) {
    return driver.begin_capture(as_stream(stream), static_cast<CUstreamCaptureMode>(mode));
  });
}
int cudaStreamEndCapture(void* stream, void** graph) {
  return runtime_call([=](const RuntimeDriver& driver) {
    return driver.end_capture(as_stream(stream), reinterpret_cast<CUgraph*>(graph));
  });
}
int cudaGraphInstantiate(void** made, void* graph, unsigned long long flags) {
  return runtime_call([=](const RuntimeDriver& driver) {
    return driver.instantiate(reinterpret_cast<CUgraphExec*>(made), static_cast<CUgraph>(graph),
                              flags);
  });
}
int cudaGraphLaunch(void* graph, void* stream) {
  return runtime_call([=](const RuntimeDriver& driver) {
    return driver.graph_launch(static_cast<CUgraphExec>(graph), as_stream(stream));
  });
}

int cudaEventCreate(void** event) { return cudaEventCreateWithFlags(event, 0); }
int cudaEventCreateWithFlags(void** event, unsigned flags) {
  return runtime_call([=](const RuntimeDriver& driver) {
    return driver.event_create(reinterpret_cast<CUevent*>(event), flags);
  });
}
int cudaEventDestroy(void* event) {
  return runtime_call(
      [=](const RuntimeDriver& driver) { return driver.event_destroy(as_event(event)); });
}
int cudaEventRecord(void* event, void* stream) {
  return runtime_call([=](const RuntimeDriver& driver) {
    return driver.event_record(as_event(event), as_stream(stream));
  });
}
int cudaEventRecord_ptsz(void* event, void* stream) {
  return runtime_call([=](const RuntimeDriver& driver) {
    return driver.event_record_own(as_event(event), as_stream(stream));
  });
}
int cudaEventQuery(void* event) {
  return runtime_call(
      [=](const RuntimeDriver& driver) { return driver.event_query(as_event(event)); });
}
int cudaEventSynchronize(void* event) {
  return runtime_call(
      [=](const RuntimeDriver& driver) { return driver.event_synchronize(as_event(event)); });
}

// Kernels.

void** __cudaRegisterFatBinary(void* binary) { return new void*(binary); }
void __cudaRegisterFatBinaryEnd(void** /*handle*/) {}
void __cudaUnregisterFatBinary(void** handle) { delete handle; }
char __cudaInitModule(void** /*handle*/) { return 1; }
void __cudaRegisterFunction(void** /*handle*/, const char* host, char* /*device*/, const char* name,
                            int /*threads*/, void* /*thread*/, void* /*block*/,
                            void* /*block_size*/, void* /*grid_size*/, int* /*warp*/) {
  runtime_state().add_kernel(host, name);
}
int __cudaGetKernel(void** kernel, const void* host) {
  *kernel = runtime_state().kernel_of(host);
  return *kernel == nullptr ? 98 : 0;
}
int __cudaLaunchKernel(void* kernel, fake_dim3 grid, fake_dim3 block, void** arguments,
                       std::size_t shared_bytes, void* stream) {
  return launch(kernel, [=](const RuntimeDriver& driver, CUfunction function) {
    return driver.launch(function, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                         static_cast<unsigned>(shared_bytes), as_stream(stream), arguments,
                         nullptr);
  });
}
int __cudaLaunchKernel_ptsz(void* kernel, fake_dim3 grid, fake_dim3 block, void** arguments,
                            std::size_t shared_bytes, void* stream) {
  return launch(kernel, [=](const RuntimeDriver& driver, CUfunction function) {
    return driver.launch_own(function, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                             static_cast<unsigned>(shared_bytes), as_stream(stream), arguments,
                             nullptr);
  });
}
int cudaLaunchKernel(const void* host, fake_dim3 grid, fake_dim3 block, void** arguments,
                     std::size_t shared_bytes, void* stream) {
  return __cudaLaunchKernel(runtime_state().kernel_of(host), grid, block, arguments, shared_bytes,
                            stream);
}
unsigned __cudaPushCallConfiguration(fake_dim3 grid, fake_dim3 block, std::size_t shared_bytes,
                                     void* stream) {
  RuntimeThread& thread = runtime_thread();
  thread.grid = grid;
  thread.block = block;
  thread.shared_bytes = shared_bytes;
  thread.stream = stream;
  return 0;
}
int __cudaPopCallConfiguration(fake_dim3* grid, fake_dim3* block, std::size_t* shared_bytes,
                               void* stream) {
  const RuntimeThread& thread = runtime_thread();
  *grid = thread.grid;
  *block = thread.block;
  *shared_bytes = thread.shared_bytes;
  std::memcpy(stream, &thread.stream, sizeof thread.stream);
  return 0;
}
