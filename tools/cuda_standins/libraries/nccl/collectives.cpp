// NCCL's collectives. Large ones put a kernel on the stream. Small ones copy this rank's own values
// to where the other ranks' would arrive: programs compare counts and flags that way before they
// begin, and the stand-in driver remembers the values of small copies. All ranks are taken to
// agree.

#include <cstddef>
#include <cstdint>

#include "tools/cuda_standins/libraries/kit/calls.h"
#include "tools/cuda_standins/libraries/nccl/communicator.h"
#include "tools/cuda_standins/libraries/nccl/groups.h"
#include "tools/cuda_standins/libraries/nccl/transfer.h"

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

using namespace vramlab::dry_run;

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
