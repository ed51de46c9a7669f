// TorchStreams: PyTorch's pools of streams on one device. It makes 32 streams of each priority and
// hands them out in turns, so a program's 33rd stream is its first one again: work that was meant
// to run beside it waits behind it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "allocator/types/bytes_and_ids.h"

namespace vramlab::streams {

class TorchStreams {
 public:
  static constexpr std::size_t pool_size = 32;
  enum class Pool : std::uint8_t { normal, high };

  /// The next stream of the pool goes by this name, too; each stream keeps its first name here.
  /// Requires: the name is new.
  StreamId take(StreamId name, Pool pool);
  /// The stream that a name stands for; a name that was not taken from a pool stands for itself.
  StreamId resolve(StreamId name) const;
  bool is_taken(StreamId name) const { return names_.contains(name); }

 private:
  struct Turns {
    std::vector<StreamId> streams;
    std::size_t next = 0;
  };

  std::array<Turns, 2> pools_;
  std::map<StreamId, StreamId> names_;
};

}  // namespace vramlab::streams
