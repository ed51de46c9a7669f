// Random histories of one device in which frees wait, with what truly waited after each entry.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "replay/recording/recorded_history.h"

namespace vramlab::tests {

/// What waits, as who made the history knows it.
struct TrulyWaiting {
  allocator::Bytes bytes;
  allocator::StreamId stream;
  std::size_t alloc_event = 0;
  std::size_t free_event = 0;
};

struct WaitingProgram {
  replay::DeviceHistory history;
  /// By entry: what waits once it has happened, by address.
  std::vector<std::map<allocator::Address, TrulyWaiting>> waiting_after;
};

WaitingProgram random_waiting_program(std::uint64_t seed, std::size_t call_count);

/// As a recording that began with this entry.
replay::DeviceHistory begun_at(const WaitingProgram& program, std::size_t first);

}  // namespace vramlab::tests
