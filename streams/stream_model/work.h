// Work: one thing that a host thread puts on a stream. With it stand the words that it needs: times
// of a simulation, answers of CUDA's calls, the names of threads, streams and flags.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <string_view>

#include "allocator/types/bytes_and_ids.h"

namespace vramlab::streams {

/// Whole nanoseconds of a simulation; no real clock is looked at.
struct Duration {
  std::uint64_t ns = 0;
  friend constexpr auto operator<=>(Duration, Duration) = default;
};

/// Nanoseconds from any beginning.
struct Time {
  std::uint64_t ns = 0;
  friend constexpr auto operator<=>(Time, Time) = default;
  /// Stops at the end of time instead of starting over.
  friend constexpr Time operator+(Time at, Duration by) {
    const std::uint64_t room = std::numeric_limits<std::uint64_t>::max() - at.ns;
    return {at.ns + (by.ns < room ? by.ns : room)};
  }
  /// Requires: `from` is not later.
  friend constexpr Duration operator-(Time to, Time from) { return {to.ns - from.ns}; }
};

/// The answer that a call of CUDA would have given.
enum class CudaStatus : std::uint8_t {
  success,
  not_ready,
  invalid_value,
  invalid_resource_handle,
  illegal_state,
  memory_allocation,
  stream_capture_unsupported,
  stream_capture_invalidated,
  stream_capture_merge,
  stream_capture_unmatched,
  stream_capture_unjoined,
  stream_capture_isolation,
  stream_capture_implicit,
  stream_capture_wrong_thread,
  captured_event,
  illegal_address,
  launch_failure,
};

/// Such as `cudaErrorNotReady`.
std::string_view cuda_status_name(CudaStatus status);
/// Whether the context is lost: every later call answers the same.
bool is_sticky(CudaStatus status);

/// A word of memory that streams write and wait for; its value only grows.
struct FlagId {
  std::uint64_t value = 0;
  friend constexpr auto operator<=>(FlagId, FlagId) = default;
};

struct ThreadId {
  std::uint32_t value = 0;
  friend constexpr auto operator<=>(ThreadId, ThreadId) = default;
};

/// A stream of a device. Stream 0 of each device is its legacy default stream.
struct StreamAt {
  std::uint32_t device = 0;
  StreamId stream;
  friend constexpr auto operator<=>(StreamAt, StreamAt) = default;
};

enum class WorkKind : std::uint8_t {
  kernel,
  copy_to_device,
  copy_to_host,
  copy_on_device,
  memset,
  /// Runs on the host. Its stream waits for it, the thread that put it there does not.
  host_function,
  /// Raises the flag to `value`, if it is lower.
  write_flag,
  /// Ends once the flag is at least `value`.
  await_flag,
};

struct Work {
  WorkKind kind = WorkKind::kernel;
  /// A copy from or to pageable memory: the host waits for it.
  bool blocks_host = false;
  /// The error that a kernel ends with. A sticky one loses the context.
  CudaStatus fault = CudaStatus::success;
  Duration duration{};
  FlagId flag{};
  std::uint64_t value = 0;
  /// The caller's name for it.
  std::uint64_t tag = 0;
};

/// How much runs at once on a device; 0 sets no limit.
struct ConcurrencyLimits {
  /// Kernels, memsets and copies on the device.
  std::uint32_t kernels = 0;
  /// 1: copies in both directions take turns. 2: one in each direction.
  std::uint32_t copy_engines = 0;
  std::uint32_t host_functions = 0;
  /// Streams share the queues, round robin in the order of their creation. Work begins in the order
  /// in which it was put on a queue: work that waits holds up the work behind it.
  std::uint32_t hardware_queues = 0;
  friend bool operator==(const ConcurrencyLimits&, const ConcurrencyLimits&) = default;
};

struct StreamModel {
  /// From a call until the work that it puts on a stream can begin.
  Duration launch_latency;
  /// The time that each call takes of its thread.
  Duration call_time;
  ConcurrencyLimits limits;
};

}  // namespace vramlab::streams
