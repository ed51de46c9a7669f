// NCCL: each rank answers alone. Communicators know their rank and size and never wait for others,
// so one rank of a large job runs without the rest. The buffers that
// the real library allocates for a communicator are not modelled.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tools/cuda_standins/libraries/kit/calls.h"
#include "tools/cuda_standins/libraries/kit/driver.h"
#include "tools/cuda_standins/libraries/kit/objects.h"
#include "tools/cuda_standins/libraries/nccl/communicator.h"

namespace vramlab::dry_run {
namespace {

constexpr int unhandled_cuda_error = 1;
constexpr int invalid_argument = 4;
constexpr int no_color = -1;

struct UniqueId {
  char bytes[128];
};

int create_communicator(void** handle, int rank, int size) {
  if (size < 1 || rank < 0 || rank >= size) return invalid_argument;
  if (!create_object<Communicator>(handle)) return invalid_argument;
  auto* const communicator = object_of<Communicator>(*handle);
  communicator->rank = rank;
  communicator->size = size;
  if (cuCtxGetDevice != nullptr) cuCtxGetDevice(&communicator->device);
  note_modelled("nccl buffers");
  return nccl_success;
}

/// The versions that came with PyTorch's builds for a version of CUDA.
int nccl_version() {
  const int cuda = cuda_version();
  if (cuda < 12040) return 22005;
  if (cuda < 12060) return 22105;
  if (cuda < 12080) return 22602;
  return cuda < 13000 ? 22705 : 23007;
}

template <typename Member, typename T>
int tell(void* handle, Member member, T* value) {
  const auto* const communicator = object_of<Communicator>(handle);
  if (communicator == nullptr || value == nullptr) return invalid_argument;
  *value = communicator->*member;
  return nccl_success;
}

}  // namespace
}  // namespace vramlab::dry_run

using namespace vramlab::dry_run;

VRAMLAB_EXPORT int ncclGetVersion(int* version) {
  put(version, nccl_version());
  return nccl_success;
}
VRAMLAB_EXPORT int ncclGetUniqueId(UniqueId* id) {
  if (id == nullptr) return invalid_argument;
  std::memset(id, 0, sizeof(*id));
  std::strcpy(id->bytes, "vramlab dry run");
  return nccl_success;
}
VRAMLAB_EXPORT int ncclCommGetUniqueId(void*, UniqueId* id) { return ncclGetUniqueId(id); }

VRAMLAB_EXPORT int ncclCommInitRank(void** communicator, int size, UniqueId, int rank) {
  return create_communicator(communicator, rank, size);
}
VRAMLAB_EXPORT int ncclCommInitRankConfig(void** communicator, int size, UniqueId, int rank,
                                          void*) {
  return create_communicator(communicator, rank, size);
}
VRAMLAB_EXPORT int ncclCommInitRankScalable(void** communicator, int size, int rank, int, UniqueId*,
                                            void*) {
  return create_communicator(communicator, rank, size);
}
VRAMLAB_EXPORT int ncclCommInitAll(void** communicators, int count, const int* devices) {
  for (int rank = 0; rank < count; ++rank) {
    if (const int error = create_communicator(&communicators[rank], rank, count)) return error;
    object_of<Communicator>(communicators[rank])->device =
        devices == nullptr ? rank : devices[rank];
  }
  return nccl_success;
}
/// Which other ranks have the color is not known, so the new one is as large as the old.
VRAMLAB_EXPORT int ncclCommSplit(void* parent, int color, int, void** communicator, void*) {
  const auto* const known = object_of<Communicator>(parent);
  if (known == nullptr || communicator == nullptr) return invalid_argument;
  *communicator = nullptr;
  return color == no_color ? nccl_success
                           : create_communicator(communicator, known->rank, known->size);
}
VRAMLAB_EXPORT int ncclCommShrink(void* parent, const int* excluded, int count, void** communicator,
                                  void*, int) {
  const auto* const known = object_of<Communicator>(parent);
  if (known == nullptr) return invalid_argument;
  int below = 0;
  for (int index = 0; index < count; ++index) below += excluded[index] < known->rank ? 1 : 0;
  return create_communicator(communicator, known->rank - below, known->size - count);
}
VRAMLAB_EXPORT int ncclCommGrow(void* parent, int size, const UniqueId*, int rank,
                                void** communicator, void*) {
  const auto* const known = object_of<Communicator>(parent);
  return create_communicator(communicator, known == nullptr ? rank : known->rank, size);
}

VRAMLAB_EXPORT int ncclCommFinalize(void*) { return nccl_success; }
VRAMLAB_EXPORT int ncclCommDestroy(void* communicator) {
  destroy_object(communicator);
  return nccl_success;
}
VRAMLAB_EXPORT int ncclCommAbort(void* communicator) { return ncclCommDestroy(communicator); }
VRAMLAB_EXPORT int ncclCommRevoke(void*, int) { return nccl_success; }
VRAMLAB_EXPORT int ncclCommSuspend(void*, int) { return nccl_success; }
VRAMLAB_EXPORT int ncclCommResume(void*) { return nccl_success; }

VRAMLAB_EXPORT int ncclCommCount(void* communicator, int* count) {
  return tell(communicator, &Communicator::size, count);
}
VRAMLAB_EXPORT int ncclCommUserRank(void* communicator, int* rank) {
  return tell(communicator, &Communicator::rank, rank);
}
VRAMLAB_EXPORT int ncclCommCuDevice(void* communicator, int* device) {
  return tell(communicator, &Communicator::device, device);
}
VRAMLAB_EXPORT int ncclCommGetAsyncError(void*, int* error) {
  put(error, nccl_success);
  return nccl_success;
}
VRAMLAB_EXPORT int ncclCommMemStats(void*, int, std::uint64_t* value) {
  put(value, 0);
  return nccl_success;
}
VRAMLAB_EXPORT const char* ncclGetLastError(void*) { return ""; }
VRAMLAB_EXPORT const char* ncclGetErrorString(int result) {
  switch (result) {
    case nccl_success:
      return "no error";
    case unhandled_cuda_error:
      return "unhandled cuda error";
    case invalid_argument:
      return "invalid argument";
    default:
      return "unknown result code";
  }
}

/// Registered buffers are told apart by their address.
VRAMLAB_EXPORT int ncclCommRegister(void*, void* buffer, std::size_t, void** handle) {
  put(handle, buffer);
  return nccl_success;
}
VRAMLAB_EXPORT int ncclCommDeregister(void*, void*) { return nccl_success; }
VRAMLAB_EXPORT int ncclCommWindowRegister(void*, void* buffer, std::size_t, void** window, int) {
  put(window, buffer);
  return nccl_success;
}
VRAMLAB_EXPORT int ncclCommWindowDeregister(void*, void*) { return nccl_success; }
VRAMLAB_EXPORT int ncclWinGetUserPtr(void*, void* window, void** pointer) {
  put(pointer, window);
  return nccl_success;
}
VRAMLAB_EXPORT int ncclRedOpCreatePreMulSum(int* operation, void*, int, int, void*) {
  constexpr int first_of_the_programs = 5;  // behind sum, product, max, min and average
  put(operation, first_of_the_programs);
  return nccl_success;
}
VRAMLAB_EXPORT int ncclRedOpDestroy(int, void*) { return nccl_success; }

VRAMLAB_EXPORT int ncclMemAlloc(void** pointer, std::size_t bytes) {
  if (pointer == nullptr || cuMemAlloc_v2 == nullptr) return invalid_argument;
  unsigned long long address = 0;
  if (cuMemAlloc_v2(&address, bytes) != 0) return unhandled_cuda_error;
  *pointer = reinterpret_cast<void*>(address);
  return nccl_success;
}
VRAMLAB_EXPORT int ncclMemFree(void* pointer) {
  if (pointer == nullptr || cuMemFree_v2 == nullptr) return nccl_success;
  const auto address = static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(pointer));
  return cuMemFree_v2(address) == 0 ? nccl_success : unhandled_cuda_error;
}
