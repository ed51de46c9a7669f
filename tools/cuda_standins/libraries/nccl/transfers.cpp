#include "tools/cuda_standins/libraries/nccl/transfers.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "tools/cuda_standins/libraries/kit/driver.h"

namespace vramlab::dry_run {
namespace {

using Kind = TransferKind;
using Values = std::optional<Bytes>;

std::uint64_t address_of(const void* memory) { return reinterpret_cast<std::uintptr_t>(memory); }

bool is_root(const Transfer& transfer) { return transfer.communicator->rank == transfer.peer; }

/// Pieces that this rank sends, and that it receives.
struct Pieces {
  int sent = 0;
  int received = 0;
};

Pieces pieces_of(const Transfer& transfer) {
  const int all = transfer.communicator->size;
  const bool root = is_root(transfer);
  switch (transfer.kind) {
    case Kind::all_reduce:
      return {1, 1};
    case Kind::broadcast:
      return {root ? 1 : 0, 1};
    case Kind::reduce:
      return {1, root ? 1 : 0};
    case Kind::all_gather:
      return {1, all};
    case Kind::reduce_scatter:
      return {all, 1};
    case Kind::all_to_all:
      return {all, all};
    case Kind::gather:
      return {1, root ? all : 0};
    case Kind::scatter:
      return {root ? all : 0, 1};
    case Kind::send:
      return {1, 0};
    case Kind::receive:
      break;
  }
  return {0, 1};
}

bool is_between_two(const Transfer& transfer) {
  return transfer.kind == Kind::send || transfer.kind == Kind::receive;
}

/// Whether its values travel, on which all ranks agree.
bool is_small(const Transfer& transfer) {
  const auto ranks = static_cast<std::size_t>(transfer.communicator->size);
  const bool has_pieces = transfer.kind == Kind::all_gather ||
                          transfer.kind == Kind::reduce_scatter ||
                          transfer.kind == Kind::all_to_all || transfer.kind == Kind::gather ||
                          transfer.kind == Kind::scatter;
  return transfer.bytes <= most_bytes_sent / (has_pieces ? ranks : 1);
}

// Work on the stream: copies of this rank's own values if there are few, else a kernel of modelled
// time. The copies carry made-up answers on.

constexpr std::size_t most_bytes_copied = 4096;

bool copies_own(const Transfer& transfer, const Pieces& pieces) {
  const bool has_own = transfer.kind != Kind::all_to_all && transfer.kind != Kind::gather &&
                       transfer.kind != Kind::scatter && !is_between_two(transfer);
  const auto count = static_cast<std::size_t>(std::max(pieces.received, 1));
  return has_own && transfer.bytes * count <= most_bytes_copied && cuMemcpyDtoDAsync_v2 != nullptr;
}

void copy_own(const Transfer& transfer, const Pieces& pieces) {
  const std::uint64_t to = address_of(pieces.received > 0 ? transfer.receive : transfer.send);
  std::uint64_t from = pieces.sent > 0 ? address_of(transfer.send) : to;
  if (transfer.kind == Kind::reduce_scatter)
    from += static_cast<std::size_t>(transfer.communicator->rank) * transfer.bytes;
  for (int piece = 0; piece < std::max(pieces.received, 1); ++piece)
    cuMemcpyDtoDAsync_v2(to + static_cast<std::size_t>(piece) * transfer.bytes, from,
                         transfer.bytes, static_cast<CUstream>(transfer.stream));
}

void put_on_stream(const Transfer& transfer) {
  const Pieces pieces = pieces_of(transfer);
  if (copies_own(transfer, pieces)) return copy_own(transfer, pieces);
  if (vramlab_dry_run_work_at == nullptr) return;
  vramlab_dry_run_work_at(transfer.stream, address_of(transfer.receive),
                          static_cast<std::size_t>(pieces.received) * transfer.bytes);
}

// The values.

/// A transfer whose values are on their way.
struct Begun {
  Transfer transfer;
  std::uint64_t number = 0;
  /// All that this rank sends. Of a broadcast's other ranks: what they have where it arrives.
  Values own{};
};

bool is_captured(void* stream) {
  CUstreamCaptureStatus status{};
  return cuStreamIsCapturing != nullptr &&
         cuStreamIsCapturing(static_cast<CUstream>(stream), &status) == CUDA_SUCCESS &&
         status != CUstreamCaptureStatus{};
}

Values known_bytes(const void* at, std::size_t bytes) {
  Bytes read(bytes);
  if (vramlab_dry_run_read_memory == nullptr ||
      vramlab_dry_run_read_memory(read.data(), address_of(at), bytes) == 0)
    return std::nullopt;
  return read;
}

void learn(void* at, std::size_t bytes, const Values& values) {
  if (vramlab_dry_run_remember != nullptr && bytes > 0)
    vramlab_dry_run_remember(address_of(at), values ? values->data() : nullptr, bytes);
}

std::uint64_t next_number(const Transfer& transfer) {
  Communicator& communicator = *transfer.communicator;
  if (transfer.kind == Kind::send) return communicator.sent.next(transfer.peer);
  if (transfer.kind == Kind::receive) return communicator.received.next(transfer.peer);
  return ++communicator.collectives;
}

Begun begin(const Transfer& transfer) {
  Begun begun{transfer, next_number(transfer)};
  if (!is_small(transfer)) return begun;
  const Pieces pieces = pieces_of(transfer);
  // The work of a graph is done later, or never.
  if (!is_captured(transfer.stream)) {
    if (pieces.sent > 0)
      begun.own =
          known_bytes(transfer.send, static_cast<std::size_t>(pieces.sent) * transfer.bytes);
    else if (transfer.kind == Kind::broadcast)
      begun.own = known_bytes(transfer.receive, transfer.bytes);
  }
  RankChannel* const channel = transfer.communicator->channel.get();
  const bool is_to_itself = transfer.kind == Kind::send && is_root(transfer);
  if (channel != nullptr && pieces.sent > 0 && !is_to_itself)
    channel->send(transfer.kind == Kind::send ? transfer.peer : to_all_ranks, begun.number,
                  begun.own);
  return begun;
}

using Group = std::vector<Begun>;

/// The values that another transfer of the group sends to all, or to this rank itself.
Values sent_in(const Group& group, const Begun& asked, Kind kind) {
  for (const Begun& other : group) {
    const Transfer& transfer = other.transfer;
    if (transfer.kind == kind && is_root(transfer) &&
        transfer.communicator == asked.transfer.communicator &&
        transfer.bytes == asked.transfer.bytes && other.own)
      return other.own;
  }
  return std::nullopt;
}

/// A group in which every rank broadcasts a value gathers values, and in one in which every rank
/// sends to every rank they change places. Alone, this rank's own value stands for the others'.
Values received_alone(const Begun& begun, const Group& group) {
  if (begun.transfer.kind == Kind::receive) return sent_in(group, begun, Kind::send);
  if (begun.transfer.kind != Kind::broadcast || is_root(begun.transfer)) return begun.own;
  const Values own = sent_in(group, begun, Kind::broadcast);
  return own ? own : begun.own;
}

/// All values that a rank sends in this transfer.
Values sent_by(int rank, const Begun& begun, const Group& group) {
  const Transfer& transfer = begun.transfer;
  const Communicator& communicator = *transfer.communicator;
  if (rank == communicator.rank && transfer.kind != Kind::receive) return begun.own;
  if (communicator.channel == nullptr || rank == communicator.rank)
    return received_alone(begun, group);
  const int to = transfer.kind == Kind::receive ? communicator.rank : to_all_ranks;
  return communicator.channel->receive(rank, to, begun.number);
}

/// Which of the pieces that the sender sends is this rank's.
std::size_t own_piece(const Transfer& transfer) {
  const bool has_pieces = transfer.kind == Kind::reduce_scatter ||
                          transfer.kind == Kind::all_to_all || transfer.kind == Kind::scatter;
  return has_pieces ? static_cast<std::size_t>(transfer.communicator->rank) : 0;
}

/// The part of that which this rank gets.
Values piece_sent_by(int rank, const Begun& begun, const Group& group) {
  const Values values = sent_by(rank, begun, group);
  const std::size_t bytes = begun.transfer.bytes;
  const std::size_t begin = own_piece(begun.transfer) * bytes;
  if (!values || values->size() < begin + bytes) return std::nullopt;
  const auto first = values->begin() + static_cast<std::ptrdiff_t>(begin);
  return Bytes(first, first + static_cast<std::ptrdiff_t>(bytes));
}

/// The ranks' values, reduced to one. A rank whose own are unknown waits for nobody.
Values reduced_values(const Begun& begun, const Group& group) {
  if (!begun.own) return std::nullopt;
  std::vector<Bytes> all;
  for (int rank = 0; rank < begun.transfer.communicator->size; ++rank) {
    Values values = piece_sent_by(rank, begun, group);
    if (!values) return std::nullopt;
    all.push_back(std::move(*values));
  }
  return reduce(all, begun.transfer.reduction);
}

void learn_each(const Begun& begun, const Group& group) {
  const Transfer& transfer = begun.transfer;
  for (int rank = 0; rank < transfer.communicator->size; ++rank)
    learn(static_cast<char*>(transfer.receive) + static_cast<std::size_t>(rank) * transfer.bytes,
          transfer.bytes, piece_sent_by(rank, begun, group));
}

/// Takes the values from the other ranks and keeps them where they arrive.
void finish(const Begun& begun, const Group& group) {
  const Transfer& transfer = begun.transfer;
  if (!is_small(transfer) || is_captured(transfer.stream)) return;
  switch (transfer.kind) {
    case Kind::reduce:
      if (!is_root(transfer)) return;
      [[fallthrough]];
    case Kind::all_reduce:
    case Kind::reduce_scatter:
      return learn(transfer.receive, transfer.bytes, reduced_values(begun, group));
    case Kind::broadcast:
    case Kind::scatter:
    case Kind::receive:
      return learn(transfer.receive, transfer.bytes, piece_sent_by(transfer.peer, begun, group));
    case Kind::gather:
      if (!is_root(transfer)) return;
      [[fallthrough]];
    case Kind::all_gather:
    case Kind::all_to_all:
      return learn_each(begun, group);
    case Kind::send:
      return;
  }
}

struct OpenGroup {
  int depth = 0;
  Group transfers;
};

/// NCCL's interface has no handle of a group: it belongs to the thread.
thread_local OpenGroup open_group;

}  // namespace

void carry_out(const Transfer& transfer) {
  Begun begun = begin(transfer);
  put_on_stream(transfer);
  if (open_group.depth > 0)
    open_group.transfers.push_back(std::move(begun));
  else
    finish(begun, {});
}

void begin_group() { ++open_group.depth; }

bool end_group() {
  if (open_group.depth == 0) return false;
  if (--open_group.depth > 0) return true;
  const Group group = std::exchange(open_group.transfers, {});
  for (const Begun& begun : group) finish(begun, group);
  return true;
}

}  // namespace vramlab::dry_run
