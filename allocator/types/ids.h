// Names of things: addresses, streams, pools, events, capture graphs. All are distinct types; none
// carries behaviour. Streams compare as integers, 0 is the default stream.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <string>

#include "allocator/types/bytes.h"

namespace vramlab::allocator {

struct Address {
  std::uint64_t value = 0;

  friend constexpr auto operator<=>(Address, Address) = default;
  friend constexpr Address operator+(Address at, Bytes size) { return {at.value + size.count}; }
  friend constexpr Bytes operator-(Address end, Address begin) { return {end.value - begin.value}; }
};

struct StreamId {
  std::uint64_t value = 0;
  friend constexpr auto operator<=>(StreamId, StreamId) = default;
};

/// (0, 0) is the device's own pair of pools; (n, 0) a graph's, (0, n) a user's.
struct PoolId {
  std::uint64_t graph = 0;
  std::uint64_t user = 0;
  friend constexpr auto operator<=>(PoolId, PoolId) = default;
};
inline constexpr PoolId default_pool{};

struct EventId {
  std::uint64_t value = 0;
  friend constexpr auto operator<=>(EventId, EventId) = default;
};

/// A stream capture in progress on the device.
struct CaptureId {
  std::uint64_t value = 0;
  friend constexpr auto operator<=>(CaptureId, CaptureId) = default;
};

/// A node of the graph that a capture builds.
struct GraphNode {
  std::uint64_t value = 0;
  friend constexpr auto operator<=>(GraphNode, GraphNode) = default;
};

/// Which streams a capture scope takes its requests from.
using StreamFilter = std::function<bool(StreamId)>;

/// What a user pool was registered for when it was made.
struct PoolTraits {
  /// Lends its free blocks to requests of the default pools that would run out of memory.
  bool use_on_oom = false;
  /// Blocks of this pool are never split.
  bool no_split = false;
};

/// As sentences say it, such as "0x7f0000000200".
std::string name_of(Address address);
/// Such as "(0, 3)".
std::string name_of(PoolId pool);

}  // namespace vramlab::allocator

/// Every folder speaks of these, so they need no prefix.
namespace vramlab {
using allocator::Address, allocator::StreamId, allocator::PoolId, allocator::EventId,
    allocator::CaptureId, allocator::GraphNode, allocator::StreamFilter, allocator::default_pool,
    allocator::name_of;
}  // namespace vramlab
