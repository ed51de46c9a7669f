#include "streams/device/memory_device.h"

namespace vramlab::streams {

std::optional<Address> MemoryDevice::allocate(Bytes size, StreamId stream) {
  const auto at = memory_.allocate(size, stream);
  if (!at) return at;
  ++call_counts_.allocations;
  tally_.add(DeviceCall::allocate, size);
  return at;
}

void MemoryDevice::release(Address at) {
  // A wait that fails leaves the memory where it is.
  if (release_waits_) wait_for_device();
  tally_.add(DeviceCall::release, memory_.release(at));
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
  tally_.add(DeviceCall::create, range.unit, result.units_created);
  if (result.mapped) tally_.add(DeviceCall::map, range.unit, range.count);
  return result.mapped;
}

void MemoryDevice::wait_for_event(EventId event) {
  wait_until_complete(event);
  ++call_counts_.event_waits;
  tally_.add(DeviceCall::synchronise);
}

void MemoryDevice::unmap(const UnitRange& range) {
  memory_.unmap(range);
  tally_.add(DeviceCall::unmap, range.unit, range.count);
}

void MemoryDevice::wait_for_stream(StreamId stream) {
  wait_until_idle(stream);
  tally_.add(DeviceCall::synchronise);
}

EventId MemoryDevice::record_event(StreamId stream) {
  const EventId event = put_event(stream);
  tally_.add(DeviceCall::record_event);
  return event;
}

bool MemoryDevice::is_complete(EventId event) {
  tally_.add(DeviceCall::query_event);
  return has_passed(event);
}

bool MemoryDevice::none_complete_since(allocator::CompletionMark& mark, std::size_t pending) {
  const auto now = completions();
  if (!now) return false;
  if (*now == mark.completions) {
    tally_.add_often(DeviceCall::query_event, pending);
    return true;
  }
  mark.completions = *now;
  return false;
}

}  // namespace vramlab::streams
