// WorkGates: work of a program that says itself when its streams are done, on streams in virtual
// time. Each piece waits for a flag of its stream; when the program says that a stream, an event or
// a device is done, all that this was behind is let go, on whatever stream it is.
#pragma once

#include <deque>
#include <map>

#include "replay/replayer/stream_program.h"
#include "streams/happens_before/free_order.h"

namespace vramlab::replay {

class WorkGates {
 public:
  /// Both must outlive it, and the order is to watch the streams.
  WorkGates(StreamProgram& streams, streams::TimedFreeOrder& order)
      : streams_(streams), order_(order) {}

  /// Requires: the stream does not capture.
  void hold_back(streams::StreamAt stream);

  void stream_is_done(streams::StreamAt stream);
  void event_is_done(EventId event);
  void device_is_done(std::uint32_t device);

 private:
  struct Piece {
    std::uint64_t value = 0;
    streams::Epoch epoch;
  };
  struct Pieces {
    streams::FlagId flag;
    std::uint64_t submitted = 0;
    std::deque<Piece> held;
  };
  using Clocks = std::vector<const streams::VectorClock*>;

  void let_go_before(const Clocks& clocks);
  void let_go(streams::StreamAt stream, std::uint64_t value);

  StreamProgram& streams_;
  streams::TimedFreeOrder& order_;
  std::map<streams::StreamAt, Pieces> pieces_;
};

}  // namespace vramlab::replay
