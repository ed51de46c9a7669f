// Communicators: each knows its rank and size, and the channel to the other ranks if these are
// processes of the same dry run. Without a channel a rank is alone.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "tools/cuda_standins/libraries/kit/objects.h"
#include "tools/cuda_standins/libraries/nccl/rank_channel.h"

namespace vramlab::dry_run {

/// How often something was called, by the other rank. All ranks count alike.
class CallNumbers {
 public:
  std::uint64_t next(int peer) {
    const std::lock_guard guard(lock_);
    return ++counts_[peer];
  }

 private:
  std::mutex lock_;
  std::map<int, std::uint64_t> counts_;
};

struct Communicator : Object {
  int rank = 0;
  int size = 1;
  int device = 0;
  /// Empty without a channel.
  std::string name;
  std::unique_ptr<RankChannel> channel;
  std::atomic<std::uint64_t> collectives = 0;
  std::atomic<std::uint64_t> descendants = 0;
  CallNumbers sent;
  CallNumbers received;

  ~Communicator() override;
};

struct CommunicatorWish {
  /// The same for all its ranks, and for no others. Empty: this rank is alone.
  std::string name;
  int rank = 0;
  int size = 1;
};

/// An ncclResult_t.
int create_communicator(void** handle, const CommunicatorWish& wish);

/// A name that no communicator has had.
std::string new_communicator_name();

/// The wish of this rank's part of a split communicator, which all ranks of it ask for together.
CommunicatorWish part_of(Communicator& parent, int color, int key);

/// Tells the other ranks that this process sends nothing more.
void leave_all_channels();

}  // namespace vramlab::dry_run
