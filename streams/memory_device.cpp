#include "streams/memory_device.h"

namespace vramlab::streams {

using allocator::Address;
using allocator::Bytes;
using allocator::EventId;
using allocator::StreamId;
using allocator::UnitRange;

std::optional<Address> MemoryDevice::allocate(Bytes size, StreamId stream) {
  const auto at = memory_.allocate(size, stream);
  if (at) ++call_counts_.allocations;
  return at;
}

void MemoryDevice::release(Address at) {
  // A wait that fails leaves the memory where it is.
  wait_for_device();
  memory_.release(at);
  ++call_counts_.releases;
}

std::optional<Address> MemoryDevice::reserve(Bytes size, StreamId stream) {
  return memory_.reserve(size, stream);
}

void MemoryDevice::release_reservation(Address at, Bytes size) {
  memory_.release_reservation(at, size);
}

bool MemoryDevice::map(const UnitRange& range) {
  const SimulatedMemory::MapResult result = memory_.map(range);
  call_counts_.units_created += result.units_created;
  return result.mapped;
}

void MemoryDevice::wait_for_event(EventId event) {
  wait_until_complete(event);
  ++call_counts_.event_waits;
}

}  // namespace vramlab::streams
