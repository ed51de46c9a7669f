// TimedFreeOrder: the order of frees on streams in virtual time. Whether the device got to a place
// is asked of the streams; what comes behind what is followed in the program's own words, as their
// watcher.
#pragma once

#include "streams/happens_before/free_order.h"
#include "streams/happens_before/program_order.h"

namespace vramlab::streams {

class TimedFreeOrder final : public FreeOrder, public ProgramOrder {
 public:
  /// Those that tell this one what happens. Before anything is asked.
  void watch(TimedStreams& streams) { streams_ = &streams; }

  /// The place of what was issued last.
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
