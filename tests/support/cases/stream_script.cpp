#include "tests/support/cases/stream_script.h"

namespace vramlab::tests {

using namespace streams;
using Kind = StreamCallKind;

StreamScript::StreamScript() {
  for (std::uint64_t stream = 1; stream <= 5; ++stream)
    create_stream(stream, {.is_blocking = stream > 3});
  for (std::uint64_t event = 1; event <= 2; ++event) create_event(event, true);
}

StreamCall& StreamScript::add(Kind kind) {
  StreamCall call;
  call.kind = kind;
  call.thread = thread_;
  call.tag = program_.calls.size() + 1;
  return program_.calls.emplace_back(call);
}

StreamScript& StreamScript::by_thread(std::uint32_t thread) {
  thread_ = {thread};
  return *this;
}

StreamScript& StreamScript::work(std::uint64_t stream, std::uint64_t duration) {
  return work_of(WorkKind::kernel, stream, duration);
}

StreamScript& StreamScript::work_of(WorkKind kind, std::uint64_t stream, std::uint64_t duration) {
  StreamCall& call = add(Kind::submit);
  call.stream = {0, {stream}};
  call.work.kind = kind;
  call.work.duration = {duration};
  call.work.tag = call.tag;
  return *this;
}

StreamScript& StreamScript::pageable_copy(std::uint64_t stream) {
  work_of(WorkKind::copy_to_host, stream);
  program_.calls.back().work.blocks_host = true;
  return *this;
}

StreamScript& StreamScript::faulty_kernel(std::uint64_t stream, CudaStatus fault) {
  work(stream);
  program_.calls.back().work.fault = fault;
  return *this;
}

StreamScript& StreamScript::record(std::uint64_t event, std::uint64_t stream) {
  StreamCall& call = add(Kind::record_event);
  call.event = {event};
  call.stream = {0, {stream}};
  return *this;
}

StreamScript& StreamScript::wait(std::uint64_t stream, std::uint64_t event) {
  StreamCall& call = add(Kind::wait_for_event);
  call.event = {event};
  call.stream = {0, {stream}};
  return *this;
}

StreamScript& StreamScript::fork(std::uint64_t from, std::uint64_t to) {
  return record(1, from).wait(to, 1);
}

StreamScript& StreamScript::begin(std::uint64_t stream, CaptureMode mode) {
  StreamCall& call = add(Kind::begin_capture);
  call.stream = {0, {stream}};
  call.mode = mode;
  return *this;
}

StreamScript& StreamScript::end(std::uint64_t stream, std::uint64_t graph) {
  StreamCall& call = add(Kind::end_capture);
  call.stream = {0, {stream}};
  call.graph = {graph};
  return *this;
}

StreamScript& StreamScript::launch(std::uint64_t stream, std::uint64_t graph) {
  StreamCall& call = add(Kind::launch_graph);
  call.stream = {0, {stream}};
  call.graph = {graph};
  return *this;
}

StreamScript& StreamScript::exchange_mode(CaptureMode mode) {
  add(Kind::exchange_capture_mode).mode = mode;
  return *this;
}

StreamScript& StreamScript::create_stream(std::uint64_t stream, StreamTraits traits) {
  StreamCall& call = add(Kind::create_stream);
  call.stream = {0, {stream}};
  call.traits = traits;
  return *this;
}

StreamScript& StreamScript::create_event(std::uint64_t event, bool has_timing) {
  StreamCall& call = add(Kind::create_event);
  call.event = {event};
  call.has_timing = has_timing;
  return *this;
}

StreamScript& StreamScript::elapsed(std::uint64_t from, std::uint64_t to) {
  StreamCall& call = add(Kind::elapsed);
  call.event = {from};
  call.other_event = {to};
  return *this;
}

StreamScript& StreamScript::on_stream(Kind kind, std::uint64_t stream) {
  add(kind).stream = {0, {stream}};
  return *this;
}

StreamScript& StreamScript::on_event(Kind kind, std::uint64_t event) {
  add(kind).event = {event};
  return *this;
}

StreamScript& StreamScript::call(Kind kind) {
  add(kind);
  return *this;
}

}  // namespace vramlab::tests
