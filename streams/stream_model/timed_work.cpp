// TimedStreams: what is put on streams, behind what, and what follows when it ends.
#include <algorithm>

#include "streams/stream_model/timed_streams.h"

namespace vramlab::streams {

CudaStatus TimedStreams::submit(StreamAt stream, const Work& work) {
  if (const CudaStatus status = check_use(stream); status != CudaStatus::success) return status;
  const std::uint32_t place = stream_places_.find(stream);
  if (OpenCaptures::Member* member = captures_.find(stream)) {
    if (work.blocks_host)
      return invalidate(*member->capture, CudaStatus::stream_capture_unsupported);
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

/// A mark on the stream that takes no time of its own.
WorkRef TimedStreams::put_mark(std::uint32_t stream, ItemKind kind, std::uint64_t subject,
                               std::uint64_t tag) {
  const WorkRef item = add_item({.kind = kind, .stream = stream, .subject = subject}, {.tag = tag});
  put(stream, item);
  watcher_.issued({item.number, kind, streams_[stream].name, caller_, engine_.now(), tag, nullptr});
  return item;
}

/// The next on the stream, behind all that must come before it. The watcher hears of that before it
/// hears of the item.
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

// What ended.

void TimedStreams::work_ended(const EndedWork& work) {
  Item& item = items_[work.work.slot];
  item.is_pending = false;
  watcher_.ended(
      {work.work.number, item.kind, streams_[item.stream].name, work.tag, work.begin, work.end});
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

}  // namespace vramlab::streams
