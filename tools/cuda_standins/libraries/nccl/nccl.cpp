// NCCL: communicators know their rank and size and never wait for others to come, so one rank of a
// large job runs without the rest. Collectives are work on their stream; small known values reach
// the other ranks (transfers.h). The buffers that the real library allocates for a communicator are
// not modelled.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "tools/cuda_standins/libraries/kit/calls.h"
#include "tools/cuda_standins/libraries/kit/driver.h"
#include "tools/cuda_standins/libraries/nccl/communicators.h"
#include "tools/cuda_standins/libraries/nccl/transfers.h"

using namespace vramlab::dry_run;

namespace vramlab::dry_run {
namespace {

constexpr int nccl_success = 0;
constexpr int nccl_invalid_usage = 5;

}  // namespace
}  // namespace vramlab::dry_run

VRAMLAB_EXPORT int ncclGroupStart() {
  begin_group();
  return nccl_success;
}
VRAMLAB_EXPORT int ncclGroupEnd() { return end_group() ? nccl_success : nccl_invalid_usage; }
VRAMLAB_EXPORT int ncclGroupSimulateEnd(void*) { return nccl_success; }

// Communicators: they are made, split and destroyed, and answer who they are.

namespace vramlab::dry_run {
namespace {

constexpr int unhandled_cuda_error = 1;
constexpr int invalid_argument = 4;
constexpr int no_color = -1;

struct UniqueId {
  char bytes[128];
};

/// The name in an identifier; empty where it is not one of ours.
std::string name_in(const UniqueId& id) {
  const std::string name(id.bytes, strnlen(id.bytes, sizeof id.bytes));
  return name.starts_with("vramlab-") && name.find('/') == std::string::npos ? name : "";
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

VRAMLAB_EXPORT int ncclGetVersion(int* version) {
  put(version, nccl_version());
  return nccl_success;
}
VRAMLAB_EXPORT int ncclGetUniqueId(UniqueId* id) {
  if (id == nullptr) return invalid_argument;
  std::memset(id, 0, sizeof(*id));
  const std::string name = new_communicator_name();
  std::memcpy(id->bytes, name.data(), std::min(name.size(), sizeof(*id) - 1));
  return nccl_success;
}
VRAMLAB_EXPORT int ncclCommGetUniqueId(void*, UniqueId* id) { return ncclGetUniqueId(id); }

VRAMLAB_EXPORT int ncclCommInitRank(void** communicator, int size, UniqueId id, int rank) {
  return create_communicator(communicator, {name_in(id), rank, size});
}
VRAMLAB_EXPORT int ncclCommInitRankConfig(void** communicator, int size, UniqueId id, int rank,
                                          void*) {
  return create_communicator(communicator, {name_in(id), rank, size});
}
VRAMLAB_EXPORT int ncclCommInitRankScalable(void** communicator, int size, int rank, int,
                                            const UniqueId* ids, void*) {
  return create_communicator(communicator, {ids == nullptr ? "" : name_in(*ids), rank, size});
}
VRAMLAB_EXPORT int ncclCommInitAll(void** communicators, int count, const int* devices) {
  for (int rank = 0; rank < count; ++rank) {
    if (const int error = create_communicator(&communicators[rank], {"", rank, count}))
      return error;
    object_of<Communicator>(communicators[rank])->device =
        devices == nullptr ? rank : devices[rank];
  }
  return nccl_success;
}
VRAMLAB_EXPORT int ncclCommSplit(void* parent, int color, int key, void** communicator, void*) {
  auto* const known = object_of<Communicator>(parent);
  if (known == nullptr || communicator == nullptr) return invalid_argument;
  *communicator = nullptr;
  // Ranks without a color take part in the question who has which.
  const CommunicatorWish wish = part_of(*known, color, key);
  return color == no_color ? nccl_success : create_communicator(communicator, wish);
}
VRAMLAB_EXPORT int ncclCommShrink(void* parent, const int* excluded, int count, void** communicator,
                                  void*, int) {
  auto* const known = object_of<Communicator>(parent);
  if (known == nullptr) return invalid_argument;
  int below = 0;
  for (int index = 0; index < count; ++index) below += excluded[index] < known->rank ? 1 : 0;
  const std::string name =
      known->name.empty() ? "" : known->name + "-" + std::to_string(++known->descendants);
  return create_communicator(communicator, {name, known->rank - below, known->size - count});
}
VRAMLAB_EXPORT int ncclCommGrow(void* parent, int size, const UniqueId*, int rank,
                                void** communicator, void*) {
  const auto* const known = object_of<Communicator>(parent);
  return create_communicator(communicator, {"", known == nullptr ? rank : known->rank, size});
}

VRAMLAB_EXPORT int ncclCommFinalize(void*) { return nccl_success; }
VRAMLAB_EXPORT int ncclCommDestroy(void* communicator) {
  destroy_object(communicator);
  return nccl_success;
}
/// The process ends. Its messages are still there, and nobody waits for more.
VRAMLAB_EXPORT void vramlab_dry_run_leave_ranks() { leave_all_channels(); }
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

// Collectives, sends and receives.

namespace vramlab::dry_run {
namespace {

int carry_out_for(void* communicator, Transfer transfer) {
  transfer.communicator = object_of<Communicator>(communicator);
  if (transfer.communicator == nullptr) return invalid_argument;
  carry_out(transfer);
  return nccl_success;
}

}  // namespace
}  // namespace vramlab::dry_run

VRAMLAB_EXPORT int ncclAllReduce(const void* send, void* receive, std::size_t count, int type,
                                 int operation, void* communicator, void* stream) {
  return carry_out_for(communicator, {TransferKind::all_reduce,
                                      nullptr,
                                      send,
                                      receive,
                                      count * bytes_of(type),
                                      stream,
                                      0,
                                      {type, operation}});
}
VRAMLAB_EXPORT int ncclBroadcast(const void* send, void* receive, std::size_t count, int type,
                                 int root, void* communicator, void* stream) {
  return carry_out_for(communicator, {TransferKind::broadcast, nullptr, send, receive,
                                      count * bytes_of(type), stream, root});
}
VRAMLAB_EXPORT int ncclBcast(void* buffer, std::size_t count, int type, int root,
                             void* communicator, void* stream) {
  return ncclBroadcast(buffer, buffer, count, type, root, communicator, stream);
}
VRAMLAB_EXPORT int ncclReduce(const void* send, void* receive, std::size_t count, int type,
                              int operation, int root, void* communicator, void* stream) {
  return carry_out_for(communicator, {TransferKind::reduce,
                                      nullptr,
                                      send,
                                      receive,
                                      count * bytes_of(type),
                                      stream,
                                      root,
                                      {type, operation}});
}
VRAMLAB_EXPORT int ncclAllGather(const void* send, void* receive, std::size_t count, int type,
                                 void* communicator, void* stream) {
  return carry_out_for(communicator, {TransferKind::all_gather, nullptr, send, receive,
                                      count * bytes_of(type), stream});
}
VRAMLAB_EXPORT int ncclReduceScatter(const void* send, void* receive, std::size_t count, int type,
                                     int operation, void* communicator, void* stream) {
  return carry_out_for(communicator, {TransferKind::reduce_scatter,
                                      nullptr,
                                      send,
                                      receive,
                                      count * bytes_of(type),
                                      stream,
                                      0,
                                      {type, operation}});
}
VRAMLAB_EXPORT int ncclAlltoAll(const void* send, void* receive, std::size_t count, int type,
                                void* communicator, void* stream) {
  return carry_out_for(communicator, {TransferKind::all_to_all, nullptr, send, receive,
                                      count * bytes_of(type), stream});
}
VRAMLAB_EXPORT int ncclGather(const void* send, void* receive, std::size_t count, int type,
                              int root, void* communicator, void* stream) {
  return carry_out_for(communicator, {TransferKind::gather, nullptr, send, receive,
                                      count * bytes_of(type), stream, root});
}
VRAMLAB_EXPORT int ncclScatter(const void* send, void* receive, std::size_t count, int type,
                               int root, void* communicator, void* stream) {
  return carry_out_for(communicator, {TransferKind::scatter, nullptr, send, receive,
                                      count * bytes_of(type), stream, root});
}
VRAMLAB_EXPORT int ncclSend(const void* send, std::size_t count, int type, int peer,
                            void* communicator, void* stream) {
  return carry_out_for(communicator, {TransferKind::send, nullptr, send, nullptr,
                                      count * bytes_of(type), stream, peer});
}
VRAMLAB_EXPORT int ncclRecv(void* receive, std::size_t count, int type, int peer,
                            void* communicator, void* stream) {
  return carry_out_for(communicator, {TransferKind::receive, nullptr, nullptr, receive,
                                      count * bytes_of(type), stream, peer});
}
