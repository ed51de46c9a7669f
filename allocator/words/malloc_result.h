// What a request gives: an address, nothing (0 bytes), or one of three ways to fail.
#pragma once

#include <cstdint>
#include <optional>

#include "allocator/words/ids.h"

namespace vramlab::allocator {

enum class MallocOutcome : std::uint8_t {
  allocated,
  /// A request of 0 bytes: a null pointer, and no trace of it.
  nothing,
  out_of_memory,
  /// Refused before the device was asked: it would exceed the configured share of the device.
  rejected,
  /// A pool that lends its memory on out-of-memory is being captured to at that moment.
  scope_already_open,
};

struct MallocResult {
  MallocOutcome outcome = MallocOutcome::nothing;
  Address address;
  explicit operator bool() const { return outcome == MallocOutcome::allocated; }
};

/// The figures behind a failed request.
struct OutOfMemory {
  MallocOutcome outcome = MallocOutcome::out_of_memory;
  /// What the caller asked for.
  Bytes request;
  /// What was asked of the device: the segment's size, not the request.
  Bytes device_size;
  int device = 0;
  Bytes device_total;
  Bytes device_free;
  /// Empty if no memory fraction limits the allocator.
  std::optional<Bytes> allowed;
  Bytes allocated;
  /// Bytes of free blocks in private pools.
  Bytes free_in_private_pools;
  Bytes reserved;
};

}  // namespace vramlab::allocator
