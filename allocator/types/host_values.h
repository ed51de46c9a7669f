// Answers of the allocator of pinned host memory, as values: to a request, statistics, a snapshot,
// entries of its history. Its blocks are given out whole, so a block is a segment.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "allocator/types/answers.h"
#include "allocator/types/snapshot.h"

namespace vramlab::allocator {

/// A call stack, known by a number; only its giver knows the stack itself.
struct HostStack {
  std::uint64_t value = 0;
  friend bool operator==(HostStack, HostStack) = default;
};
using MaybeHostStack = std::optional<HostStack>;

struct HostMallocResult {
  MallocOutcome outcome = MallocOutcome::nothing;
  Address address;
  /// The size of the block, after rounding.
  Bytes size;
  explicit operator bool() const { return outcome == MallocOutcome::allocated; }
  friend bool operator==(const HostMallocResult&, const HostMallocResult&) = default;
};

/// From which level on stacks are taken; each level takes what those before it take.
enum class HostStackLevel : std::uint8_t { never, state, alloc, all };

/// One entry of the history.
struct HostEvent {
  Action action = Action::alloc;
  Address address;
  Bytes size;
  PoolId pool;
  MaybeHostStack stack;
  friend bool operator==(const HostEvent&, const HostEvent&) = default;
};

struct HostBlockState {
  Address address;
  Bytes size;
  bool allocated = false;
  /// Allocated, or waiting for events.
  bool active = false;
  PoolId pool;
  MaybeHostStack stack;
  friend bool operator==(const HostBlockState&, const HostBlockState&) = default;
};

/// By ascending address.
using HostSnapshot = std::vector<HostBlockState>;

/// How long calls of the system took, in microseconds.
struct HostTimes {
  std::uint64_t total = 0;
  std::uint64_t max = 0;
  std::uint64_t min = 0;
  std::uint64_t count = 0;
  friend bool operator==(const HostTimes&, const HostTimes&) = default;
};

/// Free lists, by powers of two.
inline constexpr std::size_t host_bucket_count = 64;

struct HostStatisticValues {
  /// Blocks that are given out or wait for events. The peaks of these two are sums of the buckets'
  /// own peaks.
  StatisticValue active_requests;
  StatisticValue active_bytes;
  StatisticValue allocations;
  StatisticValue allocated_bytes;
  HostTimes alloc_time;
  HostTimes free_time;
  /// Blocks made, by bucket.
  std::array<std::uint64_t, host_bucket_count> bucket_allocations{};
  friend bool operator==(const HostStatisticValues&, const HostStatisticValues&) = default;
};

/// The kinds of calls that a simulated system notes.
enum class HostSystemAction : std::uint8_t {
  host_alloc,
  host_alloc_failed,
  host_free,
  malloc,
  host_register,
  host_register_failed,
  host_unregister,
  free,
};
/// Such as "host_alloc".
constexpr std::string_view host_system_action_name(HostSystemAction action) {
  constexpr std::array<std::string_view, 8> names = {
      "host_alloc",    "host_alloc_failed",    "host_free",       "malloc",
      "host_register", "host_register_failed", "host_unregister", "free"};
  return names.at(static_cast<std::size_t>(action));
}

struct HostSystemCall {
  HostSystemAction action = HostSystemAction::host_alloc;
  Address address;
  Bytes size;
  friend bool operator==(const HostSystemCall&, const HostSystemCall&) = default;
};

}  // namespace vramlab::allocator

/// Every folder speaks of these, so they need no prefix.
namespace vramlab {
using allocator::HostStack, allocator::MaybeHostStack, allocator::HostMallocResult,
    allocator::HostEvent, allocator::HostBlockState, allocator::HostSnapshot,
    allocator::HostStackLevel, allocator::HostStatisticValues, allocator::HostSystemAction,
    allocator::HostSystemCall;
}  // namespace vramlab
