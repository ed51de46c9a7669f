#include "streams/simulated_device.h"

namespace vramlab::streams {

using allocator::Address;
using allocator::Bytes;
using allocator::EventId;
using allocator::GraphNode;
using allocator::StreamCapture;
using allocator::StreamId;
using allocator::UnitRange;

std::optional<Address> SimulatedDevice::allocate(Bytes size, StreamId stream) {
  const auto at = memory_.allocate(size, stream);
  if (at) ++call_counts_.allocations;
  return at;
}

void SimulatedDevice::release(Address at) {
  memory_.release(at);
  // Giving memory back waits for the whole device.
  streams_.complete_all();
  ++call_counts_.releases;
}

std::optional<Address> SimulatedDevice::reserve(Bytes size, StreamId stream) {
  return memory_.reserve(size, stream);
}

void SimulatedDevice::release_reservation(Address at, Bytes size) {
  memory_.release_reservation(at, size);
}

bool SimulatedDevice::map(const UnitRange& range) {
  const SimulatedMemory::MapResult result = memory_.map(range);
  call_counts_.units_created += result.units_created;
  return result.mapped;
}

void SimulatedDevice::unmap(const UnitRange& range) { memory_.unmap(range); }

EventId SimulatedDevice::record_event(StreamId stream) { return streams_.record_event(stream); }

void SimulatedDevice::wait_for_event(EventId event) {
  streams_.wait_for_event(event);
  ++call_counts_.event_waits;
}

std::optional<StreamCapture> SimulatedDevice::capture_of(StreamId stream) {
  return captures_.capture_of(stream);
}

std::vector<GraphNode> SimulatedDevice::dependencies_of(GraphNode node) {
  return captures_.dependencies_of(node);
}

void SimulatedDevice::submit_work(StreamId stream) {
  if (captures_.is_capturing(stream))
    captures_.add_node(stream);
  else
    streams_.submit_work(stream);
}

void SimulatedDevice::wait_for_other_stream(StreamId stream, StreamId waited) {
  captures_.wait(stream, waited);
}

bool SimulatedDevice::has_pending_work(StreamId stream) const {
  return streams_.has_pending_work(stream);
}

}  // namespace vramlab::streams
