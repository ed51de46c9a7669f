// FreeOrder: the questions of a stream-ordered pool about memory that was given back to it: whether
// the device, the host, or another stream is behind that place by now. TimedFreeOrder answers them
// for streams in virtual time.
#pragma once

#include <vector>

#include "allocator/types/check.h"
#include "streams/happens_before/program_order.h"
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

/// The next work of a stream, with the clocks of everything that comes before it. It is valid until
/// the program goes on.
struct NextOnStream {
  StreamAt stream;
  std::vector<const VectorClock*> clocks;
};

class FreeOrder : public Interface {
 public:
  /// The place behind everything that the stream was given so far.
  virtual FreePoint free_point(StreamAt stream) = 0;
  /// Whether the device got there.
  virtual bool is_over(const FreePoint& point) const = 0;
  /// Whether a host thread waited for it, or for work behind it.
  virtual bool is_known_to_host(const FreePoint& point) const = 0;
  /// Whether work that is put on the stream now is behind it on the same stream.
  virtual bool is_same_stream(const FreePoint& point, StreamAt stream) const = 0;
  /// Found once for all the places that a request asks about.
  virtual NextOnStream next_on(StreamAt stream) = 0;
  /// Whether that work is behind the place because of events, or because the host waited.
  virtual bool is_behind(const FreePoint& point, const NextOnStream& next) const = 0;
  /// Makes the stream wait for the place, or for a later one of the same stream. False where that
  /// can't be.
  [[nodiscard]] virtual bool make_follow(StreamAt stream, const FreePoint& point) = 0;
};

/// The order of frees on streams in virtual time. The streams say whether the device got to a
/// place; their order in the program's own words is followed as their watcher.
class TimedFreeOrder final : public FreeOrder, public ProgramOrder {
 public:
  /// The streams whose watcher this is. Requires: no question was asked before.
  void watch(TimedStreams& streams) { streams_ = &streams; }

  /// The place of the item that was issued last.
  Epoch last_issued() const { return last_issued_; }

  FreePoint free_point(StreamAt stream) override;
  bool is_over(const FreePoint& point) const override { return streams_->has_passed(point.mark); }
  bool is_known_to_host(const FreePoint& point) const override {
    return is_known_to_threads(point.epoch);
  }
  bool is_same_stream(const FreePoint& point, StreamAt stream) const override {
    return is_line_of(stream, point.epoch.line);
  }
  NextOnStream next_on(StreamAt stream) override;
  bool is_behind(const FreePoint& point, const NextOnStream& next) const override {
    return is_covered(point.epoch, next.clocks);
  }
  [[nodiscard]] bool make_follow(StreamAt stream, const FreePoint& point) override;

  void issued(const IssuedItem& item) override { last_issued_ = place_of(item).now(); }

 private:
  TimedStreams* streams_ = nullptr;
  Epoch last_issued_;
};

}  // namespace vramlab::streams
