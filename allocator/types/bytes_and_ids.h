// Bytes, and the names of things: addresses, streams, pools, events, capture graphs. All are
// distinct types, so that a size is never mistaken for an address or a count; none but Bytes and
// Address can be computed with. Arithmetic is exact; the literals 512_B, 2_KiB, 5_MiB, 1_GiB make
// tests and rules readable. Streams compare as integers, 0 is the default stream.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <string>

namespace vramlab::allocator {

struct Bytes {
  std::uint64_t count = 0;

  friend constexpr auto operator<=>(Bytes, Bytes) = default;
  friend constexpr Bytes operator+(Bytes a, Bytes b) { return {a.count + b.count}; }
  friend constexpr Bytes operator-(Bytes a, Bytes b) { return {a.count - b.count}; }
  friend constexpr Bytes operator*(Bytes a, std::uint64_t n) { return {a.count * n}; }
  friend constexpr std::uint64_t operator/(Bytes a, Bytes b) { return a.count / b.count; }
  constexpr Bytes& operator+=(Bytes b) { return count += b.count, *this; }
  constexpr Bytes& operator-=(Bytes b) { return count -= b.count, *this; }
};

/// The smallest multiple of `step` from `size` on. Requires: step is not zero.
constexpr Bytes round_up(Bytes size, Bytes step) {
  return {(size.count + step.count - 1) / step.count * step.count};
}

/// For tables, whose sizes are written without a unit.
constexpr Bytes mebibytes(std::uint64_t count) { return {count << 20}; }

namespace literals {
constexpr Bytes operator""_B(unsigned long long n) { return {n}; }
constexpr Bytes operator""_KiB(unsigned long long n) { return {n << 10}; }
constexpr Bytes operator""_MiB(unsigned long long n) { return {n << 20}; }
constexpr Bytes operator""_GiB(unsigned long long n) { return {n << 30}; }
}  // namespace literals

/// `N bytes` below 1024, else two decimals in KiB to PiB. The unit fits the rounded number: 1 MiB
/// is never `1024.00 KiB`, as the reference prints it, and 1 TiB not `1024.00 GiB`.
std::string format_bytes(Bytes size);

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

/// The purposes that a user pool was registered for when it was made.
struct PoolTraits {
  /// Lends its free blocks to requests of the default pools that would run out of memory.
  bool use_on_oom = false;
  /// Blocks of this pool are never split.
  bool no_split = false;
};

/// An address as sentences say it, such as "0x7f0000000200".
std::string name_of(Address address);
/// A pool as sentences say it, such as "(0, 3)".
std::string name_of(PoolId pool);

}  // namespace vramlab::allocator

/// Every folder speaks of these, so they need no prefix.
namespace vramlab {
using allocator::Address, allocator::StreamId, allocator::PoolId, allocator::EventId,
    allocator::CaptureId, allocator::GraphNode, allocator::StreamFilter, allocator::default_pool,
    allocator::name_of;
using allocator::Bytes, allocator::format_bytes, allocator::mebibytes, allocator::round_up;
}  // namespace vramlab
