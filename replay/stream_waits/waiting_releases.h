// Releases of cached memory while frees waited. Before the allocator releases everything it waits
// for the work on other streams that frees wait for, and the program stands still; when it collects
// garbage or releases just enough it does not. Which of them a release was is what following the
// recording found out.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "replay/recording/recorded_calls.h"
#include "replay/stream_waits/waiting_frees.h"

namespace vramlab::replay {

/// One call that released cached memory while frees waited.
struct WaitingRelease {
  /// The first entry of the call.
  std::size_t call_event = 0;
  /// Its first release; where it released everything, the first one of that.
  std::size_t event = 0;
  Bytes released;
  /// Frees that waited and were completed in the call before that. Some of them may have been done
  /// without waiting.
  std::uint64_t completed = 0;
  Bytes completed_bytes;
  std::uint64_t still_waiting = 0;
  /// It waited for the work: it released everything, and nothing waited afterwards.
  bool synchronised = false;
  /// If it synchronised: the time until that release, from the first completed free, and from the
  /// entry before the call, with what the program did in between. Empty if entries have no
  /// time.
  std::optional<std::uint64_t> shown_us;
  std::optional<std::uint64_t> at_most_us;
};

class WaitingReleases : public WaitingWatcher {
 public:
  /// `emptied`: the first entries of releases of everything. All of it must outlive this.
  WaitingReleases(const DeviceHistory& history, const RecordedCalls& calls,
                  const std::set<std::size_t>& emptied);

  void wait_began(const WaitingFree&) override { ++waiting_; }
  void wait_ended(const WaitingFree& free) override;
  void event_done(const WaitMoment& now) override;

  /// In order.
  std::vector<WaitingRelease> take() { return std::move(found_); }

 private:
  /// The next call begins after this entry.
  void begin_call(const std::optional<WaitMoment>& now);
  std::optional<std::size_t> release_in(const RecordedCall& call) const;
  void finish(const WaitMoment& now);

  const DeviceHistory& history_;
  const RecordedCalls& calls_;
  const std::set<std::size_t>& emptied_;
  /// The next call.
  std::size_t call_ = 0;
  std::uint64_t waiting_ = 0;
  /// The call that is under way, until its release.
  std::size_t call_end_ = 0;
  std::optional<WaitingRelease> current_;
  std::optional<WaitMoment> before_call_;
  std::optional<WaitMoment> first_completed_;
  std::vector<WaitingRelease> found_;
};

}  // namespace vramlab::replay
