// Device: everything that the allocator asks of a GPU, as a seam. The simulated device, a real one,
// a device that follows a recording and one that injects faults stand behind it; tests/contract
// holds the one suite that each of them passes.
//
// Running out of memory is an answer. Any other failure is a DeviceError, thrown before the device
// changed anything; the allocator then stays consistent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <vector>

#include "allocator/types/bytes_and_ids.h"
#include "allocator/types/check.h"

namespace vramlab::allocator {

/// A device call failed for another reason than memory.
class DeviceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct MemoryInfo {
  Bytes free;
  Bytes total;
};

/// A row of physical units, one behind another: [at, at + unit * count).
struct UnitRange {
  Address at;
  Bytes unit;
  std::uint64_t count = 0;
  Bytes size() const { return unit * count; }
};

struct StreamCapture {
  CaptureId id;
  std::vector<GraphNode> terminals;
};

/// How many events a device had completed when it was asked; a new mark differs from every count.
struct CompletionMark {
  std::uint64_t completions = ~std::uint64_t{0};
};

class Device : public Interface {
 public:
  virtual MemoryInfo memory_info() = 0;

  /// One range of device memory, or empty where the device has no room. `stream` is that of the
  /// request: a device that follows a recording needs it, others may ignore it. Other requests and
  /// frees of the same allocator may be made while this one is under way.
  virtual std::optional<Address> allocate(Bytes size, StreamId stream) = 0;
  /// Gives back memory from allocate(). Waits for all work on the device first.
  virtual void release(Address at) = 0;

  /// A range of addresses without memory behind it, or empty where no addresses are left.
  virtual std::optional<Address> reserve(Bytes size, StreamId stream) = 0;
  /// Requires: nothing in the range is mapped.
  virtual void release_reservation(Address at, Bytes size) = 0;
  /// Creates physical units one after another and maps them. Where a unit does not fit, the units
  /// of this call are given back, none is mapped, and the answer is false. Requires: the range lies
  /// in one reservation and none of it is mapped.
  [[nodiscard]] virtual bool map(const UnitRange& range) = 0;
  /// Unmaps and gives back whole units. Does not wait: the allocator waits for the stream first.
  virtual void unmap(const UnitRange& range) = 0;

  virtual void wait_for_stream(StreamId stream) = 0;
  virtual EventId record_event(StreamId stream) = 0;
  virtual bool is_complete(EventId event) = 0;
  /// Whether no event can have become complete since the mark was set, so that `pending` events
  /// which were not complete then need not be asked about again: the answer counts as asking about
  /// each. Sets the mark otherwise. A device that does not know says no.
  virtual bool none_complete_since(CompletionMark& mark, std::size_t pending);
  virtual void wait_for_event(EventId event) = 0;
  /// The event will not be asked about again.
  virtual void forget_event(EventId event) = 0;

  /// The capture that the stream takes part in now, with the graph's terminal nodes of that stream.
  virtual std::optional<StreamCapture> capture_of(StreamId stream) = 0;
  /// The nodes that a node of a capture's graph depends on directly.
  virtual std::vector<GraphNode> dependencies_of(GraphNode node) = 0;
};

inline bool Device::none_complete_since(CompletionMark& /*mark*/, std::size_t /*pending*/) {
  return false;
}

}  // namespace vramlab::allocator

/// Every folder speaks of these, so they need no prefix.
namespace vramlab {
using allocator::DeviceError, allocator::UnitRange, allocator::StreamCapture;
}  // namespace vramlab
