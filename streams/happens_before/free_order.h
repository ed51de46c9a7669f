// FreeOrder: what a stream-ordered pool asks about the memory that was given back to it: whether
// the device, the host, or another stream is behind that place by now.
#pragma once

#include <vector>

#include "allocator/types/check.h"
#include "streams/happens_before/vector_clock.h"
#include "streams/stream_model/timed_streams.h"

namespace vramlab::streams {

/// The place on a stream from which on memory is free.
struct FreePoint {
  StreamAt stream;
  StreamMark mark;
  /// The same place in the order of the program.
  Epoch epoch;
};

/// What a stream does next, with the clocks of all that comes before it. Good until the program
/// goes on.
struct NextOnStream {
  StreamAt stream;
  std::vector<const VectorClock*> clocks;
};

class FreeOrder : public Interface {
 public:
  /// Behind everything that the stream was given so far.
  virtual FreePoint free_point(StreamAt stream) = 0;
  /// The device got there.
  virtual bool is_over(const FreePoint& point) const = 0;
  /// A host thread waited for it, or for what comes behind it.
  virtual bool is_known_to_host(const FreePoint& point) const = 0;
  /// What is put on the stream now is behind it on the same stream.
  virtual bool is_same_stream(const FreePoint& point, StreamAt stream) const = 0;
  /// Found once for all the places that a request asks about.
  virtual NextOnStream next_on(StreamAt stream) = 0;
  /// It is behind that place because of events, or of what the host waited for.
  virtual bool is_behind(const FreePoint& point, const NextOnStream& next) const = 0;
  /// Makes the stream wait for the place, or for a later one of the same stream. False where that
  /// can't be.
  [[nodiscard]] virtual bool make_follow(StreamAt stream, const FreePoint& point) = 0;
};

}  // namespace vramlab::streams
