// LiveMemory: a GPU's memory through its driver: ranges of cuMemAlloc, and physical units behind
// reserved addresses. Optionally limited, so that what was recorded on a smaller GPU finds the same
// room: a limited memory counts like SimulatedMemory, and asks the driver only for what fits.
//
// Requires of all calls: a scope of the session is open.
#pragma once

#include <map>
#include <optional>
#include <unordered_map>

#include "streams/live/driver_session.h"

namespace vramlab::streams {

class LiveMemory {
 public:
  /// What the driver's own granularity is on all GPUs so far, and what a limit is counted in.
  static constexpr Bytes granularity{2ULL << 20};

  LiveMemory(const DriverSession& session, std::optional<Bytes> limit)
      : session_(session), limit_(limit) {}
  LiveMemory(const LiveMemory&) = delete;
  LiveMemory& operator=(const LiveMemory&) = delete;

  allocator::MemoryInfo info() const;
  /// What the driver says, whatever the limit.
  allocator::MemoryInfo driver_info() const;
  Bytes used() const { return used_; }
  /// What others hold of a limited memory; nothing else knows of it.
  void set_external(Bytes size) { external_ = size; }

  std::optional<Address> allocate(Bytes size);
  bool is_allocated(Address at) const { return allocations_.contains(at.value); }
  void release(Address at);

  std::optional<Address> reserve(Bytes size);
  void release_reservation(Address at, Bytes size);
  bool map(const UnitRange& range);
  void unmap(const UnitRange& range);

  /// Everything that is still held, whatever the driver answers.
  void give_everything_back();

 private:
  struct Allocation {
    Bytes requested;
    Bytes counted;
  };
  struct Unit {
    CUmemGenericAllocationHandle handle = 0;
    Bytes size;
  };
  bool is_within_limit(Bytes more) const;
  /// Whether the unit is there now; false where there is no memory for it.
  bool create_and_map(Address at, Bytes size);
  void make_accessible(const UnitRange& range);
  void unmap_unit(Address at);
  /// The first so many units of the range. For undoing: what fails is left.
  void take_back(const UnitRange& range, std::uint64_t count);

  const DriverSession& session_;
  std::optional<Bytes> limit_;
  Bytes external_;
  Bytes used_;
  std::unordered_map<std::uint64_t, Allocation> allocations_;
  std::map<std::uint64_t, Bytes> reservations_;
  std::unordered_map<std::uint64_t, Unit> units_;
};

}  // namespace vramlab::streams
