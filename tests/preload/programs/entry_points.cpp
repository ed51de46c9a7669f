// A program that asks CUDA's runtime for functions of the driver, in all four ways, and says whose
// it is given. Built over both stand-ins for the runtime.
#include <cstdio>

#include "tests/preload/programs/whose.h"
#include "tools/cuda_standins/runtime/cudart.h"

namespace {

struct Asked {
  const char* name;
  unsigned long long flags;
};

void say(const char* way, const Asked& asked, int result, const void* function) {
  std::printf("%s %s %llu: %d %s\n", way, asked.name, asked.flags, result, whose(function).c_str());
}

void ask_in_all_ways(const Asked& asked) {
  int status = 0;
  void* got = nullptr;
  int result = cudaGetDriverEntryPoint(asked.name, &got, asked.flags, &status);
  say("plain", asked, result, got);
  result = cudaGetDriverEntryPoint_ptsz(asked.name, &got, asked.flags, &status);
  say("ptsz", asked, result, got);
  result = cudaGetDriverEntryPointByVersion(asked.name, &got, 11020, asked.flags, &status);
  say("by-version", asked, result, got);
  result = cudaGetDriverEntryPointByVersion_ptsz(asked.name, &got, 11020, asked.flags, nullptr);
  say("by-version-ptsz", asked, result, got);
}

/// Memory that one way allocated is freed by the other.
int across() {
  void* got = nullptr;
  cudaGetDriverEntryPoint("cuMemAlloc", &got, 0, nullptr);
  unsigned long long at = 0;
  const auto allocate = reinterpret_cast<int (*)(unsigned long long*, std::size_t)>(got);
  const int allocated = allocate(&at, 4096);
  const int freed = cudaFree(reinterpret_cast<void*>(at));
  void* again = nullptr;
  cudaMalloc(&again, 4096);
  const bool is_cached = reinterpret_cast<unsigned long long>(again) == at;
  cudaGetDriverEntryPointByVersion("cuMemFree", &got, 3020, 0, nullptr);
  const int freed_again = reinterpret_cast<int (*)(unsigned long long)>(got)(
      reinterpret_cast<unsigned long long>(again));
  std::printf("across %d %d %d %d\n", allocated, freed, is_cached ? 1 : 0, freed_again);
  return 0;
}

}  // namespace

int main() {
  ask_in_all_ways({"cuMemAlloc", 0});
  ask_in_all_ways({"cuMemFreeAsync", 0});
  ask_in_all_ways({"cuMemFreeAsync", 1});
  ask_in_all_ways({"cuMemFreeAsync", 2});
  ask_in_all_ways({"cuInit", 0});
  return across();
}
