#include "replay/replayer/stream_program.h"

#include <string>
#include <utility>

namespace vramlab::replay {

using streams::CudaStatus;
using streams::StreamAt;
using streams::Work;
using streams::WorkKind;

namespace {

streams::CaptureMode capture_mode(traces::CaptureStrictness mode) {
  switch (mode) {
    case traces::CaptureStrictness::thread_local_only:
      return streams::CaptureMode::thread_local_only;
    case traces::CaptureStrictness::relaxed:
      return streams::CaptureMode::relaxed;
    default:
      return streams::CaptureMode::global;
  }
}

WorkKind copy_kind(traces::CopyDirection direction) {
  switch (direction) {
    case traces::CopyDirection::to_host:
      return WorkKind::copy_to_host;
    case traces::CopyDirection::on_device:
      return WorkKind::copy_on_device;
    default:
      return WorkKind::copy_to_device;
  }
}

CudaStatus fault_status(traces::WorkFault fault) {
  switch (fault) {
    case traces::WorkFault::illegal_address:
      return CudaStatus::illegal_address;
    case traces::WorkFault::launch_failure:
      return CudaStatus::launch_failure;
    default:
      return CudaStatus::success;
  }
}

bool is_question(traces::ProgramEventKind kind) {
  return kind == traces::ProgramEventKind::stream_query ||
         kind == traces::ProgramEventKind::event_query;
}

}  // namespace

bool StreamProgram::begin(const Event& event, std::uint64_t number) {
  const streams::ThreadId thread{event.thread};
  std::optional<streams::Time> at;
  if (event.time_ns) at = streams::Time{*event.time_ns};
  if (!streams_.begin_call(thread, at)) return false;
  number_ = number;
  last_call_[event.thread] = number;
  return true;
}

StreamAt StreamProgram::known_stream(StreamAt stream) {
  if (stream.stream.value == 0 || streams_.has_stream(stream)) return stream;
  if (!declares_streams_)
    streams_.create_stream(stream, {.is_blocking = false});
  else if (!declared_.contains(stream))
    throw ProgramError("stream " + std::to_string(stream.stream.value) +
                       " is used and was never created");
  return stream;
}

StreamAt StreamProgram::stream_of(const Event& event) {
  return known_stream({event.device.value, event.stream});
}

/// An event that nobody declares goes where it is recorded.
void StreamProgram::know_event(const Event& event, EventId id) {
  if (declares_events_) {
    if (!streams_.has_event(id) && !declared_events_.contains(id))
      throw ProgramError("event " + std::to_string(id.value) + " is used and was never created");
    return;
  }
  const auto [known, is_new] = event_devices_.try_emplace(id, event.device.value);
  const bool moves = event.kind == Kind::event_record && known->second != event.device.value;
  if (!is_new && !moves) return;
  if (moves) streams_.destroy_event(id);
  known->second = event.device.value;
  streams_.create_event(id, event.device.value, /*has_timing=*/true);
}

streams::BlockNumber StreamProgram::accessed_block(const Event& event) const {
  if (const auto block = accesses_.block_of(event.id)) return *block;
  throw ProgramError("work is to use the id " + std::to_string(event.id) +
                     ", which nothing ever had");
}

void StreamProgram::note(const Event& event, CudaStatus status) {
  if (is_question(event.kind)) answers_.push_back({number_, event.kind, status, 0});
  if (status != CudaStatus::success && status != CudaStatus::not_ready)
    refused_.push_back({number_, event.kind, status});
}

void StreamProgram::apply(const Event& event) {
  switch (event.kind) {
    case Kind::reads:
      if (accesses_.are_asked_for()) accesses_.add_read(stream_of(event), accessed_block(event));
      return;
    case Kind::writes:
      if (accesses_.are_asked_for()) accesses_.add_write(stream_of(event), accessed_block(event));
      return;
    case Kind::work:
    case Kind::copy:
    case Kind::memset:
    case Kind::host_function:
    case Kind::flag_write:
    case Kind::flag_wait:
      return submit(event);
    case Kind::event_elapsed:
      return ask_elapsed(event);
    case Kind::stream_create:
    case Kind::stream_from_pool:
    case Kind::stream_destroy:
    case Kind::stream_done:
    case Kind::stream_sync:
    case Kind::stream_query:
    case Kind::stream_wait:
    case Kind::device_sync:
      return note(event, apply_to_stream(event));
    case Kind::event_create:
    case Kind::event_destroy:
    case Kind::event_record:
    case Kind::event_wait:
    case Kind::event_sync:
    case Kind::event_query:
      return note(event, apply_to_event(event));
    case Kind::capture_begin:
    case Kind::capture_end:
    case Kind::capture_mode:
    case Kind::graph_launch:
    case Kind::graph_destroy:
      return note(event, apply_to_graph(event));
    default:
      return;
  }
}

Work StreamProgram::work_of(const Event& event) const {
  Work work{
      .duration = {event.duration_ns}, .flag = {event.flag}, .value = event.value, .tag = number_};
  switch (event.kind) {
    case Kind::copy:
      work.kind = copy_kind(event.direction);
      work.blocks_host = event.pageable;
      break;
    case Kind::memset:
      work.kind = WorkKind::memset;
      break;
    case Kind::host_function:
      work.kind = WorkKind::host_function;
      break;
    case Kind::flag_write:
      work.kind = WorkKind::write_flag;
      break;
    case Kind::flag_wait:
      work.kind = WorkKind::await_flag;
      break;
    default:
      work.fault = fault_status(event.fault);
      break;
  }
  return work;
}

void StreamProgram::submit(const Event& event) {
  const StreamAt stream = stream_of(event);
  const bool is_captured = streams_.capture_of(stream).has_value();
  if (accesses_.are_asked_for()) accesses_.begin_work(number_, stream, event.stack);
  note(event, streams_.submit(stream, work_of(event)));
  // The work that a graph was captured of is asked about at every launch.
  if (!is_captured) accesses_.forget_work(number_);
}

CudaStatus StreamProgram::apply_to_stream(const Event& event) {
  const StreamAt own{event.device.value, event.stream};
  switch (event.kind) {
    case Kind::stream_create:
      if (own.stream.value != 0 && streams_.has_stream(own) && !declared_.contains(own))
        throw ProgramError("stream " + std::to_string(own.stream.value) +
                           " is created after it was used");
      declares_streams_ = true;
      declared_.insert(own);
      return streams_.create_stream(
          own, {.is_blocking = !event.non_blocking, .priority = event.priority});
    case Kind::stream_from_pool:
      declares_streams_ = true;
      declared_.insert(own);
      // Taken before, it is another name of the same stream.
      if (streams_.has_stream(own)) return CudaStatus::success;
      return streams_.create_stream(own, {.is_blocking = false, .priority = event.priority});
    case Kind::stream_destroy:
      return streams_.destroy_stream(stream_of(event));
    case Kind::stream_done:
    case Kind::stream_sync:
      return streams_.synchronize_stream(stream_of(event));
    case Kind::stream_query:
      return streams_.query_stream(stream_of(event));
    case Kind::stream_wait:
      return wait_for_stream(event);
    default:
      return streams_.synchronize_device(event.device.value);
  }
}

/// As PyTorch does it: an event is recorded on the one and waited for by the other.
CudaStatus StreamProgram::wait_for_stream(const Event& event) {
  const StreamAt waited = known_stream({event.device.value, event.for_stream});
  const StreamAt stream = stream_of(event);
  return wait_for_other_stream(streams_, stream, waited, {UINT64_MAX}, number_);
}

CudaStatus StreamProgram::apply_to_event(const Event& event) {
  if (event.kind == Kind::event_create) {
    if (event_devices_.contains(event.event))
      throw ProgramError("event " + std::to_string(event.event.value) +
                         " is created after it was used");
    declares_events_ = true;
    declared_events_.insert(event.event);
    return streams_.create_event(event.event, event.device.value, !event.no_timing);
  }
  know_event(event, event.event);
  switch (event.kind) {
    case Kind::event_destroy:
      return streams_.destroy_event(event.event);
    case Kind::event_record:
      return streams_.record_event(event.event, stream_of(event), number_);
    case Kind::event_wait:
      return streams_.wait_for_event(stream_of(event), event.event, number_);
    case Kind::event_sync:
      return streams_.synchronize_event(event.event);
    default:
      return streams_.query_event(event.event);
  }
}

CudaStatus StreamProgram::apply_to_graph(const Event& event) {
  switch (event.kind) {
    case Kind::capture_begin:
      return streams_.begin_capture(stream_of(event), capture_mode(event.mode));
    case Kind::capture_end:
      return streams_.end_capture(stream_of(event), {event.graph});
    case Kind::graph_launch:
      return streams_.launch_graph({event.graph}, stream_of(event), number_);
    case Kind::graph_destroy:
      return streams_.destroy_graph({event.graph});
    default:
      streams_.exchange_capture_mode(capture_mode(event.mode));
      return CudaStatus::success;
  }
}

void StreamProgram::ask_elapsed(const Event& event) {
  know_event(event, event.event);
  know_event(event, event.from_event);
  const streams::ElapsedTime elapsed = streams_.elapsed(event.from_event, event.event);
  answers_.push_back({number_, event.kind, elapsed.status, elapsed.ns});
  note(event, elapsed.status);
}

Deadlock StreamProgram::finish() {
  Deadlock deadlock;
  const std::vector<streams::StuckThread> threads = streams_.finish();
  if (streams_.lost_context() != CudaStatus::success) return deadlock;
  for (const streams::StuckThread& stuck : threads)
    deadlock.threads.push_back({stuck.thread, last_call_.at(stuck.thread.value), stuck.since});
  deadlock.work = streams_.stuck_work();
  return deadlock;
}

using streams::StreamAt;

namespace {

// Names that no program gives.
/// The stream on which flags are written.
constexpr StreamId writing_stream{~0ULL - 3};

streams::FlagId flag_of(std::size_t stream_number) { return {~std::uint64_t{stream_number}}; }

}  // namespace

void WorkGates::hold_back(StreamAt stream) {
  const StreamAt known = streams_.known_stream(stream);
  Pieces& pieces = pieces_.try_emplace(stream, Pieces{.flag = flag_of(pieces_.size()), .held = {}})
                       .first->second;
  streams_.streams().submit(known, {.kind = streams::WorkKind::await_flag,
                                    .flag = pieces.flag,
                                    .value = ++pieces.submitted,
                                    .tag = streams_.number()});
  pieces.held.push_back({pieces.submitted, order_.last_issued()});
}

void WorkGates::stream_is_done(StreamAt stream) {
  Clocks clocks;
  order_.add_clocks_of_next(stream, clocks);
  let_go_before(clocks);
}

void WorkGates::event_is_done(EventId event) {
  Clocks clocks;
  order_.add_clock_of_event(event, clocks);
  let_go_before(clocks);
}

void WorkGates::device_is_done(std::uint32_t device) {
  Clocks clocks;
  for (const auto& [stream, pieces] : pieces_)
    if (stream.device == device) order_.add_clocks_of_next(stream, clocks);
  let_go_before(clocks);
  // Work that was put on streams that are gone.
  for (auto& [stream, pieces] : pieces_)
    if (stream.device == device && !pieces.held.empty()) {
      pieces.held.clear();
      let_go(stream, pieces.submitted);
    }
}

/// Clocks change as soon as something is put on a stream: first all is found, then let go.
void WorkGates::let_go_before(const Clocks& clocks) {
  std::vector<std::pair<StreamAt, std::uint64_t>> found;
  for (auto& [stream, pieces] : pieces_) {
    std::uint64_t last = 0;
    for (; !pieces.held.empty() && is_covered(pieces.held.front().epoch, clocks);
         pieces.held.pop_front())
      last = pieces.held.front().value;
    if (last > 0) found.emplace_back(stream, last);
  }
  for (const auto& [stream, last] : found) let_go(stream, last);
}

void WorkGates::let_go(StreamAt stream, std::uint64_t value) {
  const StreamAt writing{stream.device, writing_stream};
  if (!streams_.streams().has_stream(writing))
    streams_.streams().create_stream(writing, {.is_blocking = false});
  streams_.streams().submit(writing, {.kind = streams::WorkKind::write_flag,
                                      .flag = pieces_.at(stream).flag,
                                      .value = value,
                                      .tag = streams_.number()});
}

}  // namespace vramlab::replay
