// StreamWatcher: is told what happens on the streams, and what comes before what by the program's
// words, whenever it happened. Does nothing where a function is not overridden.
#pragma once

#include <cstdint>
#include <span>

#include "allocator/types/check.h"
#include "streams/stream_model/open_captures.h"
#include "streams/stream_model/virtual_time.h"
#include "streams/stream_model/work.h"

namespace vramlab::streams {

/// In orders, these names stand for all streams of the device that were destroyed: what was put on
/// them still runs, and their own names may be taken again.
inline constexpr StreamId destroyed_blocking_streams{~0ULL};
inline constexpr StreamId destroyed_other_streams{~0ULL - 1};

/// This one waits for all streams of the device each time an event is recorded behind all of them.
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
  /// For work and graph nodes, else null.
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
  /// Outside of captures. Behind everything that its stream was given before, and behind everything
  /// that its thread follows. What else its stream follows because of it is said before.
  virtual void issued(const IssuedItem& /*item*/) {}
  virtual void ended(const EndedItem& /*item*/) {}

  // What is said of a stream is said of all that it was given so far; what comes next follows, and
  // with it whatever comes behind that. Until then the stream is behind nothing new.
  virtual void stream_follows(StreamAt /*stream*/, StreamAt /*before*/) {}
  virtual void event_recorded(EventId /*event*/, StreamAt /*stream*/) {}
  /// The event's latest record; nothing where there is none.
  virtual void stream_follows_event(StreamAt /*stream*/, EventId /*event*/) {}
  /// The thread goes on knowing that it ended.
  virtual void thread_follows_stream(ThreadId /*thread*/, StreamAt /*stream*/) {}
  virtual void thread_follows_event(ThreadId /*thread*/, EventId /*event*/) {}
  /// Only where something has not ended yet.
  virtual void thread_waits(const ThreadWait& /*wait*/) {}
  /// Between the graph_begin and the graph_end of this stream, in this order.
  virtual void graph_launched(const CapturedGraph& /*graph*/, GraphId /*name*/,
                              StreamAt /*stream*/) {}

  /// Not said of legacy streams.
  virtual void stream_created(StreamAt /*stream*/, StreamKind /*kind*/) {}

  // What nothing new is said of. The same name may be given to another later.
  virtual void stream_destroyed(StreamAt /*stream*/) {}
  virtual void event_destroyed(EventId /*event*/) {}
  /// Also where another graph takes its name.
  virtual void graph_destroyed(GraphId /*graph*/) {}
};

}  // namespace vramlab::streams
