#include "streams/stream_model/timed_streams.h"

#include <algorithm>
#include <utility>

#include "allocator/types/check.h"
#include "allocator/types/device.h"

namespace vramlab::streams {

TimedStreams::TimedStreams(const StreamModel& model, StreamWatcher& watcher)
    : model_(model),
      watcher_(watcher),
      engine_(*this, model.limits.hardware_queues == 0 ? WorkEngine::Begins::not_followed
                                                       : WorkEngine::Begins::followed) {}

// Threads.

bool TimedStreams::begin_call(ThreadId thread, std::optional<Time> not_before) {
  if (!waiting_threads_.empty() && !resume(thread)) return false;
  // If a thread waited in vain, time has gone on to the end of all that could happen.
  const Time earliest = std::max(not_before.value_or(Time{}), engine_.now());
  const Time at = clocks_.begin_call(thread, earliest);
  clocks_.pass(thread, model_.call_time);
  engine_.advance(at);
  caller_ = thread;
  return true;
}

/// Lets the work that the thread waits for end first.
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
  captures_.leave(stream);
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

/// The work that has to end for all of the stream to have ended. The legacy stream speaks for
/// blocking streams, too.
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

/// A call that concerns all of the device's streams disturbs the captures on them.
CudaStatus TimedStreams::refuse_captures_on(std::uint32_t device) {
  CudaStatus status = CudaStatus::success;
  for (const auto& [stream, member] : captures_.members())
    if (stream.device == device)
      status = invalidate(*member.capture, CudaStatus::stream_capture_unsupported);
  return status;
}

/// The ends of all streams, destroyed ones too; the thread follows them from now on. Destroyed
/// streams whose work is done are forgotten.
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

// Work: it is put on streams behind other work, and other work follows when it ends.

CudaStatus TimedStreams::submit(StreamAt stream, const Work& work) {
  if (const CudaStatus status = check_use(stream); status != CudaStatus::success) return status;
  const std::uint32_t place = stream_places_.find(stream);
  if (OpenCaptures::Member* member = captures_.find(stream)) {
    OpenCaptures::add_node(*member, {work, stream, streams_[place].priority, {}});
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

PlaceIndex TimedStreams::place_of(const Device& device, WorkKind kind) {
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
  const WorkRef item = add_on_place(ItemKind::work, stream, {work, *on.device, on.priority});
  put(stream, item);
  watcher_.issued({item.number, ItemKind::work, on.name, caller_, engine_.now(), work.tag, &work});
  return item;
}

WorkRef TimedStreams::add_on_place(ItemKind kind, std::uint32_t stream, const PlacedWork& placed) {
  const Work& work = placed.work;
  const bool has_flag = work.kind == WorkKind::write_flag || work.kind == WorkKind::await_flag;
  const WorkRef item = add_item({.kind = kind,
                                 .work = work.kind,
                                 .fault = work.fault,
                                 .stream = stream,
                                 .subject = work.flag.value,
                                 .value = work.value},
                                {.duration = has_flag ? Duration{} : work.duration,
                                 .place = place_of(placed.device, work.kind),
                                 .priority = placed.priority,
                                 .tag = work.tag});
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
  work.arrival = engine_.now() + model_.launch_latency;
  const WorkRef added = engine_.add(work);
  if (added.slot >= items_.size()) items_.resize(added.slot + 1);
  Item& kept = items_[added.slot] = item;
  kept.number = added.number;
  kept.is_pending = true;
  return added;
}

/// Puts a mark on the stream, which takes no time of its own.
WorkRef TimedStreams::put_mark(std::uint32_t stream, ItemKind kind, std::uint64_t subject,
                               std::uint64_t tag) {
  const WorkRef item = add_item({.kind = kind, .stream = stream, .subject = subject}, {.tag = tag});
  put(stream, item);
  watcher_.issued({item.number, kind, streams_[stream].name, caller_, engine_.now(), tag, nullptr});
  return item;
}

/// Puts an item on the stream, behind all that must come before it. The watcher hears of those
/// before it hears of the item.
void TimedStreams::put(std::uint32_t stream, WorkRef item) {
  Stream& on = streams_[stream];
  Device& device = *on.device;
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

// The end of work.

void TimedStreams::work_ended(const EndedWork& work) {
  Item& item = items_[work.work.slot];
  item.is_pending = false;
  watcher_.ended(
      {work.work.number, item.kind, streams_[item.stream].name, work.tag, work.begin, work.end});
  if (item.kind == ItemKind::event_record || item.is_record) {
    note_record({item.subject}, work);
  } else if (item.kind == ItemKind::work || item.kind == ItemKind::graph_node) {
    if (item.work == WorkKind::write_flag) write_flag({item.subject}, item.value);
    if (is_sticky(item.fault)) lose_context(item.fault);
  }
}

void TimedStreams::note_record(EventId event, const EndedWork& work) {
  const auto found = events_.find(event.value);
  // Otherwise it was destroyed, or recorded again since.
  if (found != events_.end() && found->second.record.number == work.work.number)
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

// Events, and the marks that the allocator asks for.

CudaStatus TimedStreams::create_event(EventId event, std::uint32_t device, bool has_timing) {
  if (lost_ != CudaStatus::success) return lost_;
  const auto [made, is_new] =
      events_.try_emplace(event.value, Event{.device = device, .has_timing = has_timing});
  if (is_new) made->second.number = ++event_count_;
  return is_new ? CudaStatus::success : CudaStatus::invalid_value;
}

CudaStatus TimedStreams::destroy_event(EventId event) {
  if (lost_ != CudaStatus::success) return lost_;
  if (events_.erase(event.value) == 0) return CudaStatus::invalid_resource_handle;
  watcher_.event_destroyed(event);
  return CudaStatus::success;
}

CudaStatus TimedStreams::record_event(EventId event, StreamAt stream, std::uint64_t tag) {
  if (lost_ != CudaStatus::success) return lost_;
  const auto found = events_.find(event.value);
  if (found == events_.end() || found->second.device != stream.device)
    return CudaStatus::invalid_resource_handle;
  if (const CudaStatus status = check_use(stream); status != CudaStatus::success) return status;
  Event& recorded = found->second;
  if (const OpenCaptures::Member* member = captures_.find(stream)) {
    recorded.capture = member->capture->id;
    recorded.captured_after = member->tips;
    return CudaStatus::success;
  }
  recorded.capture.reset();
  recorded.at.reset();
  recorded.is_recorded = true;
  const std::uint32_t place = stream_places_.find(stream);
  recorded.record = put_mark(place, ItemKind::event_record, event.value, tag);
  // Once submitted, it may end at once: everything else is told before.
  watcher_.event_recorded(event, stream);
  engine_.submit(recorded.record);
  return CudaStatus::success;
}

/// Records the event on a stream of its own, behind the latest work of every other stream.
CudaStatus TimedStreams::record_device_event(EventId event, std::uint32_t device,
                                             std::uint64_t tag) {
  if (lost_ != CudaStatus::success) return lost_;
  const auto found = events_.find(event.value);
  if (found == events_.end() || found->second.device != device)
    return CudaStatus::invalid_resource_handle;
  if (const CudaStatus status = refuse_captures_on(device); status != CudaStatus::success)
    return status;
  const StreamAt all{device, all_streams};
  Device& of = device_at(device);
  if (find_stream(all) == nullptr) add_stream(of, {.name = all, .is_blocking = false});
  const std::uint32_t place = stream_places_.find(all);
  const WorkRef item = put_mark(place, ItemKind::event_wait, event.value, tag);
  for (const std::uint32_t other : of.streams) {
    if (other == place) continue;
    engine_.follow(item, streams_[other].last);
    watcher_.stream_follows(all, name_in_orders(streams_[other]));
  }
  engine_.submit(item);
  return record_event(event, all, tag);
}

CudaStatus TimedStreams::wait_for_event(StreamAt stream, EventId event, std::uint64_t tag) {
  if (lost_ != CudaStatus::success) return lost_;
  const auto found = events_.find(event.value);
  if (found == events_.end()) return refuse_event(stream);
  if (const CudaStatus status = check_use(stream); status != CudaStatus::success) return status;
  const Event& awaited = found->second;
  if (awaited.capture) return join_capture(stream, awaited);
  if (!awaited.is_recorded) return CudaStatus::success;
  if (const OpenCaptures::Member* member = captures_.find(stream))
    return invalidate(*member->capture, CudaStatus::stream_capture_isolation);
  const std::uint32_t place = stream_places_.find(stream);
  const WorkRef item = put_mark(place, ItemKind::event_wait, event.value, tag);
  engine_.follow(item, awaited.record);
  watcher_.stream_follows_event(stream, event);
  engine_.submit(item);
  return CudaStatus::success;
}

CudaStatus TimedStreams::record_event_in_graph(EventId event, StreamAt stream, std::uint64_t tag) {
  if (lost_ != CudaStatus::success) return lost_;
  const auto found = events_.find(event.value);
  if (found == events_.end() || found->second.device != stream.device)
    return CudaStatus::invalid_resource_handle;
  return capture_event(EventUse::record, stream, event, tag);
}

CudaStatus TimedStreams::wait_for_event_in_graph(StreamAt stream, EventId event,
                                                 std::uint64_t tag) {
  if (lost_ != CudaStatus::success) return lost_;
  const auto found = events_.find(event.value);
  if (found == events_.end()) return refuse_event(stream);
  OpenCaptures::Member* member = captures_.find(stream);
  if (member != nullptr && found->second.capture && find_valid_capture(found->second) == nullptr)
    return invalidate(*member->capture, CudaStatus::invalid_value);
  return capture_event(EventUse::wait, stream, event, tag);
}

/// Requires: the event is there.
CudaStatus TimedStreams::capture_event(EventUse use, StreamAt stream, EventId event,
                                       std::uint64_t tag) {
  if (const CudaStatus status = check_use(stream); status != CudaStatus::success) return status;
  OpenCaptures::Member* member = captures_.find(stream);
  if (member == nullptr) return CudaStatus::illegal_state;
  CapturedNode node{{.tag = tag}, stream, find_stream(stream)->priority, {}};
  node.external = {use, event, events_.at(event.value).number};
  OpenCaptures::add_node(*member, std::move(node));
  return CudaStatus::success;
}

CudaStatus TimedStreams::query_event(EventId event) {
  if (const CudaStatus status = check_event_use(event); status != CudaStatus::success)
    return status;
  const Event& asked = events_.at(event.value);
  if (!engine_.has_ended(asked.record)) return CudaStatus::not_ready;
  if (asked.is_recorded) watcher_.thread_follows_event(caller_, event);
  return CudaStatus::success;
}

CudaStatus TimedStreams::synchronize_event(EventId event) {
  if (const CudaStatus status = check_event_use(event); status != CudaStatus::success)
    return status;
  const Event& awaited = events_.at(event.value);
  if (!awaited.is_recorded) return CudaStatus::success;
  wait_here({awaited.record});
  watcher_.thread_follows_event(caller_, event);
  return CudaStatus::success;
}

/// For calls that ask about an event, or wait for it, on the host.
CudaStatus TimedStreams::check_event_use(EventId event) {
  if (lost_ != CudaStatus::success) return lost_;
  const auto found = events_.find(event.value);
  if (found == events_.end()) return CudaStatus::invalid_resource_handle;
  if (!found->second.capture) return check_unsafe_call();
  Capture* capture = find_valid_capture(found->second);
  return capture == nullptr ? CudaStatus::invalid_value
                            : invalidate(*capture, CudaStatus::captured_event);
}

/// The capture that the event was recorded in; null once that is over or invalidated.
Capture* TimedStreams::find_valid_capture(const Event& event) {
  Capture* capture = captures_.find(*event.capture);
  return capture == nullptr || capture->is_invalidated ? nullptr : capture;
}

ElapsedTime TimedStreams::elapsed(EventId from, EventId to) {
  if (lost_ != CudaStatus::success) return {lost_, 0};
  for (const EventId event : {from, to}) {
    const auto found = events_.find(event.value);
    if (found == events_.end()) return {CudaStatus::invalid_resource_handle, 0};
    if (found->second.capture)
      return {find_valid_capture(found->second) == nullptr ? CudaStatus::invalid_value
                                                           : CudaStatus::captured_event,
              0};
    if (!found->second.has_timing || !found->second.is_recorded)
      return {CudaStatus::invalid_resource_handle, 0};
  }
  const Event& first = events_.at(from.value);
  const Event& second = events_.at(to.value);
  if (first.device != second.device) return {CudaStatus::invalid_resource_handle, 0};
  if (!first.at || !second.at) return {CudaStatus::not_ready, 0};
  return {CudaStatus::success, static_cast<std::int64_t>(second.at->ns - first.at->ns)};
}

StreamMark TimedStreams::put_mark(StreamAt stream) {
  Device& device = device_at(stream.device);
  if (!has_stream(stream)) add_stream(device, {.name = stream, .is_blocking = false});
  if (captures_.find(stream) != nullptr)
    throw DeviceError("an event was recorded for a block's free on stream " +
                      std::to_string(stream.stream.value) + ", which captures");
  const std::uint32_t place = stream_places_.find(stream);
  const WorkRef item = put_mark(place, ItemKind::mark, 0, 0);
  engine_.submit(item);
  return {item};
}

bool TimedStreams::wait_for_stream(StreamAt stream) {
  const Stream* found = find_stream(stream);
  if (found == nullptr) return true;
  watcher_.thread_follows_stream(caller_, stream);
  return wait_inside({found->last});
}

bool TimedStreams::wait_for_device(std::uint32_t device) {
  return wait_inside(ends_of_device(device));
}

/// The call that is being made goes on once these have ended.
bool TimedStreams::wait_inside(const std::vector<WorkRef>& awaited) {
  tell_wait(awaited);
  for (const WorkRef work : awaited)
    if (!engine_.run_until_ended(work) && lost_ == CudaStatus::success) return false;
  clocks_.wait_until(caller_, engine_.now());
  engine_.advance(clocks_.begin_call(caller_, std::nullopt));
  return true;
}

CudaStatus wait_for_other_stream(TimedStreams& streams, StreamAt stream, StreamAt waited,
                                 EventId between, std::uint64_t tag) {
  streams.create_event(between, waited.device, /*has_timing=*/false);
  CudaStatus status = streams.record_event(between, waited, tag);
  if (status == CudaStatus::success) status = streams.wait_for_event(stream, between, tag);
  streams.destroy_event(between);
  return status;
}

// Captures, calls that they forbid, and graphs. A call that is refused because of a capture
// invalidates that capture.

CudaStatus TimedStreams::invalidate(Capture& capture, CudaStatus why) {
  capture.is_invalidated = true;
  return why;
}

/// For calls that put something on a stream.
CudaStatus TimedStreams::check_use(StreamAt stream) {
  if (lost_ != CudaStatus::success) return lost_;
  if (stream.stream.value == 0) device_at(stream.device);
  if (find_stream(stream) == nullptr) return CudaStatus::invalid_resource_handle;
  if (captures_.is_empty()) return CudaStatus::success;
  if (const CudaStatus status = check_legacy(stream); status != CudaStatus::success) return status;
  const OpenCaptures::Member* member = captures_.find(stream);
  return member != nullptr && member->capture->is_invalidated
             ? CudaStatus::stream_capture_invalidated
             : CudaStatus::success;
}

/// An event that nobody made costs a capturing stream its capture when it waits for it.
CudaStatus TimedStreams::refuse_event(StreamAt stream) {
  if (const OpenCaptures::Member* member = captures_.find(stream))
    member->capture->is_invalidated = true;
  return CudaStatus::invalid_resource_handle;
}

/// For calls that ask about a stream, or wait for it, on the host.
CudaStatus TimedStreams::check_outside_use(StreamAt stream) {
  if (const CudaStatus status = check_use(stream); status != CudaStatus::success) return status;
  if (captures_.is_empty()) return CudaStatus::success;
  if (const OpenCaptures::Member* member = captures_.find(stream))
    return invalidate(*member->capture, CudaStatus::stream_capture_unsupported);
  return check_unsafe_call();
}

/// The legacy stream would wait for blocking streams that are captured.
CudaStatus TimedStreams::check_legacy(StreamAt stream) {
  if (stream.stream.value != 0) return CudaStatus::success;
  CudaStatus status = CudaStatus::success;
  for (const auto& [name, member] : captures_.members())
    if (member.is_blocking && name.device == stream.device)
      status = invalidate(*member.capture, CudaStatus::stream_capture_implicit);
  return status;
}

CudaStatus TimedStreams::check_unsafe_call() {
  if (lost_ != CudaStatus::success) return lost_;
  const auto found = thread_modes_.find(caller_);
  const CaptureMode own = found == thread_modes_.end() ? CaptureMode::global : found->second;
  if (own == CaptureMode::relaxed) return CudaStatus::success;
  CudaStatus status = CudaStatus::success;
  for (auto& [id, capture] : captures_.captures()) {
    const bool is_own = capture.thread == caller_ && capture.mode != CaptureMode::relaxed;
    const bool is_global = own == CaptureMode::global && capture.mode == CaptureMode::global;
    if (is_own || is_global) status = invalidate(capture, CudaStatus::stream_capture_unsupported);
  }
  return status;
}

CaptureMode TimedStreams::exchange_capture_mode(CaptureMode mode) {
  const auto [found, is_new] = thread_modes_.try_emplace(caller_, CaptureMode::global);
  return std::exchange(found->second, mode);
}

CudaStatus TimedStreams::begin_capture(StreamAt stream, CaptureMode mode) {
  // A capture that is under way stays as it was.
  if (lost_ == CudaStatus::success && captures_.find(stream) != nullptr)
    return CudaStatus::illegal_state;
  if (const CudaStatus status = check_use(stream); status != CudaStatus::success) return status;
  const Stream& origin = *find_stream(stream);
  if (origin.is_legacy) return CudaStatus::stream_capture_unsupported;
  captures_.begin(stream, origin.is_blocking, mode, caller_);
  return CudaStatus::success;
}

CudaStatus TimedStreams::end_capture(StreamAt stream, GraphId graph) {
  if (lost_ != CudaStatus::success) return lost_;
  if (!has_stream(stream)) return CudaStatus::invalid_resource_handle;
  if (const CudaStatus status = check_legacy(stream); status != CudaStatus::success) return status;
  const OpenCaptures::Member* member = captures_.find(stream);
  if (member == nullptr) return CudaStatus::illegal_state;
  Capture& capture = *member->capture;
  if (capture.origin != stream) return invalidate(capture, CudaStatus::stream_capture_unmatched);
  const bool is_of_thread = capture.mode == CaptureMode::relaxed || capture.thread == caller_;
  const bool is_joined = OpenCaptures::is_joined(*member);
  const bool is_invalidated = capture.is_invalidated;
  CapturedGraph captured = captures_.end(capture.id);
  if (is_invalidated) return CudaStatus::stream_capture_invalidated;
  if (!is_of_thread) return CudaStatus::stream_capture_wrong_thread;
  if (!is_joined) return CudaStatus::stream_capture_unjoined;
  define_graph(graph, std::move(captured));
  return CudaStatus::success;
}

/// A stream that waits for a captured event takes part in the capture from then on.
CudaStatus TimedStreams::join_capture(StreamAt stream, const Event& event) {
  Capture* capture = find_valid_capture(event);
  OpenCaptures::Member* member = captures_.find(stream);
  if (capture == nullptr) {
    if (member != nullptr) member->capture->is_invalidated = true;
    return CudaStatus::invalid_value;
  }
  if (member == nullptr) {
    const Stream& joining = *find_stream(stream);
    if (joining.is_legacy) return invalidate(*capture, CudaStatus::stream_capture_implicit);
    captures_.join(stream, joining.is_blocking, *capture, event.captured_after);
    return CudaStatus::success;
  }
  if (member->capture != capture) {
    member->capture->is_invalidated = true;
    return invalidate(*capture, CudaStatus::stream_capture_merge);
  }
  OpenCaptures::add_tips(*member, event.captured_after);
  return CudaStatus::success;
}

CudaStatus TimedStreams::launch_graph(GraphId graph, StreamAt stream, std::uint64_t tag) {
  if (const OpenCaptures::Member* member = captures_.find(stream);
      member != nullptr && lost_ == CudaStatus::success)
    return invalidate(*member->capture, CudaStatus::stream_capture_unsupported);
  if (const CudaStatus status = check_use(stream); status != CudaStatus::success) return status;
  const auto found = graphs_.find(graph);
  if (found == graphs_.end()) return CudaStatus::invalid_value;
  Graph& launched = found->second;
  const std::uint32_t place = stream_places_.find(stream);
  const WorkRef begin = put_mark(place, ItemKind::graph_begin, graph.value, tag);
  // A graph that still runs is waited for.
  engine_.follow(begin, launched.last_launch);
  watcher_.graph_launched(launched.graph, graph, stream);
  const std::vector<WorkRef> nodes = add_nodes(launched, place, begin);
  const WorkRef end = put_mark(place, ItemKind::graph_end, graph.value, tag);
  for (const std::uint32_t terminal : launched.terminals) engine_.follow(end, nodes[terminal]);
  launched.last_launch = end;
  // The begin is submitted last: the nodes of the graph compete as one.
  for (const WorkRef node : nodes) engine_.submit(node);
  engine_.submit(end);
  engine_.submit(begin);
  return CudaStatus::success;
}

std::vector<WorkRef> TimedStreams::add_nodes(const Graph& graph, std::uint32_t stream,
                                             WorkRef begin) {
  std::vector<WorkRef> nodes;
  nodes.reserve(graph.graph.nodes.size());
  for (const CapturedNode& node : graph.graph.nodes) {
    const bool is_work = node.external.use == EventUse::none;
    const WorkRef item = is_work ? add_node(node, stream) : add_event_node(node, stream);
    if (node.after.empty()) engine_.follow(item, begin);
    for (const std::uint32_t before : node.after) engine_.follow(item, nodes[before]);
    nodes.push_back(item);
  }
  return nodes;
}

WorkRef TimedStreams::add_node(const CapturedNode& node, std::uint32_t stream) {
  const WorkRef item = add_on_place(ItemKind::graph_node, stream,
                                    {node.work, device_at(node.stream.device), node.priority});
  watcher_.issued({item.number, ItemKind::graph_node, streams_[stream].name, caller_, engine_.now(),
                   node.work.tag, &node.work});
  return item;
}

/// An event that was destroyed since the capture is left alone.
WorkRef TimedStreams::add_event_node(const CapturedNode& node, std::uint32_t stream) {
  const auto [use, event, number] = node.external;
  const WorkRef item = add_item({.kind = ItemKind::graph_node,
                                 .stream = stream,
                                 .subject = event.value,
                                 .is_record = use == EventUse::record},
                                {.tag = node.work.tag});
  watcher_.issued({item.number, ItemKind::graph_node, streams_[stream].name, caller_, engine_.now(),
                   node.work.tag, nullptr});
  const auto found = events_.find(event.value);
  if (found == events_.end() || found->second.number != number) return item;
  Event& used = found->second;
  if (use == EventUse::record) {
    used.capture.reset();
    used.at.reset();
    used.is_recorded = true;
    used.record = item;
    watcher_.node_recorded(event);
  } else if (used.is_recorded) {
    engine_.follow(item, used.record);
    watcher_.node_follows_event(event);
  }
  return item;
}

void TimedStreams::define_graph(GraphId graph, CapturedGraph nodes) {
  NodePlaces terminals = terminals_of(nodes);
  if (graphs_.contains(graph)) watcher_.graph_destroyed(graph);
  graphs_[graph] = {std::move(nodes), std::move(terminals), {}};
}

const CapturedGraph* TimedStreams::find_graph(GraphId graph) const {
  const auto found = graphs_.find(graph);
  return found == graphs_.end() ? nullptr : &found->second.graph;
}

CudaStatus TimedStreams::destroy_graph(GraphId graph) {
  if (lost_ != CudaStatus::success) return lost_;
  if (!graphs_.contains(graph)) return CudaStatus::invalid_value;
  if (const CudaStatus status = check_unsafe_call(); status != CudaStatus::success) return status;
  forget_graph(graph);
  return CudaStatus::success;
}

bool TimedStreams::forget_graph(GraphId graph) {
  if (graphs_.erase(graph) == 0) return false;
  watcher_.graph_destroyed(graph);
  return true;
}

CudaStatus TimedStreams::check_capture_query(StreamAt stream) const {
  if (lost_ != CudaStatus::success) return lost_;
  if (!has_stream(stream)) return CudaStatus::invalid_resource_handle;
  const bool is_legacy = stream.stream.value == 0;
  return is_legacy && captures_.has_blocking_member(stream.device)
             ? CudaStatus::stream_capture_implicit
             : CudaStatus::success;
}

std::optional<StreamCapture> TimedStreams::capture_of(StreamAt stream) const {
  return captures_.capture_of(stream);
}

}  // namespace vramlab::streams
