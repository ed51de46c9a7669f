// NCCL's collectives. Large ones put a kernel on the stream. Small ones copy this rank's own values
// to where the other ranks' would arrive: programs compare counts and flags that way before they
// begin, and the stand-in driver remembers the values of small copies. All ranks are taken to
// agree.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "tools/dry_run/libraries/kit/calls.h"
#include "tools/dry_run/libraries/kit/driver_functions.h"
#include "tools/dry_run/libraries/nccl/communicator.h"

namespace vramlab::dry_run {
namespace {

constexpr std::size_t most_bytes_copied = 4096;

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

/// One piece of what this rank sends, and where it arrives: as many times as there are pieces.
struct Transfer {
  const void* send;
  void* receive;
  std::size_t bytes;  // of one piece
  int pieces = 1;
  int sent_piece = 0;
};

int carry_out(const Transfer& transfer, void* stream) {
  const bool is_small =
      transfer.bytes * static_cast<std::size_t>(transfer.pieces) <= most_bytes_copied;
  if (!is_small || cuMemcpyDtoDAsync_v2 == nullptr) {
    put_work(stream);
    return nccl_success;
  }
  const auto from = reinterpret_cast<std::uintptr_t>(transfer.send) +
                    static_cast<std::size_t>(transfer.sent_piece) * transfer.bytes;
  const auto to = reinterpret_cast<std::uintptr_t>(transfer.receive);
  for (int piece = 0; piece < transfer.pieces; ++piece)
    cuMemcpyDtoDAsync_v2(to + static_cast<std::size_t>(piece) * transfer.bytes, from,
                         transfer.bytes, stream);
  return nccl_success;
}

}  // namespace
}  // namespace vramlab::dry_run

using namespace vramlab::dry_run;

VRAMLAB_EXPORT int ncclAllReduce(const void* send, void* receive, std::size_t count, int type, int,
                                 void*, void* stream) {
  return carry_out({send, receive, count * bytes_of(type)}, stream);
}
VRAMLAB_EXPORT int ncclBroadcast(const void* send, void* receive, std::size_t count, int type,
                                 int root, void* communicator, void* stream) {
  // Only the root's buffer holds what is sent; the others keep what they have.
  const bool is_root = ranks_of(communicator).own == root;
  return carry_out({is_root ? send : receive, receive, count * bytes_of(type)}, stream);
}
VRAMLAB_EXPORT int ncclBcast(void* buffer, std::size_t count, int type, int root,
                             void* communicator, void* stream) {
  return ncclBroadcast(buffer, buffer, count, type, root, communicator, stream);
}
VRAMLAB_EXPORT int ncclReduce(const void* send, void* receive, std::size_t count, int type, int,
                              int root, void* communicator, void* stream) {
  const bool is_root = ranks_of(communicator).own == root;
  const void* const place = is_root ? receive : send;
  return carry_out({send, const_cast<void*>(place), count * bytes_of(type)}, stream);
}
VRAMLAB_EXPORT int ncclAllGather(const void* send, void* receive, std::size_t count, int type,
                                 void* communicator, void* stream) {
  return carry_out({send, receive, count * bytes_of(type), ranks_of(communicator).count}, stream);
}
VRAMLAB_EXPORT int ncclReduceScatter(const void* send, void* receive, std::size_t count, int type,
                                     int, void* communicator, void* stream) {
  return carry_out({send, receive, count * bytes_of(type), 1, ranks_of(communicator).own}, stream);
}
