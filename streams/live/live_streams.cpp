#include "streams/live/live_streams.h"

#include <algorithm>

#include "allocator/types/check.h"

namespace vramlab::streams {

CUstream LiveStreams::handle_of(StreamId stream) {
  // The caller made the number of the handle.
  if (names_ == StreamNames::handles) return reinterpret_cast<CUstream>(stream.value);
  const auto found = handles_.find(stream);
  if (found != handles_.end()) return found->second;
  CUstream handle = nullptr;
  if (stream.value != 0 || names_ == StreamNames::made_for_0_too) handle = make();
  handles_[stream] = handle;
  return handle;
}

CUstream LiveStreams::make() {
  CUstream stream = nullptr;
  session_.require(DriverCallKind::stream_create, {}, [&] {
    return session_.driver().stream_create(&stream, CU_STREAM_NON_BLOCKING);
  });
  return stream;
}

bool LiveStreams::may_be_capturing() const {
  if (names_ == StreamNames::handles) return true;
  return std::any_of(handles_.begin(), handles_.end(), [this](const auto& named) {
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    const CUresult result = session_.driver().stream_is_capturing(named.second, &status);
    // For the legacy stream: another one of the context captures.
    return result == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT ||
           (result == CUDA_SUCCESS && status != CU_STREAM_CAPTURE_STATUS_NONE);
  });
}

void LiveStreams::destroy_all() {
  for (const auto& [id, handle] : handles_)
    if (handle != nullptr) static_cast<void>(session_.driver().stream_destroy(handle));
  handles_.clear();
}

CUevent LiveEvents::take_idle() {
  CUevent event = nullptr;
  if (!idle_.empty()) {
    event = idle_.back();
    idle_.pop_back();
    return event;
  }
  session_.require(DriverCallKind::event_create, {},
                   [&] { return session_.driver().event_create(&event, CU_EVENT_DISABLE_TIMING); });
  return event;
}

EventId LiveEvents::record(CUstream stream) {
  const CUevent event = take_idle();
  const CUresult result = session_.run(DriverCallKind::event_record, {}, [&] {
    return session_.driver().event_record(event, stream);
  });
  if (result != CUDA_SUCCESS) {
    idle_.push_back(event);
    session_.fail("cuEventRecord", result);
  }
  recorded_[next_] = event;
  return {next_++};
}

CUevent LiveEvents::at(EventId event) const {
  const auto found = recorded_.find(event.value);
  check(found != recorded_.end(), "only an event that was recorded and not forgotten is asked for");
  return found->second;
}

bool LiveEvents::is_complete(EventId event) {
  const CUresult result = session_.run(DriverCallKind::event_query, {},
                                       [&] { return session_.driver().event_query(at(event)); });
  if (result != CUDA_SUCCESS && result != CUDA_ERROR_NOT_READY)
    session_.fail("cuEventQuery", result);
  return result == CUDA_SUCCESS;
}

void LiveEvents::wait(EventId event) {
  session_.require(DriverCallKind::event_synchronize, {},
                   [&] { return session_.driver().event_synchronize(at(event)); });
}

void LiveEvents::forget(EventId event) {
  idle_.push_back(at(event));
  recorded_.erase(event.value);
}

void LiveEvents::destroy_all() {
  for (const auto& [id, event] : recorded_) idle_.push_back(event);
  recorded_.clear();
  for (const CUevent event : idle_) static_cast<void>(session_.driver().event_destroy(event));
  idle_.clear();
}

}  // namespace vramlab::streams
