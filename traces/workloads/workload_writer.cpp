#include "traces/workloads/workload_writer.h"

#include <algorithm>
#include <utility>

#include "allocator/types/check.h"

namespace vramlab::traces {
namespace {

/// The time that the host needs for a call, and for launching a kernel.
constexpr std::uint64_t call_ns = 400;
constexpr std::uint64_t launch_ns = 4'000;

}  // namespace

WorkloadWriter::WorkloadWriter(ProgramSink& sink, SnapshotTables& tables, std::uint64_t seed)
    : sink_(sink), tables_(tables), jitter_(seed) {}

ProgramEvent WorkloadWriter::event_of(ProgramEventKind kind) const {
  ProgramEvent event;
  event.kind = kind;
  event.time_ns = host_ns_;
  event.stack = stack_;
  return event;
}

void WorkloadWriter::write(ProgramEvent event) {
  sink_.program_event(event);
  ++event_count_;
  host_ns_ += event.kind == ProgramEventKind::work ? launch_ns : call_ns;
}

void WorkloadWriter::write_text(ProgramEventKind kind, std::string_view text) {
  ProgramEvent event = event_of(kind);
  event.text = tables_.texts.intern(text);
  write(event);
}

void WorkloadWriter::write_of_pool(ProgramEventKind kind, PoolId pool) {
  ProgramEvent event = event_of(kind);
  event.pool = pool;
  write(event);
}

/// The event has the size and the stream that its kind has; both are 0 otherwise.
void WorkloadWriter::write_of_memory(ProgramEventKind kind, const Tensor& memory, StreamId stream) {
  ProgramEvent event = event_of(kind);
  event.id = memory.id;
  event.bytes = memory.size;
  event.stream = stream;
  write(event);
}

Tensor WorkloadWriter::malloc(Bytes size, StreamId stream) {
  check(size.count != 0, "a tensor of a workload has a size");
  const Tensor made{++last_id_, size};
  write_of_memory(ProgramEventKind::malloc, made, stream);
  return made;
}

void WorkloadWriter::free(Tensor tensor) {
  check(tensor.id != 0, "what is freed was allocated");
  write_of_memory(ProgramEventKind::free, {tensor.id, {}});
}

void WorkloadWriter::free_all(std::vector<Tensor>& tensors) {
  for (; !tensors.empty(); tensors.pop_back()) free(tensors.back());
}

void WorkloadWriter::use(Tensor tensor, StreamId stream) {
  write_of_memory(ProgramEventKind::use, {tensor.id, {}}, stream);
}

Tensor WorkloadWriter::pin(Bytes size) {
  check(size.count != 0, "pinned memory of a workload has a size");
  const Tensor made{++last_pinned_id_, size};
  write_of_memory(ProgramEventKind::host_malloc, made);
  return made;
}

void WorkloadWriter::unpin(Tensor pinned) {
  check(pinned.id != 0, "what is freed was pinned");
  write_of_memory(ProgramEventKind::host_free, {pinned.id, {}});
}

void WorkloadWriter::copy_pinned(Tensor pinned, StreamId stream) {
  ProgramEvent copy = event_of(ProgramEventKind::copy);
  copy.stream = stream;
  copy.duration_ns = copy_ns(pinned.size);
  std::uint64_t& ready = ready_ns(stream);
  ready = std::max(ready, host_ns_) + copy.duration_ns;
  write(copy);
  write_of_memory(ProgramEventKind::host_use, {pinned.id, {}}, stream);
}

std::uint64_t& WorkloadWriter::ready_ns(StreamId stream) {
  if (ready_ns_.size() <= stream.value) ready_ns_.resize(as_index(stream.value + 1));
  return ready_ns_[as_index(stream.value)];
}

void WorkloadWriter::work(std::uint64_t duration_ns, StreamId stream) {
  ProgramEvent event = event_of(ProgramEventKind::work);
  event.stream = stream;
  event.duration_ns = duration_ns + jitter_.below(duration_ns / 32 + 1);
  if (captures_) {
    captured_ns_ += event.duration_ns;
  } else {
    std::uint64_t& ready = ready_ns(stream);
    ready = std::max(ready, host_ns_) + event.duration_ns;
  }
  write(event);
}

void WorkloadWriter::wait_for(StreamId waiting, StreamId waited) {
  // Events are used again, as programs do it.
  constexpr std::uint64_t different_events = 256;
  ProgramEvent event = event_of(ProgramEventKind::event_record);
  event.event = {1 + wait_count_++ % different_events};
  event.stream = waited;
  write(event);
  event.kind = ProgramEventKind::event_wait;
  event.time_ns = host_ns_;
  event.stream = waiting;
  write(event);
  const std::uint64_t done = ready_ns(waited);
  ready_ns(waiting) = std::max(ready_ns(waiting), done);
}

void WorkloadWriter::synchronize() {
  for (const std::uint64_t ready : ready_ns_) host_ns_ = std::max(host_ns_, ready);
  for (std::size_t stream = 0; stream < ready_ns_.size(); ++stream) {
    if (ready_ns_[stream] == 0) continue;
    ProgramEvent event = event_of(ProgramEventKind::stream_done);
    event.stream = {stream};
    write(event);
  }
}

void WorkloadWriter::capture_begin(StreamId stream) {
  ProgramEvent event = event_of(ProgramEventKind::capture_begin);
  event.stream = stream;
  write(event);
  captures_ = true;
  captured_ns_ = 0;
}

std::uint64_t WorkloadWriter::capture_end(StreamId stream) {
  ProgramEvent event = event_of(ProgramEventKind::capture_end);
  event.stream = stream;
  write(event);
  captures_ = false;
  return captured_ns_;
}

void WorkloadWriter::pool_begin(PoolId pool) {
  ProgramEvent event = event_of(ProgramEventKind::pool_begin);
  event.pool = pool;
  event.scope = ScopeStreams::capturing_streams;
  write(event);
}

Tensor WorkloadWriter::compute(Bytes size, std::uint64_t duration_ns, StreamId stream) {
  const Tensor result = malloc(size, stream);
  work(duration_ns, stream);
  return result;
}

Tensor WorkloadWriter::compute(const CallSite& site, Bytes size, std::uint64_t duration_ns,
                               StreamId stream) {
  const CallScope at(*this, site);
  return compute(size, duration_ns, stream);
}

void WorkloadWriter::enter(const CallSite& site) {
  FrameValue frame;
  frame.name = tables_.texts.intern(site.function);
  frame.filename = tables_.texts.intern(site.file);
  frame.line = site.line;
  for (const KnownText key : {KnownText::name, KnownText::filename, KnownText::line})
    frame.keys.add(key);
  frames_.push_back(tables_.frames.intern(frame));
  stack_frames_.assign(frames_.rbegin(), frames_.rend());
  stack_ = tables_.stacks.intern(stack_frames_);
}

void WorkloadWriter::leave(StackId stack_before) {
  frames_.pop_back();
  stack_ = stack_before;
}

}  // namespace vramlab::traces
