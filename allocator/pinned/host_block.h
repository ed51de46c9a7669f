// HostBlock: one piece of pinned memory, always handed out whole; and the sizes of blocks.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "allocator/options/settings.h"
#include "allocator/pinned/host_system.h"
#include "allocator/types/host_values.h"

namespace vramlab::allocator {

struct HostPool;

struct HostBlock {
  Address address;
  Bytes size;
  /// The pool that it was made in and always returns to.
  HostPool* pool = nullptr;
  PinnedBy obtained = PinnedBy::allocation;
  bool allocated = false;
  /// Handed out while a stream captured: its free records no events, and it never comes back.
  bool is_captured = false;
  /// Events that its last frees wait for.
  std::uint32_t outstanding_events = 0;
  /// Those that used it since it was handed out, ascending.
  std::vector<StreamId> streams;
  /// That of its last hand-out.
  MaybeHostStack stack;

  bool is_active() const { return allocated || outstanding_events > 0; }
};

/// Rounded sizes above this are refused: the reference does not define them.
inline constexpr Bytes largest_host_block{1ULL << 63};

/// To a power of two, unless a limit leaves requests of this size alone.
/// Requires: the request is from 1 byte to the largest block.
constexpr Bytes round_host_request(Bytes request, const Settings& settings) {
  const bool is_rounded =
      request <= settings.pinned_max_round_threshold && request <= settings.pinned_max_cached_size;
  return is_rounded ? Bytes{std::bit_ceil(request.count)} : request;
}

/// The bucket of sizes above half a power of two and up to it. Requires: size is not zero.
constexpr std::size_t host_bucket_of(Bytes size) {
  return static_cast<std::size_t>(std::bit_width(size.count - 1));
}

}  // namespace vramlab::allocator
