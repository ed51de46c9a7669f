#include "streams/order/timed_free_order.h"

#include <algorithm>
#include <vector>

namespace vramlab::streams {

namespace {

/// No program's event has this name.
constexpr EventId between_streams{UINT64_MAX - 1};

}  // namespace

void TimedFreeOrder::issued(const IssuedItem& item) {
  threads_.insert(item.thread);
  last_issued_ = order_.issued(item).now();
}

void TimedFreeOrder::thread_follows_stream(ThreadId thread, StreamAt stream) {
  threads_.insert(thread);
  order_.thread_follows_stream(thread, stream);
}

void TimedFreeOrder::thread_follows_event(ThreadId thread, EventId event) {
  threads_.insert(thread);
  order_.thread_follows_event(thread, event);
}

FreePoint TimedFreeOrder::free_point(StreamAt stream) {
  const StreamMark mark = streams_->put_mark(stream);
  return {stream, mark, last_issued_};
}

bool TimedFreeOrder::is_known_to_host(const FreePoint& point) {
  return std::ranges::any_of(
      threads_, [&](ThreadId thread) { return order_.thread(thread).clock.covers(point.epoch); });
}

NextOnStream TimedFreeOrder::next_on(StreamAt stream) {
  NextOnStream next{stream, {&order_.thread(streams_->caller()).clock}};
  order_.add_clocks_of_next(stream, next.clocks);
  return next;
}

bool TimedFreeOrder::make_follow(StreamAt stream, const FreePoint& point) {
  const bool is_there = streams_->has_stream(point.stream) && is_same_stream(point, point.stream);
  if (!is_there || streams_->capture_of(point.stream)) return false;
  return wait_for_other_stream(*streams_, stream, point.stream, between_streams, 0) ==
         CudaStatus::success;
}

}  // namespace vramlab::streams
