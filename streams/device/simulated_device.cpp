#include "streams/device/simulated_device.h"

namespace vramlab::streams {

EventId SimulatedDevice::put_event(StreamId stream) { return streams_.record_event(stream); }

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
