#include "replay/work_clock.h"

#include <algorithm>
#include <limits>

namespace vramlab::replay {

using allocator::EventId;
using allocator::StreamId;

void WorkClock::advance(std::uint64_t now_ns) {
  now_ns_ = std::max(now_ns_, now_ns);
  while (!pieces_.empty() && pieces_.top().end_ns <= now_ns_) {
    device_.complete_first_work(pieces_.top().stream, pieces_.top().number);
    pieces_.pop();
  }
}

void WorkClock::submit(StreamId stream, std::uint64_t duration_ns) {
  device_.submit_work(stream);
  Stream& timeline = streams_[stream];
  const std::uint64_t begin = std::max(timeline.end_ns, now_ns_);
  const std::uint64_t room = std::numeric_limits<std::uint64_t>::max() - begin;
  timeline.end_ns = begin + std::min(duration_ns, room);
  pieces_.push({timeline.end_ns, stream, ++timeline.pieces});
}

void WorkClock::complete(StreamId stream) {
  device_.complete_work(stream);
  streams_[stream].end_ns = now_ns_;
}

void WorkClock::record_event(EventId event, StreamId stream) {
  events_[event] = std::max(streams_[stream].end_ns, now_ns_);
}

void WorkClock::wait_for_event(EventId event, StreamId stream) {
  const auto recorded = events_.find(event);
  if (recorded == events_.end()) return;
  Stream& timeline = streams_[stream];
  timeline.end_ns = std::max(timeline.end_ns, recorded->second);
}

void WorkClock::wait_for_stream(StreamId stream, StreamId waited) {
  device_.wait_for_other_stream(stream, waited);
  Stream& timeline = streams_[stream];
  timeline.end_ns = std::max(timeline.end_ns, streams_[waited].end_ns);
}

}  // namespace vramlab::replay
