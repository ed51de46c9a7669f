// The time that entries of a history get: as in PyTorch's snapshots, microseconds since 1970.
#pragma once

#include <chrono>

#include "allocator/listeners/history.h"

namespace vramlab::shim {

inline void note_time(allocator::History& history) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  history.set_time_us(static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(now).count()));
}

}  // namespace vramlab::shim
