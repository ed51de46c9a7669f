// TimedFreeOrder: the order of frees on streams in virtual time. Whether the device got to a place
// is asked of the streams; what comes behind what is followed in the program's own words, as their
// watcher.
#pragma once

#include <set>

#include "streams/order/free_order.h"
#include "streams/order/program_order.h"

namespace vramlab::streams {

class TimedFreeOrder final : public FreeOrder, public StreamWatcher {
 public:
  /// Those that tell this one what happens. Before anything is asked.
  void watch(TimedStreams& streams) { streams_ = &streams; }

  /// The place of what was issued last.
  Epoch last_issued() const { return last_issued_; }
  /// The clocks of all that the stream, or the event's latest record, is behind.
  void add_clocks_of_next(StreamAt stream, std::vector<const VectorClock*>& clocks) const {
    order_.add_clocks_of_next(stream, clocks);
  }
  void add_clock_of_event(EventId event, std::vector<const VectorClock*>& clocks) const {
    order_.add_clock_of_event(event, clocks);
  }

  FreePoint free_point(StreamAt stream) override;
  bool is_over(const FreePoint& point) const override { return streams_->has_passed(point.mark); }
  bool is_known_to_host(const FreePoint& point) override;
  bool is_same_stream(const FreePoint& point, StreamAt stream) const override {
    return order_.is_line_of(stream, point.epoch.line);
  }
  NextOnStream next_on(StreamAt stream) override;
  bool is_behind(const FreePoint& point, const NextOnStream& next) const override {
    return is_covered(point.epoch, next.clocks);
  }
  [[nodiscard]] bool make_follow(StreamAt stream, const FreePoint& point) override;

  void issued(const IssuedItem& item) override;
  void stream_follows(StreamAt stream, StreamAt before) override {
    order_.stream_follows(stream, before);
  }
  void event_recorded(EventId event, StreamAt stream) override {
    order_.event_recorded(event, stream);
  }
  void stream_follows_event(StreamAt stream, EventId event) override {
    order_.stream_follows_event(stream, event);
  }
  void thread_follows_stream(ThreadId thread, StreamAt stream) override;
  void thread_follows_event(ThreadId thread, EventId event) override;
  void graph_launched(const CapturedGraph& graph, GraphId name, StreamAt stream) override {
    order_.graph_launched(graph, name, stream);
  }
  void stream_created(StreamAt stream, StreamKind kind) override {
    order_.stream_created(stream, kind);
  }
  void stream_destroyed(StreamAt stream) override { order_.stream_destroyed(stream); }
  void event_destroyed(EventId event) override { order_.event_destroyed(event); }
  void graph_destroyed(GraphId graph) override { order_.graph_destroyed(graph); }

 private:
  TimedStreams* streams_ = nullptr;
  ProgramOrder order_;
  std::set<ThreadId> threads_;
  Epoch last_issued_;
};

}  // namespace vramlab::streams
