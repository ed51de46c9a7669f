// Work: one thing that a host thread puts on a stream.
#pragma once

#include <compare>
#include <cstdint>

#include "allocator/types/bytes_and_ids.h"
#include "streams/stream_model/cuda_status.h"
#include "streams/stream_model/virtual_time.h"

namespace vramlab::streams {

/// A word of memory that streams write and wait for. Its value only grows.
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
  /// The flag is at least `value` from then on.
  write_flag,
  /// Ends once the flag is at least `value`.
  await_flag,
};

struct Work {
  WorkKind kind = WorkKind::kernel;
  /// A copy from or to pageable memory: the host waits for it.
  bool blocks_host = false;
  /// For a kernel: what it ends with. A sticky error loses the context.
  CudaStatus fault = CudaStatus::success;
  Duration duration{};
  FlagId flag{};
  std::uint64_t value = 0;
  /// The caller's name for it.
  std::uint64_t tag = 0;
};

/// How much runs at once on a device. 0 is as much as there is.
struct ConcurrencyLimits {
  /// Kernels, memsets and copies on the device.
  std::uint32_t kernels = 0;
  /// 1: copies in both directions take turns. 2: one in each direction.
  std::uint32_t copy_engines = 0;
  std::uint32_t host_functions = 0;
  /// Streams share them, round robin in the order of their creation. What is put on a queue begins
  /// in the order in which it was put there: what waits holds up what is behind it.
  std::uint32_t hardware_queues = 0;
  friend bool operator==(const ConcurrencyLimits&, const ConcurrencyLimits&) = default;
};

struct StreamModel {
  /// From a call until what it puts on a stream can begin.
  Duration launch_latency;
  /// What each call costs its thread.
  Duration call_time;
  ConcurrencyLimits limits;
};

}  // namespace vramlab::streams
