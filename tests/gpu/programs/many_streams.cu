// A small CUDA program that knows nothing of vramlab: allocations and frees between kernels on
// several streams that do not wait for each other, with every result checked. It frees memory while
// its last kernel may still run, as programs do: a cache that hands it out too early is found by a
// wrong sum. Leaves with 0 where all sums are right.
#include <cuda_runtime.h>

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

__global__ void fill(unsigned* words, unsigned count, unsigned value) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) words[i] = value;
}

__global__ void add_up(const unsigned* words, unsigned count, unsigned long long* sum,
                       unsigned rounds) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned long long own = 0;
  for (unsigned round = 0; round < rounds; ++round)
    if (i < count) own = words[i];
  if (i < count) atomicAdd(sum, own);
}

int main() {
  constexpr unsigned stream_count = 4;
  constexpr unsigned round_count = 200;
  std::vector<cudaStream_t> streams(stream_count);
  for (cudaStream_t& stream : streams)
    MUST(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  unsigned long long* sums = nullptr;
  MUST(cudaMallocHost(&sums, sizeof(*sums) * stream_count * round_count));
  for (unsigned round = 0; round < round_count; ++round)
    for (unsigned s = 0; s < stream_count; ++s) {
      const unsigned count = 1024U << ((round + s) % 9);
      unsigned* words = nullptr;
      unsigned long long* sum = nullptr;
      MUST(cudaMalloc(&words, sizeof(unsigned) * count));
      MUST(cudaMalloc(&sum, sizeof(*sum)));
      MUST(cudaMemsetAsync(sum, 0, sizeof(*sum), streams[s]));
      const unsigned blocks = (count + 255) / 256;
      fill<<<blocks, 256, 0, streams[s]>>>(words, count, round * stream_count + s);
      add_up<<<blocks, 256, 0, streams[s]>>>(words, count, sum, 50);
      MUST(cudaGetLastError());
      MUST(cudaMemcpyAsync(&sums[round * stream_count + s], sum, sizeof(*sum),
                           cudaMemcpyDeviceToHost, streams[s]));
      MUST(cudaFree(words));
      MUST(cudaFree(sum));
    }
  MUST(cudaDeviceSynchronize());
  unsigned wrong = 0;
  for (unsigned round = 0; round < round_count; ++round)
    for (unsigned s = 0; s < stream_count; ++s) {
      const unsigned long long count = 1024U << ((round + s) % 9);
      if (sums[round * stream_count + s] != count * (round * stream_count + s)) ++wrong;
    }
  std::printf("%u of %u sums are wrong\n", wrong, stream_count * round_count);
  return wrong == 0 ? 0 : 1;
}
