// NCCL: each rank answers alone. Communicators know their rank and size and never wait for others,
// so one rank of a large job runs without the rest. Small collectives copy this rank's own values;
// large ones put a kernel of modelled time on the stream. The buffers that the real library
// allocates for a communicator are not modelled.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "tools/cuda_standins/libraries/kit/calls.h"
#include "tools/cuda_standins/libraries/kit/driver.h"
#include "tools/cuda_standins/libraries/kit/objects.h"

namespace vramlab::dry_run {

inline constexpr int nccl_success = 0;
inline constexpr int nccl_invalid_usage = 5;

struct Communicator : Object {
  int rank = 0;
  int size = 1;
  int device = 0;
};

// Transfers: the copies of a collective, so that programs find the values that they compare across
// ranks.

/// One piece of what this rank sends, and where it arrives: as many times as there are pieces.
struct Transfer {
  const void* send;
  void* receive;
  std::size_t bytes;  // of one piece
  int pieces = 1;
  int sent_piece = 0;
};

/// Copies the values of a small transfer on the stream. A large one is a kernel of modelled time.
void carry_out(const Transfer& transfer, void* stream);

namespace {

constexpr std::size_t most_bytes_copied = 4096;

}  // namespace

void carry_out(const Transfer& transfer, void* stream) {
  const std::size_t bytes = transfer.bytes * static_cast<std::size_t>(transfer.pieces);
  if (vramlab_dry_run_note_write != nullptr)
    vramlab_dry_run_note_write(reinterpret_cast<std::uintptr_t>(transfer.receive), bytes);
  if (bytes > most_bytes_copied || cuMemcpyDtoDAsync_v2 == nullptr) return put_work(stream);
  const auto from = reinterpret_cast<std::uintptr_t>(transfer.send) +
                    static_cast<std::size_t>(transfer.sent_piece) * transfer.bytes;
  const auto to = reinterpret_cast<std::uintptr_t>(transfer.receive);
  for (int piece = 0; piece < transfer.pieces; ++piece)
    cuMemcpyDtoDAsync_v2(to + static_cast<std::size_t>(piece) * transfer.bytes, from,
                         transfer.bytes, static_cast<CUstream>(stream));
}

// Groups of calls, which each thread opens for itself. Only broadcasts ask what else their group
// has: a group in which every rank broadcasts a value is how programs gather values, when their
// number differs by rank or they arrive in separate buffers.

struct Broadcast {
  const void* communicator;
  const void* send;  // null unless this rank is the root
  void* receive;
  std::size_t bytes;
  void* stream;
};

/// Carries it out at once, or at the end of the thread's open group. The receive buffer of another
/// rank's broadcast gets this rank's own value, if the group has one of the same communicator and
/// size, because all ranks are taken to agree. Otherwise it keeps what it has.
void broadcast(const Broadcast& broadcast);

namespace {

struct Group {
  int depth = 0;
  std::vector<Broadcast> broadcasts;
};

/// NCCL's interface has no handle of a group: it belongs to the thread.
thread_local Group open_group;

const void* value_of(const Broadcast& asked, const std::vector<Broadcast>& group) {
  if (asked.send != nullptr) return asked.send;
  const auto own = std::find_if(group.begin(), group.end(), [&](const Broadcast& other) {
    return other.send != nullptr && other.communicator == asked.communicator &&
           other.bytes == asked.bytes;
  });
  return own == group.end() ? asked.receive : own->send;
}

void carry_out_all(const std::vector<Broadcast>& group) {
  for (const Broadcast& each : group)
    carry_out({value_of(each, group), each.receive, each.bytes}, each.stream);
}

}  // namespace

void broadcast(const Broadcast& broadcast) {
  if (open_group.depth == 0) return carry_out_all({broadcast});
  open_group.broadcasts.push_back(broadcast);
}

}  // namespace vramlab::dry_run

using namespace vramlab::dry_run;

VRAMLAB_EXPORT int ncclGroupStart() {
  ++open_group.depth;
  return nccl_success;
}
VRAMLAB_EXPORT int ncclGroupEnd() {
  if (open_group.depth == 0) return nccl_invalid_usage;
  if (--open_group.depth > 0) return nccl_success;
  carry_out_all(open_group.broadcasts);
  open_group.broadcasts.clear();
  return nccl_success;
}
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

int create_communicator(void** handle, int rank, int size) {
  if (size < 1 || rank < 0 || rank >= size) return invalid_argument;
  if (!create_object<Communicator>(handle)) return invalid_argument;
  auto* const communicator = object_of<Communicator>(*handle);
  communicator->rank = rank;
  communicator->size = size;
  if (cuCtxGetDevice != nullptr) cuCtxGetDevice(&communicator->device);
  note_beside_peak("nccl buffers");
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
/// The ranks of the same color are not known, so the new communicator is as large as the old.
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

// Collectives. Small ones copy this rank's own values to the places of the other ranks' values:
// programs compare counts and flags that way before they begin, and the stand-in driver remembers
// small copies. All ranks are taken to agree.

namespace vramlab::dry_run {
namespace {

/// Bytes of an ncclDataType_t.
std::size_t bytes_of(int type) {
  switch (type) {
    case 0:
    case 1:
    case 10:
    case 11:
      return 1;
    case 6:
    case 9:
      return 2;
    case 4:
    case 5:
    case 8:
      return 8;
    default:
      return 4;
  }
}

struct Ranks {
  int own = 0;
  int count = 1;
};

Ranks ranks_of(const void* handle) {
  const auto* const communicator = object_of<Communicator>(handle);
  return communicator == nullptr ? Ranks{} : Ranks{communicator->rank, communicator->size};
}

}  // namespace
}  // namespace vramlab::dry_run

VRAMLAB_EXPORT int ncclAllReduce(const void* send, void* receive, std::size_t count, int type, int,
                                 void*, void* stream) {
  carry_out({send, receive, count * bytes_of(type)}, stream);
  return nccl_success;
}
VRAMLAB_EXPORT int ncclBroadcast(const void* send, void* receive, std::size_t count, int type,
                                 int root, void* communicator, void* stream) {
  const bool is_root = ranks_of(communicator).own == root;
  broadcast({communicator, is_root ? send : nullptr, receive, count * bytes_of(type), stream});
  return nccl_success;
}
VRAMLAB_EXPORT int ncclBcast(void* buffer, std::size_t count, int type, int root,
                             void* communicator, void* stream) {
  return ncclBroadcast(buffer, buffer, count, type, root, communicator, stream);
}
VRAMLAB_EXPORT int ncclReduce(const void* send, void* receive, std::size_t count, int type, int,
                              int root, void* communicator, void* stream) {
  const bool is_root = ranks_of(communicator).own == root;
  const void* const place = is_root ? receive : send;
  carry_out({send, const_cast<void*>(place), count * bytes_of(type)}, stream);
  return nccl_success;
}
VRAMLAB_EXPORT int ncclAllGather(const void* send, void* receive, std::size_t count, int type,
                                 void* communicator, void* stream) {
  carry_out({send, receive, count * bytes_of(type), ranks_of(communicator).count}, stream);
  return nccl_success;
}
VRAMLAB_EXPORT int ncclReduceScatter(const void* send, void* receive, std::size_t count, int type,
                                     int, void* communicator, void* stream) {
  carry_out({send, receive, count * bytes_of(type), 1, ranks_of(communicator).own}, stream);
  return nccl_success;
}
