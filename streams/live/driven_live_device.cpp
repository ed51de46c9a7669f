#include "streams/live/driven_live_device.h"

#include <algorithm>

#include "allocator/types/check.h"

namespace vramlab::streams {

namespace {

/// Units are counted where they are created, also those that are given back. The counts are made
/// after the device, which makes no call before.
LiveOptions with_counting(LiveOptions options, DeviceCallCounts& counts) {
  options.streams = StreamNames::made_for_0_too;
  const DriverCallListener heard = options.timing.listener;
  options.timing.listener = [&counts, heard](const DriverCall& call) {
    if (call.kind == DriverCallKind::mem_create && call.succeeded) ++counts.units_created;
    if (heard) heard(call);
  };
  if (!options.timing.now) options.timing.now = [] { return std::uint64_t{0}; };
  return options;
}

}  // namespace

DrivenLiveDevice::DrivenLiveDevice(const CudaDriver& driver, LiveOptions options)
    : LiveDevice(driver, with_counting(std::move(options), calls_)),
      least_free_(driver_memory().free) {}

DrivenLiveDevice::~DrivenLiveDevice() {
  if (scratch_ == 0) return;
  try {
    const auto scope = session().enter();
    static_cast<void>(driver().mem_free(scratch_));
  } catch (const DeviceError&) {
    // Without a context nothing is left to give back: it took everything with it.
  }
}

void DrivenLiveDevice::require(std::string_view call, CUresult result) const {
  if (result != CUDA_SUCCESS) session().fail(call, result);
}

void DrivenLiveDevice::note_free_memory() {
  least_free_ = std::min(least_free_, driver_memory().free);
}

std::optional<Address> DrivenLiveDevice::allocate(Bytes size, StreamId stream) {
  const auto at = LiveDevice::allocate(size, stream);
  if (!at) return at;
  ++calls_.allocations;
  note_free_memory();
  return at;
}

void DrivenLiveDevice::release(Address at) {
  counted_.complete_all();
  LiveDevice::release(at);
  ++calls_.releases;
}

bool DrivenLiveDevice::map(const UnitRange& range) {
  if (!LiveDevice::map(range)) return false;
  note_free_memory();
  return true;
}

void DrivenLiveDevice::wait_for_stream(StreamId stream) {
  counted_.complete(stream);
  if (!is_capturing(stream)) LiveDevice::wait_for_stream(stream);
}

EventId DrivenLiveDevice::record_event(StreamId stream) {
  const EventId on_gpu = LiveDevice::record_event(stream);
  const EventId event = counted_.record_event(stream);
  gpu_events_[event] = on_gpu;
  return event;
}

/// The program's word comes first: until then the GPU is not asked. It runs nothing else on these
/// streams, so its answer comes soon.
bool DrivenLiveDevice::is_complete(EventId event) {
  if (!counted_.is_complete(event)) return false;
  const EventId on_gpu = gpu_events_.at(event);
  if (!LiveDevice::is_complete(on_gpu)) LiveDevice::wait_for_event(on_gpu);
  return true;
}

void DrivenLiveDevice::wait_for_event(EventId event) {
  counted_.wait_for_event(event);
  LiveDevice::wait_for_event(gpu_events_.at(event));
  ++calls_.event_waits;
}

void DrivenLiveDevice::forget_event(EventId event) {
  counted_.forget_event(event);
  LiveDevice::forget_event(gpu_events_.at(event));
  gpu_events_.erase(event);
}

void DrivenLiveDevice::add_node(CUstream stream) {
  const auto scope = session().enter();
  if (scratch_ == 0) require("cuMemAlloc", driver().mem_alloc(&scratch_, sizeof(unsigned)));
  check(driver().memset_async != nullptr, "every driver that captures has cuMemsetD32Async");
  require("cuMemsetD32Async", driver().memset_async(scratch_, 0, 1, stream));
}

void DrivenLiveDevice::submit_work(StreamId stream) {
  if (is_capturing(stream))
    add_node(handle_of(stream));
  else
    counted_.submit_work(stream);
}

void DrivenLiveDevice::begin_capture(StreamId stream) {
  const CUstream handle = handle_of(stream);
  const auto scope = session().enter();
  check(driver().stream_begin_capture != nullptr, "a driver that captures can begin to");
  require("cuStreamBeginCapture",
          driver().stream_begin_capture(handle, CU_STREAM_CAPTURE_MODE_RELAXED));
  const auto capture = capture_of(stream);
  check(capture.has_value(), "a capture that began is under way");
  origins_[capture->id] = stream;
}

/// Streams that did not join again make the driver complain; the capture is over all the same.
void DrivenLiveDevice::end_capture(StreamId stream) {
  const auto capture = capture_of(stream);
  check(capture.has_value(), "only a capture that is under way ends");
  const auto origin = origins_.find(capture->id);
  check(origin != origins_.end(), "captures begin here");
  const CUstream handle = handle_of(origin->second);
  origins_.erase(origin);
  const auto scope = session().enter();
  CUgraph graph = nullptr;
  const CUresult result = driver().stream_end_capture(handle, &graph);
  if (result != CUDA_ERROR_STREAM_CAPTURE_UNJOINED &&
      result != CUDA_ERROR_STREAM_CAPTURE_INVALIDATED)
    require("cuStreamEndCapture", result);
  if (graph != nullptr) require("cuGraphDestroy", driver().graph_destroy(graph));
}

/// A stream that captures nothing, or another graph, is not waited for: CUDA would refuse it.
void DrivenLiveDevice::wait_for_other_stream(StreamId stream, StreamId waited) {
  const auto other = capture_of(waited);
  if (!other) return;
  const auto own = capture_of(stream);
  if (own && own->id != other->id) return;
  const EventId marker = LiveDevice::record_event(waited);
  const CUstream handle = handle_of(stream);
  const auto scope = session().enter();
  const CUresult result = driver().stream_wait_event(handle, event_handle(marker), 0);
  LiveDevice::forget_event(marker);
  require("cuStreamWaitEvent", result);
}

}  // namespace vramlab::streams
