// StreamWatcher: hears what happens on the streams, and what comes before what by the program's
// words, whenever it happened. Functions that are not overridden do nothing.
#pragma once

#include <cstdint>
#include <span>

#include "allocator/types/check.h"
#include "streams/stream_model/open_captures.h"
#include "streams/stream_model/work.h"

namespace vramlab::streams {

/// In orders, these names stand for all streams of the device that were destroyed: their work still
/// runs, and their own names may be taken again.
inline constexpr StreamId destroyed_blocking_streams{~0ULL};
inline constexpr StreamId destroyed_other_streams{~0ULL - 1};

/// A stream that waits for all streams of the device each time an event is recorded behind them.
inline constexpr StreamId all_streams{~0ULL - 2};

/// Blocking streams and their device's legacy stream wait for each other.
enum class StreamKind : std::uint8_t { blocking, non_blocking };

enum class ItemKind : std::uint8_t {
  work,
  event_record,
  event_wait,
  graph_begin,
  graph_node,
  graph_end,
  /// For the allocator, which asks later whether the stream got there.
  mark,
};

/// One thing on a stream. Numbers grow in the order of issue.
struct IssuedItem {
  std::uint64_t number = 0;
  ItemKind kind = ItemKind::work;
  StreamAt stream;
  ThreadId thread;
  Time issued;
  std::uint64_t tag = 0;
  /// For work and nodes that are work, else null.
  const Work* work = nullptr;
};

struct EndedItem {
  std::uint64_t number = 0;
  ItemKind kind = ItemKind::work;
  StreamAt stream;
  std::uint64_t tag = 0;
  Time begin;
  Time end;
};

/// A thread goes on when all of these have ended.
struct ThreadWait {
  ThreadId thread;
  Time since;
  std::span<const std::uint64_t> items;
};

class StreamWatcher : public Interface {
 public:
  /// An item was issued outside of captures. It is behind everything that its stream was given
  /// before and everything that its thread follows. Whatever else its stream follows because of it
  /// is told before.
  virtual void issued(const IssuedItem& /*item*/) {}
  virtual void ended(const EndedItem& /*item*/) {}

  // Orders: a stream stands for all that it was given so far. Its next item comes behind what it
  // follows, and so does everything behind that item; work it was given before does not.
  virtual void stream_follows(StreamAt /*stream*/, StreamAt /*before*/) {}
  virtual void event_recorded(EventId /*event*/, StreamAt /*stream*/) {}
  /// The stream follows the event's latest record; not told where it was not recorded.
  virtual void stream_follows_event(StreamAt /*stream*/, EventId /*event*/) {}
  /// The thread goes on knowing that the work of the stream ended.
  virtual void thread_follows_stream(ThreadId /*thread*/, StreamAt /*stream*/) {}
  virtual void thread_follows_event(ThreadId /*thread*/, EventId /*event*/) {}
  /// Told only where something has not ended yet.
  virtual void thread_waits(const ThreadWait& /*wait*/) {}
  /// Told between the graph_begin and the graph_end of this stream.
  virtual void graph_launched(const CapturedGraph& /*graph*/, GraphId /*name*/,
                              StreamAt /*stream*/) {}
  // The node that was issued last records an event, or follows its latest record.
  virtual void node_recorded(EventId /*event*/) {}
  virtual void node_follows_event(EventId /*event*/) {}

  /// Not told of legacy streams.
  virtual void stream_created(StreamAt /*stream*/, StreamKind /*kind*/) {}

  // Ends: nothing new is told of these. The same name may be given to another later.
  virtual void stream_destroyed(StreamAt /*stream*/) {}
  virtual void event_destroyed(EventId /*event*/) {}
  /// Told also where another graph takes its name.
  virtual void graph_destroyed(GraphId /*graph*/) {}
};

}  // namespace vramlab::streams
