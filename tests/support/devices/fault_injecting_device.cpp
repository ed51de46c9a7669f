#include "tests/support/devices/fault_injecting_device.h"

#include <string>

namespace vramlab::tests {

using allocator::Address;
using allocator::Bytes;
using allocator::EventId;
using allocator::GraphNode;
using allocator::StreamId;

void FaultInjectingDevice::set_fault(std::optional<Fault> fault) {
  fault_ = fault;
  call_count_ = 0;
  has_failed_ = false;
}

allocator::MemoryInfo FaultInjectingDevice::memory_info() {
  throw_if_due();
  return device_.memory_info();
}

std::optional<Address> FaultInjectingDevice::allocate(Bytes size, StreamId stream) {
  if (answers_no_room()) return std::nullopt;
  return device_.allocate(size, stream);
}

void FaultInjectingDevice::release(Address at) {
  throw_if_due();
  device_.release(at);
}

std::optional<Address> FaultInjectingDevice::reserve(Bytes size, StreamId stream) {
  if (answers_no_room()) return std::nullopt;
  return device_.reserve(size, stream);
}

void FaultInjectingDevice::release_reservation(Address at, Bytes size) {
  throw_if_due();
  device_.release_reservation(at, size);
}

bool FaultInjectingDevice::map(const allocator::UnitRange& range) {
  return !answers_no_room() && device_.map(range);
}

void FaultInjectingDevice::unmap(const allocator::UnitRange& range) {
  throw_if_due();
  device_.unmap(range);
}

void FaultInjectingDevice::wait_for_stream(StreamId stream) {
  throw_if_due();
  device_.wait_for_stream(stream);
}

EventId FaultInjectingDevice::record_event(StreamId stream) {
  throw_if_due();
  return device_.record_event(stream);
}

bool FaultInjectingDevice::is_complete(EventId event) {
  throw_if_due();
  return device_.is_complete(event);
}

void FaultInjectingDevice::wait_for_event(EventId event) {
  throw_if_due();
  device_.wait_for_event(event);
}

void FaultInjectingDevice::forget_event(EventId event) { device_.forget_event(event); }

std::optional<allocator::StreamCapture> FaultInjectingDevice::capture_of(StreamId stream) {
  throw_if_due();
  return device_.capture_of(stream);
}

std::vector<GraphNode> FaultInjectingDevice::dependencies_of(GraphNode node) {
  throw_if_due();
  return device_.dependencies_of(node);
}

bool FaultInjectingDevice::answers_no_room() {
  if (!is_due()) return false;
  if (fault_->style == FaultStyle::always_an_error)
    throw allocator::DeviceError("injected fault at device call " + std::to_string(call_count_));
  return true;
}

void FaultInjectingDevice::throw_if_due() {
  if (is_due())
    throw allocator::DeviceError("injected fault at device call " + std::to_string(call_count_));
}

bool FaultInjectingDevice::is_due() {
  ++call_count_;
  const bool due = fault_ && fault_->call == call_count_;
  has_failed_ = has_failed_ || due;
  return due;
}

}  // namespace vramlab::tests
