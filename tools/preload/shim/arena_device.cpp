#include "tools/preload/shim/arena_device.h"

#include "allocator/words/check.h"

namespace vramlab::shim {

using allocator::DeviceError;
using allocator::EventId;
using allocator::StreamId;

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

}  // namespace vramlab::shim
