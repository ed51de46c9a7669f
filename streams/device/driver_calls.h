// Driver calls: the calls made of a GPU's driver, by kind, and how long each took. They need no
// CUDA: reports and tables are made of these values.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string_view>
#include <vector>

#include "allocator/types/bytes_and_ids.h"

namespace vramlab::streams {

/// The kinds stand in the order in which they are shown.
enum class DriverCallKind : std::uint8_t {
  mem_alloc,
  mem_free,
  address_reserve,
  address_free,
  mem_create,
  mem_map,
  mem_set_access,
  mem_unmap,
  mem_release,
  mem_get_info,
  context_synchronize,
  stream_create,
  stream_synchronize,
  event_create,
  event_record,
  event_query,
  event_synchronize,
  capture_info,
  node_dependencies,
};
inline constexpr std::size_t driver_call_kind_count =
    static_cast<std::size_t>(DriverCallKind::node_dependencies) + 1;

/// The driver's own name of the call, such as `cuMemAlloc`.
std::string_view driver_call_name(DriverCallKind kind);

struct DriverCall {
  DriverCallKind kind = DriverCallKind::mem_alloc;
  /// 0 for a call that is about no amount of memory.
  Bytes bytes;
  std::uint64_t nanoseconds = 0;
  bool succeeded = false;
};

/// Hears of every call after it.
using DriverCallListener = std::function<void(const DriverCall&)>;
/// Nanoseconds from any beginning.
using HostTime = std::function<std::uint64_t()>;

/// Durations in bins of about 3 parts in a hundred, so that any number of calls takes the same
/// room.
class DurationBins {
 public:
  void add(std::uint64_t nanoseconds);
  std::uint64_t count() const { return count_; }
  std::uint64_t max() const { return max_; }
  std::uint64_t sum() const { return sum_; }
  /// The duration that this share of all calls does not exceed, to the precision of a bin.
  std::uint64_t at_share(double share) const;

 private:
  static constexpr unsigned bins_per_doubling = 32;
  static std::size_t bin_of(std::uint64_t nanoseconds);
  static std::uint64_t end_of(std::size_t bin);

  std::map<std::size_t, std::uint64_t> bins_;
  std::uint64_t count_ = 0;
  std::uint64_t max_ = 0;
  std::uint64_t sum_ = 0;
};

/// The calls of one kind and size class.
struct DriverCallRow {
  DriverCallKind kind = DriverCallKind::mem_alloc;
  /// The smallest power of two that no call's bytes exceed; 0 for calls without bytes.
  Bytes up_to;
  std::uint64_t count = 0;
  /// The number of calls that did not succeed.
  std::uint64_t failed = 0;
  std::uint64_t median_ns = 0;
  std::uint64_t p95_ns = 0;
  std::uint64_t max_ns = 0;
  std::uint64_t sum_ns = 0;
};

class DriverCallTimings {
 public:
  void add(const DriverCall& call);
  std::uint64_t succeeded(DriverCallKind kind) const {
    return succeeded_[static_cast<std::size_t>(kind)];
  }
  /// Rows by kind, then by size.
  std::vector<DriverCallRow> rows() const;

 private:
  struct Key {
    DriverCallKind kind;
    std::uint64_t up_to;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  struct Calls {
    DurationBins durations;
    std::uint64_t failed = 0;
  };
  std::map<Key, Calls> calls_;
  std::array<std::uint64_t, driver_call_kind_count> succeeded_{};
};

}  // namespace vramlab::streams
