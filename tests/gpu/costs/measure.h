// The parts that the programs of costs share: checked calls, a kernel that runs for a while, and
// medians.
#pragma once
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define MUST(call)                                                       \
  do {                                                                   \
    const cudaError_t error = (call);                                    \
    if (error != cudaSuccess) {                                          \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, \
                   cudaGetErrorString(error));                           \
      std::exit(1);                                                      \
    }                                                                    \
  } while (false)

inline void must(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "failed: %s\n", what);
  std::exit(1);
}

__global__ void touch(unsigned* words) { words[threadIdx.x] = threadIdx.x; }

// The GPU's own clock counts nanoseconds, whatever its frequency.
__global__ void spin(unsigned long long nanoseconds) {
  unsigned long long begin = 0;
  unsigned long long now = 0;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begin));
  do {
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  } while (now - begin < nanoseconds);
}

template <class Body>
double nanoseconds_of(Body&& body) {
  const auto begin = std::chrono::steady_clock::now();
  body();
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
  return took.count();
}

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// The median over `batches` of the mean over `count` runs, after a batch that does not count.
template <class Body>
double median_cost(int batches, int count, Body&& body) {
  const auto batch = [&] {
    for (int i = 0; i < count; ++i) body();
  };
  batch();
  std::vector<double> means;
  for (int i = 0; i < batches; ++i) means.push_back(nanoseconds_of(batch) / count);
  return median(means);
}

inline void tell(const char* what, double nanoseconds) {
  std::printf("COST %-44s %12.0f ns\n", what, nanoseconds);
}

inline std::vector<cudaStream_t> some_streams(int count) {
  std::vector<cudaStream_t> streams(static_cast<std::size_t>(count));
  for (cudaStream_t& stream : streams)
    MUST(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return streams;
}

inline void destroy(const std::vector<cudaStream_t>& streams) {
  for (cudaStream_t stream : streams) MUST(cudaStreamDestroy(stream));
}
