#include "tools/preload/shim/arena_device.h"

#include "allocator/check.h"

namespace vramlab::shim {

using allocator::Address;
using allocator::Bytes;
using allocator::DeviceError;
using allocator::EventId;
using allocator::StreamId;
using allocator::UnitRange;

namespace {

// An event's number is the place of its fence; it is only ever turned back into it.
EventId number_of(Fence& fence) { return {reinterpret_cast<std::uintptr_t>(&fence)}; }
Fence& fence_of(EventId event) { return *reinterpret_cast<Fence*>(event.value); }

}  // namespace

EventId ArenaDevice::record_event(StreamId) {
  check(at_hand_ != nullptr, "a block is given back with a fence");
  return number_of(*at_hand_);
}

bool ArenaDevice::is_complete(EventId event) { return poll(fence_of(event)) == Progress::complete; }

void ArenaDevice::wait_for_event(EventId event) {
  if (!is_complete(event)) throw DeviceError("the work before a free cannot be waited for");
}

void ArenaDevice::forget_event(EventId event) {
  Fence& fence = fence_of(event);
  if (--fence.uses == 0) fences_.give(fence);
}

// The arena's settings keep expandable segments off.
std::optional<Address> ArenaDevice::reserve(Bytes, StreamId) {
  check(false, "no arena reserves addresses");
  return std::nullopt;
}
void ArenaDevice::release_reservation(Address, Bytes) {
  check(false, "no arena reserves addresses");
}
bool ArenaDevice::map(const UnitRange&) {
  check(false, "no arena maps memory");
  return false;
}
void ArenaDevice::unmap(const UnitRange&) { check(false, "no arena maps memory"); }

}  // namespace vramlab::shim
