#include "replay/stream_waits/waiting_releases.h"

namespace vramlab::replay {

WaitingReleases::WaitingReleases(const DeviceHistory& history, const RecordedCalls& calls,
                                 const std::set<std::size_t>& emptied)
    : history_(history), calls_(calls), emptied_(emptied) {
  if (!calls_.empty() && calls_.front().first == 0) begin_call(std::nullopt);
}

std::optional<std::size_t> WaitingReleases::release_in(const RecordedCall& call) const {
  const auto emptied = emptied_.lower_bound(call.first);
  if (emptied != emptied_.end() && *emptied < call.end) return *emptied;
  for (std::size_t i = call.first; i < call.end; ++i)
    if (is_release(history_.events[i].action)) return i;
  return std::nullopt;
}

void WaitingReleases::begin_call(const std::optional<WaitMoment>& now) {
  const RecordedCall& call = calls_[call_++];
  call_end_ = call.end;
  before_call_ = now;
  first_completed_.reset();
  current_.reset();
  const auto release = release_in(call);
  if (!release) return;
  current_.emplace();
  current_->call_event = call.first;
  current_->event = *release;
}

void WaitingReleases::wait_ended(const WaitingFree& free) {
  if (free.outlasts) return;
  --waiting_;
  if (!current_) return;
  if (current_->completed == 0) first_completed_ = free.ended;
  ++current_->completed;
  current_->completed_bytes += free.bytes;
}

void WaitingReleases::event_done(const WaitMoment& now) {
  if (current_ && now.event == current_->event) finish(now);
  const std::size_t next = now.event + 1;
  if (call_ < calls_.size() && calls_[call_].first == next) begin_call(now);
}

void WaitingReleases::finish(const WaitMoment& now) {
  WaitingRelease release = *current_;
  current_.reset();
  release.still_waiting = waiting_;
  if (release.completed + release.still_waiting == 0) return;
  for (std::size_t i = now.event; i < call_end_; ++i)
    if (is_release(history_.events[i].action)) release.released += history_.events[i].size;
  release.synchronised =
      release.completed > 0 && release.still_waiting == 0 && emptied_.contains(release.event);
  if (release.synchronised && !history_.traits.lacks_time) {
    release.shown_us = now.time_us - first_completed_->time_us;
    if (before_call_) release.at_most_us = now.time_us - before_call_->time_us;
  }
  found_.push_back(release);
}

}  // namespace vramlab::replay
