// Transfers: the collectives of NCCL and its sends and receives. Each is work on its stream. The
// values of small ones reach the other ranks of this dry run, if they are known. A rank alone takes
// all ranks to send what it sends itself.
//
// A transfer waits for other ranks only if it needs their values: the sender's, or everybody's
// where its own are known.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tools/cuda_standins/libraries/nccl/communicators.h"
#include "tools/cuda_standins/libraries/nccl/numbers.h"

namespace vramlab::dry_run {

enum class TransferKind : std::uint8_t {
  all_reduce,
  broadcast,
  reduce,
  all_gather,
  reduce_scatter,
  all_to_all,
  gather,
  scatter,
  send,
  receive
};

struct Transfer {
  TransferKind kind;
  Communicator* communicator;
  const void* send;
  void* receive;
  /// The bytes that go from one rank to another.
  std::size_t bytes;
  void* stream;
  /// The root, or the other rank of a send or receive.
  int peer = 0;
  Reduction reduction{};
};

/// Carries it out. In a group of calls, which each thread opens for itself, its values arrive when
/// the group ends.
void carry_out(const Transfer& transfer);

void begin_group();
/// False if no group is open.
bool end_group();

}  // namespace vramlab::dry_run
