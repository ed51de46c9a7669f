// WholeHistory: what a WholeCache tells the allocator's own listener, as of one pool with one
// stream. All functions do nothing where no history is asked for.
#pragma once

#include <chrono>
#include <memory>

#include "allocator/listeners/history.h"
#include "tools/preload/shim/arena_device.h"

namespace vramlab::shim {

/// Entries have the time that PyTorch's snapshots have: microseconds since 1970.
inline void note_time(allocator::History& history) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  history.set_time_us(static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(now).count()));
}

class WholeHistory {
 public:
  explicit WholeHistory(std::size_t entries) {
    if (entries == 0) return;
    kept_ = std::make_unique<Kept>();
    kept_->history.set_capacity(entries);
    kept_->history.lane_opened(kept_->lane);
  }

  void handed_out(allocator::Address at, allocator::Bytes size) {
    if (kept_) timed().handed_out(block(at, size), allocator::Oversize::no);
  }
  void freed_at_once(allocator::Address at, allocator::Bytes size) {
    if (kept_) timed().freed_at_once(block(at, size), allocator::Oversize::no);
  }
  void free_requested(allocator::Address at, allocator::Bytes size) {
    if (kept_) timed().free_requested(block(at, size), allocator::Oversize::no);
  }
  void free_completed(allocator::Address at, allocator::Bytes size) {
    if (kept_) timed().free_completed(block(at, size));
  }
  void segment_got(allocator::Address at, allocator::Bytes size) {
    if (kept_) timed().segment_got({at, size, kept_->lane}, allocator::Oversize::no);
  }
  void segment_released(allocator::Address at, allocator::Bytes size) {
    if (kept_) timed().segment_released({at, size, kept_->lane}, allocator::Oversize::no);
  }
  /// The driver says nothing of what it has left.
  void ran_out_of_memory(allocator::Bytes asked) {
    if (kept_) timed().ran_out_of_memory({}, asked, kept_->lane);
  }

  std::vector<allocator::AllocatorEvent> entries() const {
    return kept_ ? kept_->history.entries() : std::vector<allocator::AllocatorEvent>{};
  }

 private:
  struct Kept {
    allocator::Pool pool{allocator::PoolId{}, allocator::PoolKind::large};
    allocator::Lane lane{owner_stream, pool};
    allocator::History history;
  };

  allocator::History& timed() {
    note_time(kept_->history);
    return kept_->history;
  }
  allocator::BlockFact block(allocator::Address at, allocator::Bytes size) const {
    return {at, size, size, kept_->lane};
  }

  std::unique_ptr<Kept> kept_;
};

}  // namespace vramlab::shim
