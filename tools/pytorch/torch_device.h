// TorchDevice: one GPU under PyTorch: the caching allocator on a LiveDevice, behind one lock. All
// functions may be called from any thread, with any device current.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "allocator/caching_allocator.h"
#include "allocator/types/reference_version.h"
#include "streams/live/live_device.h"

namespace vramlab::pytorch {

/// A version's rules, with options.
struct TorchRules {
  const ReferenceVersion& reference;
  Settings settings;
};

/// What the thin segment provider gave out.
struct SegmentCounts {
  std::uint64_t given = 0;
  std::uint64_t taken_back = 0;
  std::uint64_t refused = 0;
  std::uint64_t bytes = 0;
  std::uint64_t peak_bytes = 0;
};

/// The segment around an address.
struct BaseAllocation {
  Address address;
  Bytes size;
};

class TorchDevice {
 public:
  struct Requested {
    MallocResult result;
    /// Why the request failed.
    std::string failure;
  };

  /// Throws DeviceError where the GPU has no context to give.
  TorchDevice(const streams::CudaDriver& driver, int index, const TorchRules& rules);

  /// What `use(engine)` gives, behind the lock.
  template <class Use>
  auto with_engine(const Use& use) {
    const std::lock_guard lock(mutex_);
    note_time();
    return use(engine_);
  }

  Requested malloc(Bytes size, StreamId stream);
  /// False where the address is none that malloc gave. Throws DeviceError.
  bool free(Address at);
  bool record_stream(Address at, StreamId stream);
  /// Empty if no allocated block contains the address. Throws AllocatorError for expandable
  /// segments, which are no single allocation of the driver's.
  std::optional<BaseAllocation> base_of(Address at);
  void set_memory_fraction(double fraction);

  /// Empty if the driver has no room.
  std::optional<Address> give_segment(Bytes size);
  /// False where the address is none that give_segment gave.
  bool take_segment_back(Address at);
  SegmentCounts segment_counts();

  /// From now on so many entries are kept, with the time; none by default.
  void keep_history(std::size_t entries);

 private:
  void note_time();

  /// Callbacks free within a request.
  std::recursive_mutex mutex_;
  streams::LiveDevice gpu_;
  allocator::RecordingAllocator engine_;
  std::size_t history_capacity_ = 0;
  SegmentCounts segments_;
  std::map<Address, Bytes> segment_sizes_;
};

}  // namespace vramlab::pytorch
