// MemoryCurve: what a device held over a program, in steps of equally many events however long the
// program is: when there are too many steps, each two become one. For each step it keeps the most
// that was held after any of its events, so that no peak is lost.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "allocator/types/bytes_and_ids.h"

namespace vramlab::replay {

struct MemoryLevel {
  allocator::Bytes allocated;
  allocator::Bytes reserved;
  friend bool operator==(const MemoryLevel&, const MemoryLevel&) = default;
};

class MemoryCurve {
 public:
  static constexpr std::size_t usual_steps = 512;

  MemoryCurve() : MemoryCurve(usual_steps) {}
  /// Requires: two steps at least.
  explicit MemoryCurve(std::size_t most_steps);

  /// So much is held after the event, and after those that follow until another one is told. An
  /// event may be told again; one before the last counts as the last.
  void note(std::uint64_t event, const MemoryLevel& level) {
    last_event_ = std::max(last_event_, event);
    if ((last_event_ >> doublings_) >= steps_.size()) [[unlikely]]
      reach_last_event();
    raise(steps_.back(), level);
    level_ = level;
  }

  /// By events, from event 0 to the last one that was told; the last step may be of fewer.
  const std::vector<MemoryLevel>& steps() const { return steps_; }
  std::uint64_t events_per_step() const { return std::uint64_t{1} << doublings_; }
  std::uint64_t last_event() const { return last_event_; }

 private:
  static void raise(MemoryLevel& step, const MemoryLevel& level) {
    step.allocated = std::max(step.allocated, level.allocated);
    step.reserved = std::max(step.reserved, level.reserved);
  }
  void reach_last_event();
  void join_pairs();

  std::vector<MemoryLevel> steps_;
  std::size_t most_steps_;
  unsigned doublings_ = 0;
  std::uint64_t last_event_ = 0;
  MemoryLevel level_;
};

}  // namespace vramlab::replay
