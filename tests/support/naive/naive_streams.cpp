// NaiveStreams: time, threads and streams.
#include "tests/support/naive/naive_streams.h"

#include <algorithm>

namespace vramlab::tests {

using namespace streams;
using allocator::EventId;

// Threads.

bool NaiveStreams::begin_call(ThreadId thread, std::optional<Time> not_before) {
  Thread& caller = threads_[thread];
  const auto is_waiting = [&] {
    return lost_ == CudaStatus::success &&
           std::ranges::any_of(caller.awaited, [&](std::size_t item) { return !has_ended(item); });
  };
  while (is_waiting()) {
    const std::optional<Time> next = next_instant();
    if (!next) return false;
    step_to(*next);
  }
  if (!caller.awaited.empty()) caller.clock = std::max(caller.clock, now_);
  caller.awaited.clear();
  const Time instant = std::max({caller.clock, not_before.value_or(Time{}), last_call_, now_});
  for (auto next = next_instant(); next && *next <= instant; next = next_instant()) step_to(*next);
  now_ = last_call_ = instant;
  caller.clock = instant + model_.call_time;
  caller_ = thread;
  return true;
}

void NaiveStreams::wait_for(const std::vector<std::size_t>& items) {
  Thread& caller = threads_[caller_];
  for (const std::size_t item : items) {
    if (has_ended(item)) continue;
    if (caller.awaited.empty()) caller.waits_since = now_;
    caller.awaited.push_back(item);
  }
}

std::vector<StuckThread> NaiveStreams::finish() {
  for (auto next = next_instant(); next; next = next_instant()) step_to(*next);
  std::vector<StuckThread> stuck;
  if (lost_ != CudaStatus::success) return stuck;
  for (const auto& [name, thread] : threads_)
    if (std::ranges::any_of(thread.awaited, [&](std::size_t item) { return !has_ended(item); }))
      stuck.push_back({name, thread.waits_since});
  return stuck;
}

std::vector<StuckWork> NaiveStreams::stuck_work() const {
  std::map<StreamAt, StuckWork> stuck;
  for (const NaiveItem& item : items_) {
    if (item.end || stuck.contains(item.stream)) continue;
    StuckWork& first = stuck[item.stream] = {item.stream, item.tag, std::nullopt};
    if (!item.work || item.work->kind != WorkKind::await_flag) continue;
    const auto flag = flags_.find(item.work->flag);
    if ((flag == flags_.end() ? 0 : flag->second) < item.work->value)
      first.awaited = item.work->flag;
  }
  std::vector<StuckWork> all;
  for (const auto& [name, first] : stuck) all.push_back(first);
  return all;
}

// Time.

std::optional<Time> NaiveStreams::next_instant() const {
  std::optional<Time> next;
  if (lost_ != CudaStatus::success) return next;
  for (const NaiveItem& item : items_) {
    if (item.end) continue;
    // Items that are held up by more than their way to the device are looked at when that ends.
    if (!item.begin && !is_let_go(item)) continue;
    const Time at = item.begin ? *item.begin + item.duration : item.arrival;
    if (at > now_ && (!next || at < *next)) next = at;
  }
  return next;
}

void NaiveStreams::step_to(Time instant) {
  now_ = instant;
  settle();
}

/// First all items end that can, with all that follows at once; then free places are given; again.
void NaiveStreams::settle() {
  do {
    do {
      begin_what_can();
    } while (end_the_first());
  } while (give_places());
}

void NaiveStreams::begin_what_can() {
  for (NaiveItem& item : items_) {
    if (item.ready || item.arrival > now_ || !is_let_go(item)) continue;
    item.ready = now_;
    if (item.place.empty()) item.begin = now_;
  }
}

/// True if only its arrival and a place hold the item up.
bool NaiveStreams::is_let_go(const NaiveItem& item) const {
  if (lost_ != CudaStatus::success) return false;
  for (const std::size_t before : item.ends_before)
    if (!items_[before].end) return false;
  for (const std::size_t before : item.begins_before)
    if (!items_[before].begin) return false;
  if (!item.work || item.work->kind != WorkKind::await_flag) return true;
  const auto flag = flags_.find(item.work->flag);
  return item.work->value == 0 || (flag != flags_.end() && flag->second >= item.work->value);
}

/// Ends the item that was issued first of all that end now.
bool NaiveStreams::end_the_first() {
  if (lost_ != CudaStatus::success) return false;
  for (NaiveItem& item : items_) {
    if (item.end || !item.begin || *item.begin + item.duration > now_) continue;
    item.end = now_;
    take_effect(item);
    return true;
  }
  return false;
}

void NaiveStreams::take_effect(const NaiveItem& item) {
  if (!item.work) return;
  if (item.work->kind == WorkKind::write_flag) {
    std::uint64_t& value = flags_[item.work->flag];
    value = std::max(value, item.work->value);
  }
  if (is_sticky(item.work->fault)) lost_ = item.work->fault;
}

/// Gives free places to the items that wait now: the best items for each kind of place.
bool NaiveStreams::give_places() {
  if (lost_ != CudaStatus::success) return false;
  std::map<std::string, std::vector<std::size_t>> waiting;
  for (std::size_t i = 0; i < items_.size(); ++i)
    if (items_[i].ready && !items_[i].begin) waiting[items_[i].place].push_back(i);
  std::vector<std::size_t> chosen;
  for (auto& [place, items] : waiting) {
    std::ranges::sort(items, [&](std::size_t a, std::size_t b) {
      return std::tuple(items_[a].priority, *items_[a].ready, a) <
             std::tuple(items_[b].priority, *items_[b].ready, b);
    });
    const std::size_t count = std::min(items.size(), free_places(place));
    for (std::size_t i = 0; i < count; ++i) chosen.push_back(items[i]);
  }
  for (const std::size_t item : chosen) items_[item].begin = now_;
  return !chosen.empty();
}

std::size_t NaiveStreams::free_places(const std::string& place) const {
  const auto taken = std::ranges::count_if(items_, [&](const NaiveItem& item) {
    return item.place == place && item.begin && !item.end;
  });
  return place_count(place) - static_cast<std::size_t>(taken);
}

std::size_t NaiveStreams::place_count(const std::string& place) const {
  if (place.ends_with("kernels")) return model_.limits.kernels;
  if (place.ends_with("host functions")) return model_.limits.host_functions;
  return 1;
}

// Streams.

std::optional<std::size_t> NaiveStreams::find_stream(StreamAt name) const {
  for (std::size_t i = 0; i < streams_.size(); ++i)
    if (streams_[i].exists && streams_[i].name == name) return i;
  return std::nullopt;
}

void NaiveStreams::add_stream(StreamAt name, const StreamTraits& traits) {
  Stream stream{.name = name,
                .is_blocking = traits.is_blocking,
                .priority = std::clamp(traits.priority, greatest_priority, 0)};
  for (const Stream& other : streams_)
    if (other.name.device == name.device) ++stream.queue;
  if (model_.limits.hardware_queues > 0) stream.queue %= model_.limits.hardware_queues;
  streams_.push_back(stream);
}

/// The legacy stream exists from the start; it is noted when its device is first named.
void NaiveStreams::make_legacy(std::uint32_t device) {
  if (!find_stream({device, {0}})) add_stream({device, {0}}, {});
}

CudaStatus NaiveStreams::create_stream(StreamAt stream, const StreamTraits& traits) {
  if (lost_ != CudaStatus::success) return lost_;
  make_legacy(stream.device);
  if (find_stream(stream)) return CudaStatus::invalid_value;
  add_stream(stream, traits);
  return CudaStatus::success;
}

CudaStatus NaiveStreams::destroy_stream(StreamAt stream) {
  if (lost_ != CudaStatus::success) return lost_;
  const auto found = find_stream(stream);
  if (!found || is_legacy(streams_[*found])) return CudaStatus::invalid_resource_handle;
  if (Capture* capture = capture_with(stream)) {
    if (capture->origin == stream) capture->is_open = false;
    capture->members.erase(stream);
  }
  streams_[*found].exists = false;
  return CudaStatus::success;
}

CudaStatus NaiveStreams::query_stream(StreamAt stream) {
  if (const CudaStatus status = check_ask(stream); status != CudaStatus::success) return status;
  return pending_of(stream).empty() ? CudaStatus::success : CudaStatus::not_ready;
}

CudaStatus NaiveStreams::synchronize_stream(StreamAt stream) {
  if (const CudaStatus status = check_ask(stream); status != CudaStatus::success) return status;
  wait_for(pending_of(stream));
  return CudaStatus::success;
}

/// The legacy stream's list also has the items that its next work would wait for.
std::vector<std::size_t> NaiveStreams::pending_of(StreamAt stream) const {
  const std::size_t asked = *find_stream(stream);
  std::vector<std::size_t> pending;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const Stream& owner = streams_[items_[i].owner];
    const bool is_covered =
        items_[i].owner == asked ||
        (is_legacy(streams_[asked]) && owner.is_blocking && owner.name.device == stream.device);
    if (is_covered && !has_ended(i)) pending.push_back(i);
  }
  return pending;
}

CudaStatus NaiveStreams::synchronize_device(std::uint32_t device) {
  if (lost_ != CudaStatus::success) return lost_;
  bool is_captured = false;
  for (Capture& capture : captures_)
    for (const auto& [stream, tips] : capture.members)
      if (capture.is_open && stream.device == device) capture.is_invalid = is_captured = true;
  if (is_captured) return CudaStatus::stream_capture_unsupported;
  if (const CudaStatus status = check_unsafe_call(); status != CudaStatus::success) return status;
  std::vector<std::size_t> pending;
  for (std::size_t i = 0; i < items_.size(); ++i)
    if (items_[i].stream.device == device && !has_ended(i)) pending.push_back(i);
  wait_for(pending);
  return CudaStatus::success;
}

// Work.

CudaStatus NaiveStreams::submit(StreamAt stream, const Work& work) {
  if (const CudaStatus status = check_put(stream); status != CudaStatus::success) return status;
  const CapturedNode node{work, stream, streams_[*find_stream(stream)].priority, {}};
  if (Capture* capture = capture_with(stream)) {
    Places& tips = capture->members[stream];
    capture->nodes.push_back(node);
    capture->nodes.back().after.assign(tips.begin(), tips.end());
    tips = {static_cast<std::uint32_t>(capture->nodes.size() - 1)};
    return CudaStatus::success;
  }
  const std::size_t item = issue(ItemKind::work, stream, work.tag);
  give_work(items_[item], node);
  order_behind_others(item);
  settle();
  if (work.blocks_host) wait_for({item});
  return CudaStatus::success;
}

std::size_t NaiveStreams::issue(ItemKind kind, StreamAt stream, std::uint64_t tag) {
  NaiveItem item;
  item.kind = kind;
  item.stream = stream;
  item.owner = *find_stream(stream);
  item.thread = caller_;
  item.issued = now_;
  item.arrival = now_ + model_.launch_latency;
  item.tag = tag;
  items_.push_back(item);
  return items_.size() - 1;
}

void NaiveStreams::give_work(NaiveItem& item, const CapturedNode& node) const {
  item.work = node.work;
  item.priority = node.priority;
  item.place = place_of(node.stream.device, node.work.kind);
  const bool is_flag =
      node.work.kind == WorkKind::write_flag || node.work.kind == WorkKind::await_flag;
  if (!is_flag) item.duration = node.work.duration;
}

std::string NaiveStreams::place_of(std::uint32_t device, WorkKind kind) const {
  const ConcurrencyLimits& limits = model_.limits;
  const std::string on = std::to_string(device);
  if (kind == WorkKind::write_flag || kind == WorkKind::await_flag) return "";
  if (kind == WorkKind::host_function)
    return limits.host_functions == 0 ? "" : on + " host functions";
  if (kind != WorkKind::copy_to_device && kind != WorkKind::copy_to_host)
    return limits.kernels == 0 ? "" : on + " kernels";
  if (limits.copy_engines == 0) return "";
  if (limits.copy_engines == 1) return on + " copies";
  return on + (kind == WorkKind::copy_to_device ? " copies in" : " copies out");
}

void NaiveStreams::order_behind_others(std::size_t item) {
  NaiveItem& later = items_[item];
  for (std::size_t i = 0; i < item; ++i) {
    const NaiveItem& earlier = items_[i];
    if (comes_before(earlier, later)) later.ends_before.push_back(i);
    const bool is_on_same_queue = model_.limits.hardware_queues > 0 &&
                                  earlier.kind != ItemKind::graph_node &&
                                  earlier.stream.device == later.stream.device &&
                                  streams_[earlier.owner].queue == streams_[later.owner].queue;
    if (is_on_same_queue) later.begins_before.push_back(i);
  }
}

/// True if their streams put the two items in order.
bool NaiveStreams::comes_before(const NaiveItem& earlier, const NaiveItem& later) const {
  if (earlier.owner == later.owner) return true;
  const Stream& first = streams_[earlier.owner];
  const Stream& second = streams_[later.owner];
  return first.name.device == second.name.device &&
         ((is_legacy(first) && second.is_blocking) || (first.is_blocking && is_legacy(second)));
}

}  // namespace vramlab::tests
