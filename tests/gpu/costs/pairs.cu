// The cost of an allocation and its free for a program that knows nothing of vramlab: alone, or
// with the preload library in front of the driver. Each line COST is a median.
#include <dlfcn.h>

#include "tests/gpu/costs/measure.h"

namespace {

constexpr std::size_t kib = 1024;
constexpr std::size_t mib = 1024 * kib;

unsigned* taken(std::size_t bytes) {
  unsigned* words = nullptr;
  MUST(cudaMalloc(&words, bytes));
  return words;
}

void pairs(std::size_t bytes, const char* idle, const char* used) {
  tell(idle, median_cost(15, 50, [&] { MUST(cudaFree(taken(bytes))); }));
  tell(used, median_cost(15, 50, [&] {
         unsigned* words = taken(bytes);
         touch<<<1, 32>>>(words);
         MUST(cudaFree(words));
       }));
  MUST(cudaDeviceSynchronize());
}

void async_pairs(std::size_t bytes, const char* what) {
  tell(what, median_cost(15, 50, [&] {
         unsigned* words = nullptr;
         MUST(cudaMallocAsync(&words, bytes, nullptr));
         MUST(cudaFreeAsync(words, nullptr));
       }));
  MUST(cudaDeviceSynchronize());
}

void keep_the_pools_memory() {
  cudaMemPool_t pool = nullptr;
  MUST(cudaDeviceGetDefaultMemPool(&pool, 0));
  unsigned long long all = ~0ULL;
  MUST(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all));
}

// While a kernel of 20 ms is under way on another stream, for which cudaFree of the driver waits.
void pairs_beside_a_kernel(const char* what) {
  const std::vector<cudaStream_t> streams = some_streams(1);
  std::vector<double> costs;
  for (int i = 0; i < 7; ++i) {
    MUST(cudaFree(taken(2 * mib)));
    spin<<<1, 1, 0, streams[0]>>>(20'000'000);
    costs.push_back(nanoseconds_of([] { MUST(cudaFree(taken(2 * mib))); }));
    MUST(cudaDeviceSynchronize());
  }
  tell(what, median(costs));
  destroy(streams);
}

// With kernels just launched on `count` streams.
void pairs_with_streams(int count, const char* what) {
  const std::vector<cudaStream_t> streams = some_streams(count);
  unsigned* words = taken(kib);
  std::vector<double> costs;
  for (int i = 0; i < 30; ++i) {
    for (cudaStream_t stream : streams) touch<<<1, 32, 0, stream>>>(words);
    costs.push_back(nanoseconds_of([] { MUST(cudaFree(taken(2 * mib))); }));
    MUST(cudaDeviceSynchronize());
  }
  tell(what, median(costs));
  MUST(cudaFree(words));
  destroy(streams);
}

void burst(const char* free_cost, const char* next_cost) {
  std::vector<double> frees;
  std::vector<double> requests;
  for (int i = 0; i < 5; ++i) {
    std::vector<unsigned*> held;
    for (int block = 0; block < 500; ++block) held.push_back(taken(64 * kib));
    frees.push_back(nanoseconds_of([&] {
                      for (unsigned* words : held) MUST(cudaFree(words));
                    }) /
                    500);
    unsigned* next = nullptr;
    requests.push_back(nanoseconds_of([&] { next = taken(64 * kib); }));
    MUST(cudaFree(next));
  }
  tell(free_cost, median(frees));
  tell(next_cost, median(requests));
}

// The used memory of the whole device, as NVML tells it: cudaMemGetInfo counts the preload
// library's cache as free.
class TakenMemory {
 public:
  TakenMemory() {
    void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    must(library != nullptr, "libnvidia-ml.so.1");
    const auto init = reinterpret_cast<int (*)()>(dlsym(library, "nvmlInit_v2"));
    const auto device_of = reinterpret_cast<int (*)(unsigned, void**)>(
        dlsym(library, "nvmlDeviceGetHandleByIndex_v2"));
    memory_ = reinterpret_cast<int (*)(void*, unsigned long long*)>(
        dlsym(library, "nvmlDeviceGetMemoryInfo"));
    must(init() == 0 && device_of(0, &device_) == 0, "NVML starts");
  }

  unsigned long long bytes() const {
    unsigned long long total_free_used[3] = {};
    must(memory_(device_, total_free_used) == 0, "nvmlDeviceGetMemoryInfo");
    return total_free_used[2];
  }

 private:
  void* device_ = nullptr;
  int (*memory_)(void*, unsigned long long*) = nullptr;
};

// A temporary of 128 MiB a round, used by a kernel of 2 ms: how much is held at once.
void running_ahead(const TakenMemory& memory) {
  const unsigned long long before = memory.bytes();
  unsigned long long most = before;
  const double took = nanoseconds_of([&] {
    for (int round = 0; round < 40; ++round) {
      unsigned* words = taken(128 * mib);
      touch<<<1, 32>>>(words);
      spin<<<1, 1>>>(2'000'000);
      MUST(cudaFree(words));
      most = std::max(most, memory.bytes());
    }
    MUST(cudaDeviceSynchronize());
  });
  std::printf("HELD 40 rounds of 128 MiB: at most %llu MiB when one was freed, %.1f ms\n",
              (most - before) / mib, took / 1e6);
}

std::size_t free_bytes() {
  std::size_t now = 0;
  std::size_t total = 0;
  MUST(cudaMemGetInfo(&now, &total));
  return now;
}

void small_blocks(const TakenMemory& memory) {
  const std::size_t before = free_bytes();
  const unsigned long long before_of_all = memory.bytes();
  std::vector<unsigned*> held;
  std::vector<std::size_t> taken_by;
  for (int i = 0; i < 1000; ++i) {
    held.push_back(taken(4 * kib));
    taken_by.push_back(before - free_bytes());
  }
  const unsigned long long most = memory.bytes();
  std::printf(
      "HELD by the first of 1000 blocks of 4 KiB %zu KiB, by two %zu, by 512 %zu, by 513 "
      "%zu, by all %zu; NVML: %llu\n",
      taken_by[0] / kib, taken_by[1] / kib, taken_by[511] / kib, taken_by[512] / kib,
      taken_by[999] / kib, (most - before_of_all) / kib);
  for (std::size_t i = 1; i < held.size(); ++i) MUST(cudaFree(held[i]));
  const std::size_t with_one = before - free_bytes();
  MUST(cudaFree(held[0]));
  std::printf("HELD by the first alone %zu KiB, by none %zu KiB\n", with_one / kib,
              (before - free_bytes()) / kib);
}

}  // namespace

int main() {
  MUST(cudaFree(nullptr));
  touch<<<1, 1>>>(taken(kib));
  MUST(cudaDeviceSynchronize());
  const TakenMemory memory;
  running_ahead(memory);
  small_blocks(memory);
  pairs(64 * kib, "pair, 64 KiB", "pair, 64 KiB, used by a kernel");
  pairs(2 * mib, "pair, 2 MiB", "pair, 2 MiB, used by a kernel");
  pairs(64 * mib, "pair, 64 MiB", "pair, 64 MiB, used by a kernel");
  pairs_beside_a_kernel("pair, 2 MiB, beside a kernel of 20 ms");
  pairs_with_streams(1, "pair, 2 MiB, 1 stream at work");
  pairs_with_streams(32, "pair, 2 MiB, 32 streams at work");
  pairs_with_streams(128, "pair, 2 MiB, 128 streams at work");
  burst("free in a burst of 500, 64 KiB", "the request after it, 64 KiB");
  keep_the_pools_memory();
  async_pairs(64 * kib, "cudaMallocAsync pair, 64 KiB");
  async_pairs(2 * mib, "cudaMallocAsync pair, 2 MiB");
  async_pairs(64 * mib, "cudaMallocAsync pair, 64 MiB");
  return 0;
}
