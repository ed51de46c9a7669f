// TimedStreams: what the allocator asks for.
#include "allocator/words/device.h"
#include "streams/time/timed_streams.h"

namespace vramlab::streams {

StreamMark TimedStreams::put_mark(StreamAt stream) {
  Device& device = device_at(stream.device);
  if (!has_stream(stream)) add_stream(device, {.name = stream, .is_blocking = false});
  if (captures_.find(stream) != nullptr)
    throw allocator::DeviceError("an event was recorded for a block's free on stream " +
                                 std::to_string(stream.stream.value) + ", which captures");
  const std::uint32_t place = stream_places_.find(stream);
  const WorkRef item = put_mark(place, ItemKind::mark, 0, 0);
  engine_.submit(item);
  return {item};
}

bool TimedStreams::wait_for_stream(StreamAt stream) {
  const Stream* found = find_stream(stream);
  if (found == nullptr) return true;
  watcher_.thread_follows_stream(caller_, stream);
  return wait_inside({found->last});
}

bool TimedStreams::wait_for_device(std::uint32_t device) {
  return wait_inside(ends_of_device(device));
}

/// The call that is being made goes on behind them.
bool TimedStreams::wait_inside(const std::vector<WorkRef>& awaited) {
  tell_wait(awaited);
  for (const WorkRef work : awaited)
    if (!engine_.run_until_ended(work) && lost_ == CudaStatus::success) return false;
  clocks_.wait_until(caller_, engine_.now());
  engine_.advance(clocks_.begin_call(caller_, std::nullopt));
  return true;
}

}  // namespace vramlab::streams
