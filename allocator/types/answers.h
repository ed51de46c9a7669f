// Answers to calls: a request gives an address, nothing (0 bytes), or one of three ways to fail; a
// call that must not be made is refused.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>

#include "allocator/types/bytes_and_ids.h"

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
  /// The size that the caller asked for.
  Bytes request;
  /// The size that the device was asked for: that of the segment, not the request.
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
  /// The addresses that an option lets an expandable segment reserve, where the request needs more.
  std::optional<Bytes> exceeded_reserve;
};

/// A call that must not be made in this state, such as freeing an address twice. It is thrown
/// before anything changed, and its sentence names what was wrong.
class AllocatorError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace vramlab::allocator

/// Every folder speaks of these, so they need no prefix.
namespace vramlab {
using allocator::MallocOutcome, allocator::MallocResult, allocator::OutOfMemory,
    allocator::AllocatorError;
}  // namespace vramlab
