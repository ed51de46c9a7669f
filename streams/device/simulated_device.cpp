#include "streams/device/simulated_device.h"

#include "allocator/types/check.h"

namespace vramlab::streams {

void SimulatedDevice::submit_work(StreamId stream) {
  if (OpenCaptures::Member* member = captures_.find({0, stream}))
    OpenCaptures::add_node(*member, {});
  else
    streams_.submit_work(stream);
}

void SimulatedDevice::begin_capture(StreamId stream) {
  captures_.begin({0, stream}, /*is_blocking=*/false, CaptureMode::relaxed, {});
}

void SimulatedDevice::end_capture(StreamId stream) {
  const OpenCaptures::Member* member = captures_.find({0, stream});
  check(member != nullptr, "only a capture that is under way ends");
  captures_.end(member->capture->id);
}

void SimulatedDevice::wait_for_other_stream(StreamId stream, StreamId waited) {
  const OpenCaptures::Member* other = captures_.find({0, waited});
  if (other == nullptr) return;
  OpenCaptures::Member* own = captures_.find({0, stream});
  if (own == nullptr)
    captures_.join({0, stream}, /*is_blocking=*/false, *other->capture, other->tips);
  else if (own->capture == other->capture)
    OpenCaptures::add_tips(*own, other->tips);
}

}  // namespace vramlab::streams
