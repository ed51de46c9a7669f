// StreamProgram: calls of CUDA as a list, made one by one on TimedStreams or on NaiveStreams, and
// the answer to each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "streams/stream_model/timed_streams.h"

namespace vramlab::tests {

enum class StreamCallKind : std::uint8_t {
  create_stream,
  destroy_stream,
  submit,
  query_stream,
  synchronize_stream,
  synchronize_device,
  create_event,
  destroy_event,
  record_event,
  wait_for_event,
  query_event,
  synchronize_event,
  elapsed,
  begin_capture,
  end_capture,
  launch_graph,
  destroy_graph,
  exchange_capture_mode,
  check_unsafe_call,
  capture_of,
};

/// For calls that return when work has ended, with the fault of that work.
inline bool is_wait(StreamCallKind kind) {
  return kind == StreamCallKind::synchronize_stream || kind == StreamCallKind::synchronize_event ||
         kind == StreamCallKind::synchronize_device;
}

/// Each kind looks at the members that it needs.
struct StreamCall {
  StreamCallKind kind = StreamCallKind::submit;
  streams::ThreadId thread;
  std::optional<streams::Time> not_before;
  streams::StreamAt stream;
  streams::StreamTraits traits;
  streams::Work work;
  allocator::EventId event;
  allocator::EventId other_event;
  bool has_timing = true;
  streams::GraphId graph;
  streams::CaptureMode mode = streams::CaptureMode::global;
  std::uint64_t tag = 0;
};

struct StreamProgram {
  std::uint64_t seed = 0;
  streams::StreamModel model;
  std::vector<StreamCall> calls;
};

struct StreamAnswer {
  /// False where the thread never got to make the call.
  bool is_made = false;
  streams::CudaStatus status = streams::CudaStatus::success;
  streams::Time at;
  /// The time that passed, the mode before, the names of a capture and its nodes.
  std::vector<std::int64_t> figures;
  friend bool operator==(const StreamAnswer&, const StreamAnswer&) = default;
};

/// Such as "submit kernel on 0:1, thread 2".
std::string stream_call_text(const StreamCall& call);
std::string stream_program_text(const StreamProgram& program);

template <class Streams>
std::vector<std::int64_t> capture_figures(Streams& on, streams::StreamAt stream) {
  std::vector<std::int64_t> figures;
  const auto capture = on.capture_of(stream);
  if (!capture) return figures;
  figures.push_back(static_cast<std::int64_t>(capture->id.value));
  for (const allocator::GraphNode terminal : capture->terminals) {
    figures.push_back(static_cast<std::int64_t>(terminal.value));
    for (const allocator::GraphNode before : on.dependencies_of(terminal))
      figures.push_back(-static_cast<std::int64_t>(before.value));
  }
  return figures;
}

template <class Streams>
streams::CudaStatus make_event_call(Streams& on, const StreamCall& call, StreamAnswer& answer) {
  switch (call.kind) {
    case StreamCallKind::create_event:
      return on.create_event(call.event, call.stream.device, call.has_timing);
    case StreamCallKind::destroy_event:
      return on.destroy_event(call.event);
    case StreamCallKind::record_event:
      return on.record_event(call.event, call.stream, call.tag);
    case StreamCallKind::wait_for_event:
      return on.wait_for_event(call.stream, call.event, call.tag);
    case StreamCallKind::query_event:
      return on.query_event(call.event);
    case StreamCallKind::synchronize_event:
      return on.synchronize_event(call.event);
    default: {
      const streams::ElapsedTime elapsed = on.elapsed(call.event, call.other_event);
      answer.figures.push_back(elapsed.ns);
      return elapsed.status;
    }
  }
}

template <class Streams>
streams::CudaStatus make_capture_call(Streams& on, const StreamCall& call, StreamAnswer& answer) {
  switch (call.kind) {
    case StreamCallKind::begin_capture:
      return on.begin_capture(call.stream, call.mode);
    case StreamCallKind::end_capture:
      return on.end_capture(call.stream, call.graph);
    case StreamCallKind::launch_graph:
      return on.launch_graph(call.graph, call.stream, call.tag);
    case StreamCallKind::destroy_graph:
      return on.destroy_graph(call.graph);
    case StreamCallKind::exchange_capture_mode:
      answer.figures.push_back(static_cast<std::int64_t>(on.exchange_capture_mode(call.mode)));
      return streams::CudaStatus::success;
    case StreamCallKind::check_unsafe_call:
      return on.check_unsafe_call();
    default:
      answer.figures = capture_figures(on, call.stream);
      return on.check_capture_query(call.stream);
  }
}

template <class Streams>
streams::CudaStatus make_stream_call(Streams& on, const StreamCall& call, StreamAnswer& answer) {
  switch (call.kind) {
    case StreamCallKind::create_stream:
      return on.create_stream(call.stream, call.traits);
    case StreamCallKind::destroy_stream:
      return on.destroy_stream(call.stream);
    case StreamCallKind::submit:
      return on.submit(call.stream, call.work);
    case StreamCallKind::query_stream:
      return on.query_stream(call.stream);
    case StreamCallKind::synchronize_stream:
      return on.synchronize_stream(call.stream);
    case StreamCallKind::synchronize_device:
      return on.synchronize_device(call.stream.device);
    default:
      return call.kind <= StreamCallKind::elapsed ? make_event_call(on, call, answer)
                                                  : make_capture_call(on, call, answer);
  }
}

template <class Streams>
StreamAnswer answer_of(Streams& on, const StreamCall& call) {
  StreamAnswer answer;
  answer.is_made = on.begin_call(call.thread, call.not_before);
  answer.at = on.now();
  if (answer.is_made) answer.status = make_stream_call(on, call, answer);
  return answer;
}

}  // namespace vramlab::tests
