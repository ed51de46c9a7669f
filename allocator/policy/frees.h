// Frees. Completing a free: the block merges with its free neighbours and enters the free set.
// CrossStreamFrees: blocks that other streams used wait, once freed, for an event on each of those
// streams; during a capture no event may be recorded, so they are deferred.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "allocator/policy/core.h"

namespace vramlab::allocator {

/// The share of one block in the statistics of free blocks of split segments.
struct SplitBooking {
  std::int64_t count = 0;
  std::int64_t bytes = 0;
};
/// The share of a free classic block. Without a branch: whether a segment is split cannot be
/// foreseen.
inline SplitBooking booking_of(const Block& block) {
  const std::int64_t is_split = block.is_whole_segment() ? 0 : 1;
  return {is_split, static_cast<std::int64_t>(block.size().count) & -is_split};
}

/// Merges a block with its free neighbours and puts the result into the free set, in place of one
/// of them if there is one; the change in split segments is booked once. Requires: the block is in
/// no set, and in this lane.
template <class L>
void join_free_set(Core<L>& core, Lane& lane, BlockIndex index, SplitBooking booked) {
  Block& block = core.blocks[index];
  FreeBlocks::Cursor place;
  const auto find_place = [&](BlockIndex neighbour) {
    core.listeners.acted(rules::free_neighbours_merge);
    ++booked.count;
    booked.bytes += static_cast<std::int64_t>(core.blocks[neighbour].size().count);
    place = core.place_in_free_set(lane, neighbour);
  };
  if (core.is_free_before(index)) {
    find_place(block.previous());
    core.chain().absorb_previous(index);
  }
  if (core.is_free_after(index)) {
    if (place) lane.free.remove_at(place);
    find_place(block.next);
    core.chain().absorb_next(index);
  }
  block.set_use(BlockUse::free);
  if (place)
    core.enter_free_set_at(place, lane, index);
  else
    core.enter_free_set(lane, index);
  if (block.is_expandable()) return;
  const SplitBooking now = booking_of(block);
  core.listeners.inactive_split_changed(lane.kind, now.count - booked.count,
                                        now.bytes - booked.bytes);
}

/// Requires: the block is not in use and nothing is awaited for it any more.
template <class L>
void complete_free(Core<L>& core, BlockIndex index) {
  core.listeners.free_completed(core.fact_of(core.blocks[index]));
  join_free_set(core, core.lane_of(core.blocks[index]), index, {});
}

/// Gives back a block that was taken out of the free set and not handed out.
template <class L>
void put_back(Core<L>& core, BlockIndex index) {
  const Block& block = core.blocks[index];
  join_free_set(core, core.lane_of(block), index, booking_of(block));
}

enum class InCapture : bool { no, yes };

template <class L>
class CrossStreamFrees {
 public:
  explicit CrossStreamFrees(Core<L>& core) : core_(core) {}

  /// Whether no freed block waits.
  bool is_idle() const { return waiting_count_ == 0; }
  const std::vector<BlockIndex>& deferred() const { return deferred_; }
  /// Calls `look` with the block of every awaited event.
  template <class Look>
  void for_each_awaited(Look look) const {
    for (const StreamQueue& queue : queues_)
      for (const AwaitedEvent& awaited : queue.events) look(awaited.block);
  }

  /// The block is used on that stream too.
  void record_stream(BlockIndex index, StreamId stream, InCapture in_capture);
  /// Frees a block that other streams used.
  [[gnu::noinline]] void free_later(BlockIndex index, InCapture in_capture);

  /// Completes frees whose events are complete, stream by stream. Requires: no capture, in which
  /// asking about an event would be illegal.
  void process_events();
  /// Waits for every event, or for those of one private pool's blocks.
  void synchronise(const PrivatePool* only = nullptr);
  /// Records the events that captures had put off.
  void handle_deferred();

  /// Whether handling the deferred frees would leave the block waiting for events.
  /// Requires: the block waits.
  bool needs_events(BlockIndex index) const;

  /// Frees blocks that a capture has made safe for this stream: the graph orders every marker of
  /// the block before it.
  void free_reusable(StreamId stream);
  /// The pool's scope ends: blocks that wait for it need no event for uses inside the capture.
  void finish_deferred_of(const PrivatePool& pool);
  void forget_captures() { reached_.clear(); }

 private:
  struct AwaitedEvent {
    EventId event;
    BlockIndex block;
  };
  struct StreamQueue {
    StreamId stream;
    std::deque<AwaitedEvent> events;
  };
  /// With so many queues a new stream's queue takes the place of empty ones: every request looks
  /// into all queues, and a replayed recording has a stream for each free that waited.
  static constexpr std::size_t most_idle_queues = 64;

  StreamUses& uses_of(BlockIndex index) { return core_.uses[core_.blocks.notes(index).uses]; }
  std::deque<AwaitedEvent>& queue_of(StreamId stream);
  void record_events(BlockIndex index);
  void collect_markers(BlockIndex index);
  void finish_deferred(BlockIndex index);
  /// Completes the oldest event of the queue.
  void take_oldest(std::deque<AwaitedEvent>& events);
  void settle(const AwaitedEvent& over);
  void note_taken(const std::deque<AwaitedEvent>& events) {
    if (events.empty()) --queues_in_use_;
  }
  void finish(BlockIndex index);
  std::set<GraphNode>* extend_reached(StreamId stream);
  /// Handles those deferred blocks that `wanted` picks, in order; the others stay.
  template <class Wanted, class Handle>
  void handle_some(Wanted wanted, Handle handle);

  Core<L>& core_;
  std::vector<StreamQueue> queues_;
  /// Queues that are not empty.
  std::size_t queues_in_use_ = 0;
  /// Up to this mark, the first event of each queue was not complete.
  CompletionMark seen_;
  std::size_t waiting_count_ = 0;
  std::vector<BlockIndex> deferred_;
  /// Per capture and stream: the graph nodes that come before the stream's next work.
  std::map<std::pair<CaptureId, StreamId>, std::set<GraphNode>> reached_;
};

template <class L>
void CrossStreamFrees<L>::record_stream(BlockIndex index, StreamId stream, InCapture in_capture) {
  Block& block = core_.blocks[index];
  if (stream == core_.lane_of(block).stream) {
    core_.listeners.acted(rules::use_on_own_stream_is_ignored);
    return;
  }
  if (!block.has_stream_uses()) {
    block.set_stream_uses(true);
    core_.blocks.notes(index).uses = core_.uses.create();
  }
  StreamUses& uses = uses_of(index);
  add_stream(uses.streams, stream);
  if (in_capture == InCapture::yes) {
    core_.listeners.acted(rules::uses_in_capture_are_remembered);
    add_stream(uses.in_capture, stream);
  }
}

template <class L>
void CrossStreamFrees<L>::free_later(BlockIndex index, InCapture in_capture) {
  core_.blocks[index].set_use(BlockUse::waiting);
  ++waiting_count_;
  if (in_capture == InCapture::yes) {
    core_.listeners.acted(rules::free_in_capture_is_deferred);
    deferred_.push_back(index);
    if (core_.settings.graph_capture_record_stream_reuse) collect_markers(index);
    return;
  }
  try {
    record_events(index);
  } catch (const DeviceError&) {
    // The streams without an event are tried again with the deferred ones.
    deferred_.push_back(index);
    throw;
  }
}

template <class L>
auto CrossStreamFrees<L>::queue_of(StreamId stream) -> std::deque<AwaitedEvent>& {
  const auto find = [&] {
    return std::lower_bound(queues_.begin(), queues_.end(), stream,
                            [](const StreamQueue& queue, StreamId s) { return queue.stream < s; });
  };
  const auto place = find();
  if (place != queues_.end() && place->stream == stream) return place->events;
  if (queues_.size() < most_idle_queues)
    return queues_.insert(place, StreamQueue{stream, {}})->events;
  std::erase_if(queues_, [](const StreamQueue& queue) { return queue.events.empty(); });
  return queues_.insert(find(), StreamQueue{stream, {}})->events;
}

template <class L>
void CrossStreamFrees<L>::record_events(BlockIndex index) {
  StreamUses& uses = uses_of(index);
  while (!uses.streams.empty()) {
    const StreamId stream = uses.streams.front();
    core_.listeners.acted(rules::other_streams_get_events);
    const EventId event = core_.device.record_event(stream);
    uses.streams.erase(uses.streams.begin());
    ++uses.outstanding_events;
    std::deque<AwaitedEvent>& events = queue_of(stream);
    if (events.empty()) ++queues_in_use_;
    events.push_back({event, index});
    // It may be complete already.
    seen_ = {};
  }
}

template <class L>
void CrossStreamFrees<L>::collect_markers(BlockIndex index) {
  StreamUses& uses = uses_of(index);
  std::vector<StreamId> streams = uses.streams;
  add_stream(streams, core_.lane_of(core_.blocks[index]).stream);
  std::vector<GraphNode> markers;
  for (const StreamId stream : streams) {
    const auto capture = core_.device.capture_of(stream);
    // Work outside the graph cannot be ordered by it: only the end of the scope tells.
    if (!capture) return;
    markers.insert(markers.end(), capture->terminals.begin(), capture->terminals.end());
  }
  uses.markers = std::move(markers);
}

template <class L>
void CrossStreamFrees<L>::finish(BlockIndex index) {
  --waiting_count_;
  core_.blocks[index].set_stream_uses(false);
  core_.uses.destroy(core_.blocks.notes(index).uses);
  core_.blocks.notes(index).uses = UsesIndex::none;
  complete_free(core_, index);
}

template <class L>
bool CrossStreamFrees<L>::needs_events(BlockIndex index) const {
  const StreamUses& uses = core_.uses[core_.blocks.notes(index).uses];
  return uses.outstanding_events > 0 ||
         !std::includes(uses.in_capture.begin(), uses.in_capture.end(), uses.streams.begin(),
                        uses.streams.end());
}

template <class L>
void CrossStreamFrees<L>::finish_deferred(BlockIndex index) {
  core_.listeners.acted(rules::deferred_frees_are_handled);
  StreamUses& uses = uses_of(index);
  std::erase_if(uses.streams, [&uses](StreamId stream) {
    return std::binary_search(uses.in_capture.begin(), uses.in_capture.end(), stream);
  });
  uses.in_capture.clear();
  record_events(index);
  if (uses.outstanding_events == 0) finish(index);
}

template <class L>
template <class Wanted, class Handle>
void CrossStreamFrees<L>::handle_some(Wanted wanted, Handle handle) {
  std::vector<BlockIndex> todo = std::move(deferred_);
  deferred_.clear();
  std::size_t next = 0;
  try {
    for (; next < todo.size(); ++next) {
      if (wanted(todo[next]))
        handle(todo[next]);
      else
        deferred_.push_back(todo[next]);
    }
  } catch (const DeviceError&) {
    deferred_.insert(deferred_.end(), todo.begin() + static_cast<std::ptrdiff_t>(next), todo.end());
    throw;
  }
}

template <class L>
void CrossStreamFrees<L>::handle_deferred() {
  if (deferred_.empty()) return;
  handle_some([](BlockIndex) { return true; },
              [this](BlockIndex index) { finish_deferred(index); });
}

template <class L>
void CrossStreamFrees<L>::finish_deferred_of(const PrivatePool& pool) {
  handle_some([&](BlockIndex i) { return core_.lane_of(core_.blocks[i]).pool->owner == &pool; },
              [this](BlockIndex index) { finish_deferred(index); });
}

template <class L>
void CrossStreamFrees<L>::settle(const AwaitedEvent& over) {
  StreamUses& uses = uses_of(over.block);
  if (--uses.outstanding_events == 0 && uses.streams.empty()) finish(over.block);
  core_.device.forget_event(over.event);
}

template <class L>
void CrossStreamFrees<L>::take_oldest(std::deque<AwaitedEvent>& events) {
  const AwaitedEvent over = events.front();
  events.pop_front();
  note_taken(events);
  settle(over);
}

template <class L>
void CrossStreamFrees<L>::process_events() {
  handle_deferred();
  if (queues_in_use_ > 0) core_.listeners.acted(rules::events_complete_by_stream);
  if (queues_in_use_ == 0 || core_.device.none_complete_since(seen_, queues_in_use_)) return;
  for (StreamQueue& queue : queues_)
    while (!queue.events.empty() && core_.device.is_complete(queue.events.front().event))
      take_oldest(queue.events);
}

template <class L>
void CrossStreamFrees<L>::synchronise(const PrivatePool* only) {
  core_.listeners.acted(rules::synchronising_waits_for_all);
  core_.listeners.synchronised();
  handle_deferred();
  for (StreamQueue& queue : queues_) {
    std::size_t kept = 0;
    while (kept < queue.events.size()) {
      const AwaitedEvent next = queue.events[kept];
      if (only != nullptr && core_.lane_of(core_.blocks[next.block]).pool->owner != only) {
        ++kept;
        continue;
      }
      core_.device.wait_for_event(next.event);
      queue.events.erase(queue.events.begin() + static_cast<std::ptrdiff_t>(kept));
      note_taken(queue.events);
      settle(next);
    }
  }
}

template <class L>
std::set<GraphNode>* CrossStreamFrees<L>::extend_reached(StreamId stream) {
  const auto capture = core_.device.capture_of(stream);
  if (!capture || capture->terminals.empty()) return nullptr;
  std::set<GraphNode>& reached = reached_[{capture->id, stream}];
  std::vector<GraphNode> to_visit = capture->terminals;
  while (!to_visit.empty()) {
    const GraphNode node = to_visit.back();
    to_visit.pop_back();
    if (!reached.insert(node).second) continue;
    const std::vector<GraphNode> before = core_.device.dependencies_of(node);
    to_visit.insert(to_visit.end(), before.begin(), before.end());
  }
  return &reached;
}

template <class L>
void CrossStreamFrees<L>::free_reusable(StreamId stream) {
  if (deferred_.empty()) return;
  const std::set<GraphNode>* reached = extend_reached(stream);
  if (reached == nullptr) return;
  const auto is_safe = [&](BlockIndex index) {
    const std::vector<GraphNode>& markers = uses_of(index).markers;
    return core_.lane_of(core_.blocks[index]).stream == stream && !markers.empty() &&
           std::all_of(markers.begin(), markers.end(),
                       [&](GraphNode marker) { return reached->contains(marker); });
  };
  handle_some(is_safe, [this](BlockIndex index) {
    core_.listeners.acted(rules::early_reuse_in_capture);
    finish(index);
  });
}

}  // namespace vramlab::allocator
