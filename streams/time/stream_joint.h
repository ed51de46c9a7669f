// One stream waits for another, as programs write it: an event is recorded on the one and waited
// for by the other.
#pragma once

#include "streams/time/timed_streams.h"

namespace vramlab::streams {

/// `between` names no event that is in use. Both streams are there.
inline CudaStatus wait_for_other_stream(TimedStreams& streams, StreamAt stream, StreamAt waited,
                                        allocator::EventId between, std::uint64_t tag) {
  streams.create_event(between, waited.device, /*has_timing=*/false);
  CudaStatus status = streams.record_event(between, waited, tag);
  if (status == CudaStatus::success) status = streams.wait_for_event(stream, between, tag);
  streams.destroy_event(between);
  return status;
}

}  // namespace vramlab::streams
