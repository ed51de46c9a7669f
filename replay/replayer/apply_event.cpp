#include "replay/replayer/apply_event.h"

#include <utility>

#include "allocator/types/answers.h"
#include "allocator/types/check.h"

namespace vramlab::replay {

using traces::ProgramEvent;
using Kind = traces::ProgramEventKind;

StreamFilter scope_filter(const ProgramEvent& event, StreamFilter is_capturing) {
  switch (event.scope) {
    case traces::ScopeStreams::every_stream:
      return [](StreamId) { return true; };
    case traces::ScopeStreams::one_stream:
      return [own = event.stream](StreamId asked) { return asked == own; };
    case traces::ScopeStreams::capturing_streams:
      return is_capturing;
  }
  check_failed("a scope is of one of three kinds", __FILE__, __LINE__);
}

namespace {

void begin_or_end_capture(streams::DrivenDevice& device, const ProgramEvent& event) {
  const bool begins = event.kind == Kind::capture_begin;
  if (device.is_capturing(event.stream) == begins)
    throw AllocatorError(
        "stream " + std::to_string(event.stream.value) +
        (begins ? " takes part in a capture already" : " takes part in no capture that could end"));
  if (begins)
    device.begin_capture(event.stream);
  else
    device.end_capture(event.stream);
}

}  // namespace

void drive(streams::DrivenDevice& device, const ProgramEvent& event) {
  switch (event.kind) {
    case Kind::work:
    case Kind::copy:
    case Kind::memset:
    case Kind::host_function:
      return device.submit_work(event.stream);
    case Kind::stream_done:
    case Kind::stream_sync:
      return device.complete_work(event.stream);
    case Kind::stream_wait:
      return device.wait_for_other_stream(event.stream, event.for_stream);
    case Kind::capture_begin:
    case Kind::capture_end:
      return begin_or_end_capture(device, event);
    default:
      return;
  }
}

}  // namespace vramlab::replay
