#include "streams/timed_streams.h"

#include <algorithm>
#include <utility>

#include "allocator/check.h"

namespace vramlab::streams {

using allocator::EventId;
using allocator::StreamId;

TimedStreams::TimedStreams(const StreamModel& model, StreamWatcher& watcher)
    : model_(model),
      watcher_(watcher),
      engine_(*this, model.limits.hardware_queues == 0 ? WorkEngine::Begins::not_followed
                                                       : WorkEngine::Begins::followed) {}

// Threads.

bool TimedStreams::begin_call(ThreadId thread, std::optional<Time> not_before) {
  if (!waiting_threads_.empty() && !resume(thread)) return false;
  // Where a thread waited in vain, time has gone on to where nothing more could happen.
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
  std::map<StreamAt, const Item*> first;
  for (const Item& item : items_) {
    if (!item.is_pending) continue;
    const Item*& known = first[streams_[item.stream].name];
    if (known == nullptr || item.number < known->number) known = &item;
  }
  std::vector<StuckWork> stuck;
  for (const auto& [stream, item] : first) {
    stuck.push_back({stream, item->tag, std::nullopt});
    if (is_awaiting_flag(*item)) stuck.back().awaited = FlagId{item->subject};
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
  const auto found = stream_places_.find(stream);
  return found == stream_places_.end() ? nullptr : &streams_[found->second];
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
  stream_places_[stream.name] = place;
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
  if (const CaptureBook::Member* member = captures_.find(stream))
    return invalidate(*member->capture, CudaStatus::stream_capture_unsupported);
  Stream& destroyed = streams_[stream_places_.at(stream)];
  destroyed.is_destroyed = true;
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
  bool is_captured = false;
  for (const auto& [stream, member] : captures_.members()) {
    if (stream.device != device) continue;
    member.capture->is_invalidated = true;
    is_captured = true;
  }
  if (is_captured) return CudaStatus::stream_capture_unsupported;
  if (const CudaStatus status = check_unsafe_call(); status != CudaStatus::success) return status;
  std::vector<WorkRef> ends;
  for (const std::uint32_t place : device_at(device).streams) {
    ends.push_back(streams_[place].last);
    watcher_.thread_follows_stream(caller_, name_in_orders(streams_[place]));
  }
  wait_here(std::move(ends));
  return CudaStatus::success;
}

// Work.

CudaStatus TimedStreams::submit(StreamAt stream, const Work& work) {
  if (const CudaStatus status = check_use(stream); status != CudaStatus::success) return status;
  const std::uint32_t place = stream_places_.at(stream);
  if (CaptureBook::Member* member = captures_.find(stream)) {
    if (work.blocks_host)
      return invalidate(*member->capture, CudaStatus::stream_capture_unsupported);
    CaptureBook::add_node(*member, {work, stream, streams_[place].priority, {}});
    return CudaStatus::success;
  }
  const WorkRef item = put_work(place, work);
  engine_.submit(item);
  if (work.blocks_host) {
    wait_here({item});
    watcher_.thread_follows_stream(caller_, stream);
  }
  return CudaStatus::success;
}

PlaceIndex TimedStreams::place_of(const Device& device, WorkKind kind) const {
  switch (kind) {
    case WorkKind::kernel:
    case WorkKind::copy_on_device:
    case WorkKind::memset:
      return device.kernels;
    case WorkKind::copy_to_device:
      return device.copies_in;
    case WorkKind::copy_to_host:
      return device.copies_out;
    case WorkKind::host_function:
      return device.host_functions;
    case WorkKind::write_flag:
    case WorkKind::await_flag:
      return any_place;
  }
  return any_place;
}

WorkRef TimedStreams::put_work(std::uint32_t stream, const Work& work) {
  const Stream& on = streams_[stream];
  const WorkRef item = add_on_place(ItemKind::work, stream, {work, on.name, on.priority, {}});
  put(stream, item);
  watcher_.issued({item.number, ItemKind::work, on.name, caller_, engine_.now(), work.tag, &work});
  return item;
}

WorkRef TimedStreams::add_on_place(ItemKind kind, std::uint32_t stream, const CapturedNode& node) {
  const Work& work = node.work;
  const bool has_flag = work.kind == WorkKind::write_flag || work.kind == WorkKind::await_flag;
  const WorkRef item = add_item({.kind = kind,
                                 .work = work.kind,
                                 .fault = work.fault,
                                 .stream = stream,
                                 .tag = work.tag,
                                 .subject = work.flag.value,
                                 .value = work.value},
                                {.duration = has_flag ? Duration{} : work.duration,
                                 .place = place_of(device_at(node.stream.device), work.kind),
                                 .priority = node.priority});
  if (work.kind == WorkKind::await_flag) await_flag(work, item);
  return item;
}

void TimedStreams::await_flag(const Work& work, WorkRef item) {
  Flag& flag = flags_[work.flag];
  if (flag.value >= work.value) return;
  flag.waiting.emplace_back(work.value, item);
  engine_.hold(item);
}

WorkRef TimedStreams::add_item(const Item& item, NewWork work) {
  if (free_items_.empty()) {
    free_items_.push_back(static_cast<std::uint32_t>(items_.size()));
    items_.emplace_back();
  }
  work.tag = free_items_.back();
  free_items_.pop_back();
  work.arrival = engine_.now() + model_.launch_latency;
  const WorkRef added = engine_.add(work);
  items_[work.tag] = item;
  items_[work.tag].number = added.number;
  items_[work.tag].is_pending = true;
  return added;
}

/// A mark on the stream that takes no time of its own.
WorkRef TimedStreams::put_mark(std::uint32_t stream, ItemKind kind, std::uint64_t subject,
                               std::uint64_t tag) {
  const WorkRef item =
      add_item({.kind = kind, .stream = stream, .tag = tag, .subject = subject}, {});
  put(stream, item);
  watcher_.issued({item.number, kind, streams_[stream].name, caller_, engine_.now(), tag, nullptr});
  return item;
}

/// The next on the stream, behind all that must come before it. The watcher hears of that before it
/// hears of the item.
void TimedStreams::put(std::uint32_t stream, WorkRef item) {
  Stream& on = streams_[stream];
  Device& device = device_at(on.name.device);
  engine_.follow(item, on.last);
  if (on.is_legacy)
    follow_blocking_streams(device, item);
  else if (on.is_blocking)
    follow_legacy_stream(device, on, stream, item);
  if (!device.queue_ends.empty()) {
    WorkRef& before = device.queue_ends[on.queue];
    engine_.follow_begin(item, before);
    before = item;
  }
  on.last = item;
}

void TimedStreams::follow_blocking_streams(Device& device, WorkRef item) {
  const StreamAt legacy = streams_[device.legacy].name;
  for (const std::uint32_t place : device.ahead) {
    streams_[place].is_ahead = false;
    engine_.follow(item, streams_[place].last);
    watcher_.stream_follows(legacy, name_in_orders(streams_[place]));
  }
  device.ahead.clear();
}

void TimedStreams::follow_legacy_stream(Device& device, Stream& stream, std::uint32_t place,
                                        WorkRef item) {
  if (const Stream& legacy = streams_[device.legacy];
      stream.followed_legacy != legacy.last.number) {
    stream.followed_legacy = legacy.last.number;
    engine_.follow(item, legacy.last);
    watcher_.stream_follows(stream.name, legacy.name);
  }
  if (stream.is_ahead) return;
  stream.is_ahead = true;
  device.ahead.push_back(place);
}

// What ended.

void TimedStreams::work_ended(const EndedWork& work) {
  const Item item = items_[work.tag];
  items_[work.tag].is_pending = false;
  free_items_.push_back(static_cast<std::uint32_t>(work.tag));
  watcher_.ended(
      {work.number, item.kind, streams_[item.stream].name, item.tag, work.begin, work.end});
  if (item.kind == ItemKind::event_record) {
    note_record({item.subject}, work);
  } else if (item.kind == ItemKind::work || item.kind == ItemKind::graph_node) {
    if (item.work == WorkKind::write_flag) write_flag({item.subject}, item.value);
    if (is_sticky(item.fault)) lose_context(item.fault);
  }
}

void TimedStreams::note_record(EventId event, const EndedWork& work) {
  const auto found = events_.find(event.value);
  // Else it was destroyed, or recorded again since.
  if (found != events_.end() && found->second.record.number == work.number)
    found->second.at = work.end;
}

void TimedStreams::write_flag(FlagId id, std::uint64_t value) {
  Flag& flag = flags_[id];
  flag.value = std::max(flag.value, value);
  std::erase_if(flag.waiting, [&](const auto& waiting) {
    if (waiting.first > flag.value) return false;
    engine_.let_go(waiting.second);
    return true;
  });
}

void TimedStreams::lose_context(CudaStatus why) {
  lost_ = why;
  engine_.stop();
}

}  // namespace vramlab::streams
