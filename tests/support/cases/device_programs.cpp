#include "tests/support/cases/device_programs.h"

#include <algorithm>
#include <map>

#include "tests/support/cases/device_answers.h"
#include "tests/support/programs/random_streams.h"

namespace vramlab::tests {
namespace {

using namespace streams;
using Kind = StreamCallKind;

/// By these events a stream comes back to the capture that it joined.
constexpr std::uint64_t first_joining_event = 1000;
/// More than a random program has.
constexpr std::uint64_t streams_of_a_device = 10;

class RunCounts : public StreamWatcher {
 public:
  void issued(const IssuedItem& item) override {
    if (item.work != nullptr) most_ = std::max(most_, ++counts_[item.tag]);
  }
  std::uint32_t most() const { return most_; }

 private:
  std::map<std::uint64_t, std::uint32_t> counts_;
  std::uint32_t most_ = 0;
};

/// The simulator after the calls of a program. Programs are short: it begins anew for each call.
class StateAfter {
 public:
  explicit StateAfter(const StreamProgram& program) : timed_({}, counts_) {
    for (const StreamCall& call : program.calls) make(call);
  }
  StreamAnswer make(const StreamCall& call) { return answer_of(timed_, call); }
  const TimedStreams& timed() const { return timed_; }
  std::uint32_t most_runs() const { return counts_.most(); }

 private:
  RunCounts counts_;
  TimedStreams timed_;
};

bool names_stream(Kind kind) {
  switch (kind) {
    case Kind::destroy_stream:
    case Kind::submit:
    case Kind::query_stream:
    case Kind::synchronize_stream:
    case Kind::record_event:
    case Kind::wait_for_event:
    case Kind::begin_capture:
    case Kind::end_capture:
    case Kind::launch_graph:
    case Kind::capture_of:
      return true;
    default:
      return false;
  }
}

bool names_event(Kind kind) {
  switch (kind) {
    case Kind::destroy_event:
    case Kind::record_event:
    case Kind::wait_for_event:
    case Kind::query_event:
    case Kind::synchronize_event:
    case Kind::elapsed:
      return true;
    default:
      return false;
  }
}

/// Handles exist, and none is made twice: a real device has no names to take twice.
bool has_handles(const StateAfter& state, const StreamCall& call) {
  const TimedStreams& timed = state.timed();
  const bool is_legacy = call.stream.stream.value == 0;
  if (call.kind == Kind::create_stream) return !is_legacy && !timed.has_stream(call.stream);
  if (call.kind == Kind::create_event) return !timed.has_event(call.event);
  if (call.kind == Kind::destroy_stream && is_legacy) return false;
  if (names_stream(call.kind) && !timed.has_stream(call.stream)) return false;
  if (names_event(call.kind) && !timed.has_event(call.event)) return false;
  return call.kind != Kind::elapsed || timed.has_event(call.other_event);
}

/// A single device has the streams of all.
StreamAt on_first_device(StreamAt stream) {
  const bool is_legacy = stream.stream.value == 0;
  return {0, {is_legacy ? 0 : stream.stream.value + streams_of_a_device * stream.device}};
}

void tame(StreamCall& call) {
  call.not_before.reset();
  call.stream = on_first_device(call.stream);
  Work& work = call.work;
  if (work.kind == WorkKind::write_flag || work.kind == WorkKind::await_flag)
    work.kind = WorkKind::kernel;
  work.fault = CudaStatus::success;
  // The host waits to the end of a pageable copy only in this direction.
  if (work.blocks_host) work.kind = WorkKind::copy_to_host;
}

bool runs_too_often(const StreamProgram& program, const StreamCall& call) {
  StateAfter state(program);
  state.make(call);
  return state.most_runs() > most_runs_of_a_work;
}

bool is_blocking(const StreamProgram& program, StreamAt stream) {
  bool is_blocking = false;
  for (const StreamCall& call : program.calls)
    if (call.kind == Kind::create_stream && call.stream == stream)
      is_blocking = call.traits.is_blocking;
  return is_blocking;
}

/// D6: the knowledge of the legacy stream about other and destroyed streams when it is asked.
bool rests_on_decisions(const StreamProgram& program, const StreamCall& call) {
  const bool asks = call.kind == Kind::query_stream || call.kind == Kind::synchronize_stream;
  return (asks && call.stream.stream.value == 0) ||
         (call.kind == Kind::destroy_stream && is_blocking(program, call.stream));
}

/// True if no call of the program fails, by rules that are written down somewhere.
bool is_lawful(const StreamProgram& program, const StreamCall& call) {
  StateAfter state(program);
  const bool is_captured = state.timed().capture_of(call.stream).has_value();
  if (call.kind == Kind::exchange_capture_mode || call.kind == Kind::check_unsafe_call ||
      call.kind == Kind::capture_of || (call.kind == Kind::launch_graph && is_captured))
    return false;
  if (rests_on_decisions(program, call)) return false;
  const CudaStatus status = state.make(call).status;
  return status == CudaStatus::success || status == CudaStatus::not_ready ||
         (call.kind == Kind::elapsed && status == CudaStatus::invalid_resource_handle);
}

/// Every stream that takes part comes back to the first one.
void add_returns(StreamProgram& program, const StreamCall& end) {
  const StateAfter state(program);
  const auto ended = state.timed().capture_of(end.stream);
  if (!ended) return;
  for (std::uint64_t name = 1; name < first_joining_event; ++name) {
    const StreamAt other{0, {name}};
    const auto capture = state.timed().capture_of(other);
    if (other == end.stream || !capture || capture->id != ended->id) continue;
    StreamCall call = end;
    call.event = {first_joining_event + name};
    call.kind = Kind::create_event;
    if (!state.timed().has_event(call.event)) program.calls.push_back(call);
    call.kind = Kind::record_event;
    call.stream = other;
    program.calls.push_back(call);
    call.kind = Kind::wait_for_event;
    call.stream = end.stream;
    program.calls.push_back(call);
  }
}

StreamProgram tamed(std::uint64_t seed) {
  StreamProgram program = make_random_stream_program(seed);
  program.model = {};
  for (StreamCall& call : program.calls) tame(call);
  return program;
}

}  // namespace

StreamProgram make_device_program(std::uint64_t seed) {
  const StreamProgram all = tamed(seed);
  StreamProgram kept{seed, {}, {}};
  for (StreamCall call : all.calls) {
    call.mode = CaptureMode::relaxed;
    if (!has_handles(StateAfter(kept), call)) continue;
    StreamProgram before = kept;
    if (call.kind == Kind::end_capture) add_returns(before, call);
    if (!is_lawful(before, call) || runs_too_often(before, call)) continue;
    kept = std::move(before);
    kept.calls.push_back(call);
  }
  return kept;
}

StreamProgram make_capture_misuse_program(std::uint64_t seed) {
  const StreamProgram all = tamed(seed);
  StreamProgram kept{seed, {}, {}};
  for (const StreamCall& call : all.calls)
    if (has_handles(StateAfter(kept), call) && !runs_too_often(kept, call))
      kept.calls.push_back(call);
  return kept;
}

}  // namespace vramlab::tests
