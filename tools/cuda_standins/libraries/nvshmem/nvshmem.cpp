// NVSHMEM: a job of one process, whose symmetric memory is the device's.

#include <cstddef>
#include <cstdint>

#include "tools/cuda_standins/libraries/kit/calls.h"
#include "tools/cuda_standins/libraries/kit/driver.h"
#include "tools/cuda_standins/libraries/kit/objects.h"

namespace vramlab::dry_run {
namespace {

constexpr int is_initialized = 2;

}  // namespace
}  // namespace vramlab::dry_run

using namespace vramlab::dry_run;

VRAMLAB_EXPORT int nvshmemid_init_status() { return is_initialized; }
VRAMLAB_EXPORT int nvshmemx_init_status() { return is_initialized; }
VRAMLAB_EXPORT int nvshmem_my_pe() { return 0; }
VRAMLAB_EXPORT int nvshmem_n_pes() { return 1; }
VRAMLAB_EXPORT int nvshmem_team_my_pe(int) { return 0; }
VRAMLAB_EXPORT int nvshmem_team_n_pes(int) { return 1; }
VRAMLAB_EXPORT int nvshmem_team_split_strided(int parent, int, int, int, const void*, long,
                                              int* team) {
  put(team, parent);
  return 0;
}
VRAMLAB_EXPORT void nvshmem_info_get_version(int* major, int* minor) {
  put(major, 1);
  put(minor, 3);
}

VRAMLAB_EXPORT void* nvshmem_malloc(std::size_t bytes) {
  unsigned long long address = 0;
  if (cuMemAlloc_v2 == nullptr || cuMemAlloc_v2(&address, bytes) != 0) return nullptr;
  return reinterpret_cast<void*>(address);
}
VRAMLAB_EXPORT void* nvshmem_calloc(std::size_t count, std::size_t bytes) {
  return nvshmem_malloc(count * bytes);
}
VRAMLAB_EXPORT void* nvshmem_align(std::size_t, std::size_t bytes) { return nvshmem_malloc(bytes); }
VRAMLAB_EXPORT void nvshmem_free(void* pointer) {
  if (pointer != nullptr && cuMemFree_v2 != nullptr)
    cuMemFree_v2(static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(pointer)));
}
VRAMLAB_EXPORT void* nvshmem_ptr(const void* pointer, int processor) {
  return processor == 0 ? const_cast<void*>(pointer) : nullptr;
}
VRAMLAB_EXPORT void* nvshmemx_mc_ptr(int, const void*) { return nullptr; }
