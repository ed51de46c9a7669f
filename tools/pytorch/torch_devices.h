// TorchDevices: the GPUs under PyTorch, and the rules of the PyTorch that this process has loaded.
// TorchDevice is one of them: the caching allocator on a LiveDevice, behind one lock. All functions
// may be called from any thread, with any device current.
#pragma once

#include <functional>
#include <map>
#include <memory>
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

/// The segments that the thin provider gave out.
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
    /// The reason why the request failed.
    std::string failure;
  };

  /// Throws DeviceError if the GPU has no context to give.
  TorchDevice(const streams::CudaDriver& driver, int index, const TorchRules& rules);

  /// The result of `use(engine)`, behind the lock.
  template <class Use>
  auto with_engine(const Use& use) {
    const std::lock_guard lock(mutex_);
    note_time();
    return use(engine_);
  }

  Requested malloc(Bytes size, StreamId stream);
  /// False if malloc never gave this address. Throws DeviceError.
  bool free(Address at);
  bool record_stream(Address at, StreamId stream);
  /// Empty if no allocated block contains the address. Throws AllocatorError for expandable
  /// segments, which are no single allocation of the driver's.
  std::optional<BaseAllocation> base_of(Address at);
  void set_memory_fraction(double fraction);

  /// Empty if the driver has no room.
  std::optional<Address> give_segment(Bytes size);
  /// False if give_segment never gave this address.
  bool take_segment_back(Address at);
  SegmentCounts segment_counts();

  /// Keeps so many entries from now on, with the time; none by default.
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

// TorchDevices: the GPUs that PyTorch has asked for, each made when it is needed, and found again
// by an address, since PyTorch's word about a pointer may be about an older one of the same value.

class TorchDevices {
 public:
  TorchDevices(streams::CudaDriver driver, TorchRules rules)
      : driver_(driver), rules_(std::move(rules)) {}

  const ReferenceVersion& reference() const { return rules_.reference; }

  /// Throws DeviceError if there is no such GPU.
  TorchDevice& at(int index);
  /// The GPUs that were asked for. They stay where they are as long as this lives.
  std::map<int, TorchDevice*> by_index();
  /// Asks the GPU with this index first, then the others, until one says true. Returns whether one
  /// did.
  template <class Question>
  bool find(int hint, const Question& is_it);

 private:
  /// Null if it was not asked for yet.
  TorchDevice* known(int index);

  streams::CudaDriver driver_;
  TorchRules rules_;
  std::mutex mutex_;
  std::map<int, std::unique_ptr<TorchDevice>> devices_;
};

template <class Question>
bool TorchDevices::find(int hint, const Question& is_it) {
  TorchDevice* const first = known(hint);
  if (first != nullptr && is_it(*first)) return true;
  for (const auto& [index, device] : by_index())
    if (device != first && is_it(*device)) return true;
  return false;
}

/// Opens them with the options that `environment` names, the rules of the PyTorch around this
/// library, and the driver of this machine. Throws std::runtime_error without a driver, or if the
/// options are refused.
std::unique_ptr<TorchDevices> open_torch_devices(
    const std::function<const char*(const char*)>& environment);

// The PyTorch that this process has loaded: its allocator's rules depend on the version.

/// The rules of the PyTorch around this library. Without a PyTorch, as in a program that only loads
/// the plug-in, they are those of the usual version. Throws std::runtime_error if PyTorch does not
/// say its version.
const ReferenceVersion& reference_of_loaded_pytorch();

}  // namespace vramlab::pytorch
