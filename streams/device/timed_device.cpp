#include "streams/device/timed_device.h"

#include "allocator/types/check.h"

namespace vramlab::streams {

void TimedDevice::wait_until_idle(StreamId stream) {
  check_goes_on(streams_.wait_for_stream(stream_at(stream)));
}

void TimedDevice::wait_for_device() { check_goes_on(streams_.wait_for_device(device_)); }

void TimedDevice::wait_until_complete(EventId event) {
  check_goes_on(streams_.wait_for_mark(mark_of(event)));
}

void TimedDevice::check_goes_on(bool goes_on) {
  if (!goes_on) throw EndlessWait("the allocator waits for work that never ends");
}

EventId TimedDevice::put_event(StreamId stream) {
  const StreamMark mark = streams_.put_mark(stream_at(stream));
  if (free_marks_.empty()) {
    free_marks_.push_back(marks_.size());
    marks_.emplace_back();
  }
  const EventId event{free_marks_.back()};
  free_marks_.pop_back();
  marks_[as_index(event.value)] = mark;
  return event;
}

bool TimedDevice::has_passed(EventId event) { return streams_.has_passed(mark_of(event)); }

void TimedDevice::forget_event(EventId event) {
  mark_of(event);
  marks_[as_index(event.value)] = {};
  free_marks_.push_back(event.value);
}

const StreamMark& TimedDevice::mark_of(EventId event) const {
  check(event.value < marks_.size() && marks_[as_index(event.value)].item.number != 0,
        "an event is asked about between its recording and its forgetting");
  return marks_[as_index(event.value)];
}

std::optional<StreamCapture> TimedDevice::capture_of(StreamId stream) {
  return streams_.capture_of(stream_at(stream));
}

std::vector<GraphNode> TimedDevice::dependencies_of(GraphNode node) {
  return streams_.dependencies_of(node);
}

}  // namespace vramlab::streams
