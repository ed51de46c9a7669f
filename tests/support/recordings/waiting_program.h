// Random histories of one device in which frees wait, with the blocks that truly waited after each
// entry.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "replay/recording/recorded_history.h"

namespace vramlab::tests {

/// A waiting block, as the maker of the history knows it.
struct TrulyWaiting {
  allocator::Bytes bytes;
  allocator::StreamId stream;
  std::size_t alloc_event = 0;
  std::size_t free_event = 0;
};

struct WaitingProgram {
  replay::DeviceHistory history;
  /// By entry: the blocks that wait after it, by address.
  std::vector<std::map<allocator::Address, TrulyWaiting>> waiting_after;
};

WaitingProgram random_waiting_program(std::uint64_t seed, std::size_t call_count);

/// The history as a recording that began with this entry.
replay::DeviceHistory begun_at(const WaitingProgram& program, std::size_t first);

}  // namespace vramlab::tests
