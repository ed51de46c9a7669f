// AllocatorEvent: one entry of the allocation history, as the reference's trace shows it.
#pragma once

#include <cstdint>
#include <string_view>

#include "allocator/words/ids.h"

namespace vramlab::allocator {

enum class Action : std::uint8_t {
  alloc,
  free_requested,
  free_completed,
  segment_alloc,
  segment_free,
  segment_map,
  segment_unmap,
  snapshot,
  oom,
};

/// The word the reference uses, such as "free_requested".
std::string_view action_name(Action action);

struct AllocatorEvent {
  Action action = Action::alloc;
  /// In an `oom` entry: the device's free bytes instead of an address.
  Address address;
  /// alloc, free_*: requested bytes; segment_*: the range's; oom: the rounded size; snapshot:
  /// active bytes.
  Bytes size;
  /// The block's own stream, also on frees.
  StreamId stream;
  PoolId pool;
  std::uint64_t time_us = 0;

  friend bool operator==(const AllocatorEvent&, const AllocatorEvent&) = default;
};

}  // namespace vramlab::allocator
