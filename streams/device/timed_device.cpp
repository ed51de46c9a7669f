#include "streams/device/timed_device.h"

#include "allocator/types/check.h"

namespace vramlab::streams {
namespace {

constexpr EventId event_between_streams{0};

/// Stream 0 is an ordinary stream here, not the legacy one.
StreamAt name_of(StreamId stream) { return {0, {stream.value + 2}}; }
/// The stream on which flags are written.
constexpr StreamAt writing_stream{0, {1}};

FlagId flag_of(StreamId stream) { return {stream.value}; }

}  // namespace

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

CountedTimedDevice::CountedTimedDevice(MemoryOptions options) : CountedDevice(std::move(options)) {
  check(streams_.begin_call({0}, Time{}), "a first call is made");
  streams_.create_stream(writing_stream, {.is_blocking = false});
}

StreamAt CountedTimedDevice::known(StreamId stream) {
  const StreamAt name = name_of(stream);
  if (!streams_.has_stream(name)) streams_.create_stream(name, {.is_blocking = false});
  return name;
}

void CountedTimedDevice::submit_work(StreamId stream) {
  const StreamAt name = known(stream);
  if (is_capturing(stream)) {
    streams_.submit(name, {});
    return;
  }
  streams_.submit(name, {.kind = WorkKind::await_flag,
                         .flag = flag_of(stream),
                         .value = ++pieces_[stream].submitted});
}

void CountedTimedDevice::let_go(StreamId stream, std::uint64_t pieces) {
  Pieces& all = pieces_[stream];
  if (pieces <= all.done) return;
  all.done = pieces;
  streams_.submit(writing_stream,
                  {.kind = WorkKind::write_flag, .flag = flag_of(stream), .value = pieces});
  // Everything that follows from it at this instant has happened when the next call is made.
  check(streams_.begin_call({0}, std::nullopt), "nothing here holds up the host");
}

void CountedTimedDevice::complete_work(StreamId stream) {
  let_go(stream, pieces_[stream].submitted);
}

void CountedTimedDevice::wait_until_idle(StreamId stream) {
  complete_work(stream);
  check(streams_.wait_for_stream(known(stream)), "work that was let go ends");
}

void CountedTimedDevice::wait_for_device() {
  for (const auto& [stream, pieces] : pieces_) let_go(stream, pieces.submitted);
  check(streams_.wait_for_device(0), "work that was let go ends");
}

EventId CountedTimedDevice::put_event(StreamId stream) {
  const StreamMark mark = streams_.put_mark(known(stream));
  events_[next_event_] = {mark, stream, pieces_[stream].submitted};
  // A mark with no work before it has been passed when the next call is made.
  check(streams_.begin_call({0}, std::nullopt), "nothing here holds up the host");
  return {next_event_++};
}

bool CountedTimedDevice::has_passed(EventId event) {
  return streams_.has_passed(events_.at(event.value).mark);
}

void CountedTimedDevice::wait_until_complete(EventId event) {
  const Event& awaited = events_.at(event.value);
  let_go(awaited.stream, awaited.pieces_before);
  check(streams_.wait_for_mark(awaited.mark), "work that was let go ends");
}

void CountedTimedDevice::forget_event(EventId event) {
  check(events_.erase(event.value) == 1, "an event is forgotten once");
}

std::optional<StreamCapture> CountedTimedDevice::capture_of(StreamId stream) {
  return streams_.capture_of(name_of(stream));
}

std::vector<GraphNode> CountedTimedDevice::dependencies_of(GraphNode node) {
  return streams_.dependencies_of(node);
}

void CountedTimedDevice::begin_capture(StreamId stream) {
  const CudaStatus status = streams_.begin_capture(known(stream), CaptureMode::relaxed);
  check(status == CudaStatus::success, "a stream that does not capture can begin to");
}

/// Whether the graph is valid does not matter here: the capture is over.
void CountedTimedDevice::end_capture(StreamId stream) {
  streams_.end_capture(known(stream), {next_graph_++});
  check(!is_capturing(stream), "a capture that was ended is over");
}

void CountedTimedDevice::wait_for_other_stream(StreamId stream, StreamId waited) {
  const auto other = capture_of(waited);
  const auto own = capture_of(stream);
  if (!other || (own && own->id != other->id)) return;
  const CudaStatus status = streams::wait_for_other_stream(streams_, known(stream), name_of(waited),
                                                           event_between_streams, 0);
  check(status == CudaStatus::success, "a stream joins a capture that is under way");
}

bool CountedTimedDevice::is_capturing(StreamId stream) const {
  return streams_.capture_of(name_of(stream)).has_value();
}

}  // namespace vramlab::streams
