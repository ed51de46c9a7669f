#include "streams/happens_before/free_order.h"

namespace vramlab::streams {
namespace {

/// No program's event has this name.
constexpr EventId between_streams{UINT64_MAX - 1};

}  // namespace

FreePoint TimedFreeOrder::free_point(StreamAt stream) {
  const StreamMark mark = streams_->put_mark(stream);
  return {stream, mark, last_issued_};
}

NextOnStream TimedFreeOrder::next_on(StreamAt stream) {
  NextOnStream next{stream, {&strand_of(streams_->caller()).clock}};
  add_clocks_of_next(stream, next.clocks);
  return next;
}

bool TimedFreeOrder::make_follow(StreamAt stream, const FreePoint& point) {
  const bool is_there = streams_->has_stream(point.stream) && is_same_stream(point, point.stream);
  if (!is_there || streams_->capture_of(point.stream)) return false;
  return wait_for_other_stream(*streams_, stream, point.stream, between_streams, 0) ==
         CudaStatus::success;
}

}  // namespace vramlab::streams
