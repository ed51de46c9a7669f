// HostHistory: the ring of entries about pinned memory, and which calls keep their stacks.
#pragma once

#include <cstddef>
#include <vector>

#include "allocator/pinned/host_block.h"

namespace vramlab::allocator {

/// How history is to be recorded from now on.
struct HostRecording {
  bool enabled = false;
  HostStackLevel level = HostStackLevel::never;
  /// How many entries are kept; 0 counts as 1.
  std::uint64_t limit = 1;
  bool clear = false;
};

class HostHistory {
 public:
  void set(const HostRecording& recording);
  bool is_on() const { return is_on_; }

  /// The stack if a request keeps it, or a free.
  MaybeHostStack of_request(HostStack stack) const;
  MaybeHostStack of_free(HostStack stack) const;
  /// If recording is on; the stack only where the level says so.
  void record(HostEvent event);

  /// The oldest first.
  std::vector<HostEvent> events() const;
  std::size_t size() const { return ring_.size(); }

 private:
  bool is_on_ = false;
  HostStackLevel level_ = HostStackLevel::never;
  std::uint64_t limit_ = 1;
  std::vector<HostEvent> ring_;
  /// The entry that is replaced next.
  std::size_t position_ = 0;
};

}  // namespace vramlab::allocator
