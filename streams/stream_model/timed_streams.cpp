#include "streams/stream_model/timed_streams.h"

#include <algorithm>
#include <utility>

#include "allocator/types/check.h"

namespace vramlab::streams {

TimedStreams::TimedStreams(const StreamModel& model, StreamWatcher& watcher)
    : model_(model),
      watcher_(watcher),
      engine_(*this, model.limits.hardware_queues == 0 ? WorkEngine::Begins::not_followed
                                                       : WorkEngine::Begins::followed) {}

// Threads.

bool TimedStreams::begin_call(ThreadId thread, std::optional<Time> not_before) {
  if (!waiting_threads_.empty() && !resume(thread)) return false;
  // If a thread waited in vain, time has gone on to where nothing more could happen.
  const Time earliest = std::max(not_before.value_or(Time{}), engine_.now());
  const Time at = clocks_.begin_call(thread, earliest);
  clocks_.pass(thread, model_.call_time);
  engine_.advance(at);
  caller_ = thread;
  return true;
}

/// What the thread waits for ends first.
bool TimedStreams::resume(ThreadId thread) {
  const auto found = waiting_threads_.find(thread);
  if (found == waiting_threads_.end()) return true;
  for (const WorkRef work : found->second.awaited)
    if (!engine_.run_until_ended(work) && lost_ == CudaStatus::success) return false;
  clocks_.wait_until(thread, engine_.now());
  waiting_threads_.erase(found);
  return true;
}

/// The thread that calls waits for these.
void TimedStreams::wait_here(std::vector<WorkRef> awaited) {
  std::erase_if(awaited, [this](WorkRef work) { return engine_.has_ended(work); });
  if (awaited.empty()) return;
  tell_wait(awaited);
  const auto [found, is_new] = waiting_threads_.try_emplace(caller_);
  WaitingThread& waiting = found->second;
  if (is_new) waiting.since = engine_.now();
  waiting.awaited.insert(waiting.awaited.end(), awaited.begin(), awaited.end());
}

void TimedStreams::tell_wait(const std::vector<WorkRef>& awaited) {
  std::vector<std::uint64_t> items;
  for (const WorkRef work : awaited)
    if (!engine_.has_ended(work)) items.push_back(work.number);
  if (!items.empty()) watcher_.thread_waits({caller_, engine_.now(), items});
}

std::vector<StuckThread> TimedStreams::finish() {
  engine_.run();
  std::vector<StuckThread> stuck;
  if (lost_ != CudaStatus::success) return stuck;
  for (const auto& [thread, waiting] : waiting_threads_)
    if (std::ranges::any_of(waiting.awaited,
                            [this](WorkRef work) { return !engine_.has_ended(work); }))
      stuck.push_back({thread, waiting.since});
  return stuck;
}

std::vector<StuckWork> TimedStreams::stuck_work() const {
  std::map<StreamAt, WorkRef> first;
  for (std::uint32_t slot = 0; slot < items_.size(); ++slot) {
    const Item& item = items_[slot];
    if (!item.is_pending) continue;
    WorkRef& known = first[streams_[item.stream].name];
    if (known.number == 0 || item.number < known.number) known = {item.number, slot};
  }
  std::vector<StuckWork> stuck;
  for (const auto& [stream, work] : first) {
    const Item& item = items_[work.slot];
    stuck.push_back({stream, engine_.tag_of(work), std::nullopt});
    if (is_awaiting_flag(item)) stuck.back().awaited = FlagId{item.subject};
  }
  return stuck;
}

bool TimedStreams::is_awaiting_flag(const Item& item) const {
  const bool is_work = item.kind == ItemKind::work || item.kind == ItemKind::graph_node;
  if (!is_work || item.work != WorkKind::await_flag) return false;
  const auto flag = flags_.find(FlagId{item.subject});
  return flag == flags_.end() || flag->second.value < item.value;
}

// Streams.

const TimedStreams::Stream* TimedStreams::find_stream(StreamAt stream) const {
  const std::uint32_t place = stream_places_.find(stream);
  return place == no_place ? nullptr : &streams_[place];
}

TimedStreams::Device& TimedStreams::device_at(std::uint32_t device) {
  const auto [found, is_new] = devices_.try_emplace(device);
  Device& made = found->second;
  if (!is_new) return made;
  const ConcurrencyLimits& limits = model_.limits;
  const auto places = [this](std::uint32_t count) {
    return count == 0 ? any_place : engine_.add_places(count);
  };
  made.kernels = places(limits.kernels);
  const std::uint32_t each_way = std::min(limits.copy_engines, 1U);
  made.copies_in = places(each_way);
  made.copies_out = limits.copy_engines == 1 ? made.copies_in : places(each_way);
  made.host_functions = places(limits.host_functions);
  made.queue_ends.resize(limits.hardware_queues);
  made.legacy = add_stream(made, {.name = {device, {0}}, .is_legacy = true});
  return made;
}

std::uint32_t TimedStreams::add_stream(Device& device, const Stream& stream) {
  const auto place = static_cast<std::uint32_t>(streams_.size());
  streams_.push_back(stream);
  if (const std::uint32_t queues = model_.limits.hardware_queues; queues > 0)
    streams_.back().queue = device.next_queue++ % queues;
  streams_.back().device = &device;
  stream_places_.set(stream.name, place);
  device.streams.push_back(place);
  return place;
}

CudaStatus TimedStreams::create_stream(StreamAt stream, const StreamTraits& traits) {
  if (lost_ != CudaStatus::success) return lost_;
  Device& device = device_at(stream.device);
  if (find_stream(stream) != nullptr) return CudaStatus::invalid_value;
  add_stream(device, {.name = stream,
                      .priority = std::clamp(traits.priority, greatest_priority, 0),
                      .is_blocking = traits.is_blocking});
  watcher_.stream_created(stream,
                          traits.is_blocking ? StreamKind::blocking : StreamKind::non_blocking);
  return CudaStatus::success;
}

CudaStatus TimedStreams::destroy_stream(StreamAt stream) {
  if (lost_ != CudaStatus::success) return lost_;
  const Stream* found = find_stream(stream);
  if (found == nullptr || found->is_legacy) return CudaStatus::invalid_resource_handle;
  if (const OpenCaptures::Member* member = captures_.find(stream))
    return invalidate(*member->capture, CudaStatus::stream_capture_unsupported);
  Stream& destroyed = streams_[stream_places_.find(stream)];
  destroyed.is_destroyed = true;
  device_at(stream.device).has_destroyed_streams = true;
  watcher_.stream_follows(name_in_orders(destroyed), stream);
  watcher_.stream_destroyed(stream);
  stream_places_.erase(stream);
  return CudaStatus::success;
}

StreamAt TimedStreams::name_in_orders(const Stream& stream) {
  if (!stream.is_destroyed) return stream.name;
  return {stream.name.device,
          stream.is_blocking ? destroyed_blocking_streams : destroyed_other_streams};
}

CudaStatus TimedStreams::query_stream(StreamAt stream) {
  if (const CudaStatus status = check_outside_use(stream); status != CudaStatus::success)
    return status;
  for (const WorkRef work : ends_of(stream))
    if (!engine_.has_ended(work)) return CudaStatus::not_ready;
  tell_known(stream);
  return CudaStatus::success;
}

CudaStatus TimedStreams::synchronize_stream(StreamAt stream) {
  if (const CudaStatus status = check_outside_use(stream); status != CudaStatus::success)
    return status;
  wait_here(ends_of(stream));
  tell_known(stream);
  return CudaStatus::success;
}

/// What has to end for all of the stream to have ended. The legacy stream speaks for those that
/// wait for it, too.
std::vector<WorkRef> TimedStreams::ends_of(StreamAt stream) {
  const Stream& asked = *find_stream(stream);
  std::vector<WorkRef> ends{asked.last};
  if (asked.is_legacy)
    for (const std::uint32_t ahead : device_at(stream.device).ahead)
      ends.push_back(streams_[ahead].last);
  return ends;
}

void TimedStreams::tell_known(StreamAt stream) {
  watcher_.thread_follows_stream(caller_, stream);
  if (!find_stream(stream)->is_legacy) return;
  for (const std::uint32_t ahead : device_at(stream.device).ahead)
    watcher_.thread_follows_stream(caller_, name_in_orders(streams_[ahead]));
}

CudaStatus TimedStreams::synchronize_device(std::uint32_t device) {
  if (lost_ != CudaStatus::success) return lost_;
  if (const CudaStatus status = refuse_captures_on(device); status != CudaStatus::success)
    return status;
  if (const CudaStatus status = check_unsafe_call(); status != CudaStatus::success) return status;
  wait_here(ends_of_device(device));
  return CudaStatus::success;
}

/// What concerns all of the device's streams.
CudaStatus TimedStreams::refuse_captures_on(std::uint32_t device) {
  CudaStatus status = CudaStatus::success;
  for (const auto& [stream, member] : captures_.members())
    if (stream.device == device)
      status = invalidate(*member.capture, CudaStatus::stream_capture_unsupported);
  return status;
}

/// The ends of all streams, destroyed ones too; the thread follows them from now on. Destroyed ones
/// that are done are done with.
std::vector<WorkRef> TimedStreams::ends_of_device(std::uint32_t device) {
  std::vector<WorkRef> ends;
  std::vector<std::uint32_t>& streams = device_at(device).streams;
  for (const std::uint32_t place : streams) {
    ends.push_back(streams_[place].last);
    if (!streams_[place].is_destroyed)
      watcher_.thread_follows_stream(caller_, streams_[place].name);
  }
  if (device_at(device).has_destroyed_streams)
    for (const StreamId grave : {destroyed_blocking_streams, destroyed_other_streams})
      watcher_.thread_follows_stream(caller_, {device, grave});
  std::erase_if(streams, [this](std::uint32_t place) {
    return streams_[place].is_destroyed && engine_.has_ended(streams_[place].last);
  });
  return ends;
}

}  // namespace vramlab::streams
