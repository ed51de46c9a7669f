// The cost of the fences of the preload library, and that they fence: cuCtxRecordEvent with 1, 32
// and 128 streams, idle and at work. Leaves with 1 where an event is over before the work under
// way.
#include <cuda.h>

#include <string>

#include "tests/gpu/costs/measure.h"

namespace {

template <class Function>
Function driver_function(const char* name, unsigned version) {
  void* found = nullptr;
#if CUDART_VERSION >= 12050
  cudaDriverEntryPointQueryResult status{};
  must(cudaGetDriverEntryPointByVersion(name, &found, version, cudaEnableDefault, &status) ==
               cudaSuccess &&
           status == cudaDriverEntryPointSuccess,
       name);
#else
  (void)version;
  must(cudaGetDriverEntryPoint(name, &found, cudaEnableDefault) == cudaSuccess, name);
#endif
  return reinterpret_cast<Function>(found);
}

struct Driver {
  CUresult (*current)(CUcontext*) = driver_function<CUresult (*)(CUcontext*)>("cuCtxGetCurrent",
                                                                              4000);
  CUresult (*record)(CUcontext, CUevent) =
      driver_function<CUresult (*)(CUcontext, CUevent)>("cuCtxRecordEvent", 12050);
  CUresult (*create)(CUevent*,
                     unsigned) = driver_function<CUresult (*)(CUevent*, unsigned)>("cuEventCreate",
                                                                                   2000);
  CUresult (*destroy)(CUevent) = driver_function<CUresult (*)(CUevent)>("cuEventDestroy", 4000);
  CUresult (*query)(CUevent) = driver_function<CUresult (*)(CUevent)>("cuEventQuery", 2000);
  CUresult (*record_stream)(CUevent, CUstream) =
      driver_function<CUresult (*)(CUevent, CUstream)>("cuEventRecord", 2000);
};

CUevent new_event(const Driver& driver) {
  CUevent event = nullptr;
  must(driver.create(&event, CU_EVENT_DISABLE_TIMING) == CUDA_SUCCESS, "cuEventCreate");
  return event;
}

void idle(const Driver& driver, CUcontext context, int count) {
  const std::vector<cudaStream_t> streams = some_streams(count);
  for (cudaStream_t stream : streams) spin<<<1, 1, 0, stream>>>(1000);
  MUST(cudaDeviceSynchronize());
  CUevent event = new_event(driver);
  const std::string with = ", " + std::to_string(count) + " streams, idle";
  tell(("cuCtxRecordEvent" + with).c_str(), median_cost(15, 100, [&] {
         must(driver.record(context, event) == CUDA_SUCCESS, "cuCtxRecordEvent");
       }));
  MUST(cudaDeviceSynchronize());
  tell(("cuEventQuery of it" + with).c_str(), median_cost(15, 100, [&] {
         must(driver.query(event) == CUDA_SUCCESS, "the event of idle streams is over");
       }));
  must(driver.destroy(event) == CUDA_SUCCESS, "cuEventDestroy");
  destroy(streams);
}

// All streams have a kernel of 10 ms under way when the event is recorded.
void at_work(const Driver& driver, CUcontext context, int count) {
  const std::vector<cudaStream_t> streams = some_streams(count);
  CUevent event = new_event(driver);
  std::vector<double> records;
  std::vector<double> queries;
  for (int round = 0; round < 5; ++round) {
    for (cudaStream_t stream : streams) spin<<<1, 1, 0, stream>>>(10'000'000);
    records.push_back(nanoseconds_of(
        [&] { must(driver.record(context, event) == CUDA_SUCCESS, "cuCtxRecordEvent"); }));
    queries.push_back(nanoseconds_of([&] {
      must(driver.query(event) == CUDA_ERROR_NOT_READY, "the event waits for the kernels");
    }));
    for (cudaStream_t stream : streams) MUST(cudaStreamSynchronize(stream));
    must(driver.query(event) == CUDA_SUCCESS, "the event is over after the kernels");
  }
  const std::string with = ", " + std::to_string(count) + " streams at work";
  tell(("cuCtxRecordEvent" + with).c_str(), median(records));
  tell(("cuEventQuery of it" + with).c_str(), median(queries));
  must(driver.destroy(event) == CUDA_SUCCESS, "cuEventDestroy");
  destroy(streams);
}

// One stream among many is still at work: the event has to wait for that one.
void waits_for_the_last(const Driver& driver, CUcontext context) {
  const std::vector<cudaStream_t> streams = some_streams(32);
  for (std::size_t late = 0; late < streams.size(); late += 7) {
    spin<<<1, 1, 0, streams[late]>>>(10'000'000);
    CUevent event = new_event(driver);
    must(driver.record(context, event) == CUDA_SUCCESS, "cuCtxRecordEvent");
    must(driver.query(event) == CUDA_ERROR_NOT_READY, "the event waits for the last kernel");
    MUST(cudaStreamSynchronize(streams[late]));
    must(driver.query(event) == CUDA_SUCCESS, "the event is over after the last kernel");
    must(driver.destroy(event) == CUDA_SUCCESS, "cuEventDestroy");
  }
  destroy(streams);
}

void other_calls(const Driver& driver) {
  tell("cuEventCreate and cuEventDestroy", median_cost(15, 100, [&] {
         must(driver.destroy(new_event(driver)) == CUDA_SUCCESS, "cuEventDestroy");
       }));
  const std::vector<cudaStream_t> streams = some_streams(1);
  CUevent event = new_event(driver);
  tell("cuEventRecord, one stream", median_cost(15, 100, [&] {
         must(driver.record_stream(event, streams[0]) == CUDA_SUCCESS, "cuEventRecord");
       }));
  MUST(cudaDeviceSynchronize());
  must(driver.destroy(event) == CUDA_SUCCESS, "cuEventDestroy");
  destroy(streams);
}

}  // namespace

int main() {
  MUST(cudaFree(nullptr));
  const Driver driver;
  CUcontext context = nullptr;
  must(driver.current(&context) == CUDA_SUCCESS && context != nullptr, "cuCtxGetCurrent");
  for (const int count : {1, 32, 128}) idle(driver, context, count);
  for (const int count : {1, 32, 128}) at_work(driver, context, count);
  waits_for_the_last(driver, context);
  other_calls(driver);
  std::printf("the events waited for all work under way\n");
  return 0;
}
