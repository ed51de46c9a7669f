// VerifyRun: a recorded history through the engine. Segment addresses, the device's grants and the
// completion of waiting frees come from the recording; everything else is the engine's: which
// block, when memory is asked for and how much, which units are mapped and released. Each address
// is chosen before the recorded one is looked at.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "replay/recording/explained_history.h"
#include "replay/recording/fidelity.h"
#include "replay/recording/placement_walk.h"
#include "replay/recording/recorded_calls.h"
#include "replay/recording/recorded_device.h"
#include "replay/recording/release_rules.h"

namespace vramlab::replay {

class VerifyRun : private allocator::Director {
 public:
  /// Needs all of `explained` but the findings of the run. All must outlive this.
  VerifyRun(const DeviceHistory& history, const ExplainedHistory& explained,
            const VerifyConditions& conditions);
  ~VerifyRun() override;

  /// Counts and the first difference; the label is for others.
  DeviceFidelity run();
  /// Releases taken from the recording, by index of their call.
  const std::vector<std::size_t>& unexplained_calls() const { return unexplained_calls_; }
  /// Requires: the run is over.
  FollowedCalls take_found() { return std::move(found_); }
  /// Follows all calls. Whether nothing was cached in the device's own pools before each of the
  /// given calls, which are named by their first events.
  bool caches_nothing_before(const std::vector<std::size_t>& calls);
  /// Follows only the calls up to the one that the last of the first `event_count` events belongs
  /// to.
  Snapshot state_after(std::size_t event_count);

 private:
  /// The request or release under way.
  struct Call {
    std::size_t index = 0;
    std::size_t end = 0;
    /// Frees not completed yet.
    std::size_t next_completion = 0;
    allocator::Search search;
    bool has_missed = false;
    bool cache_emptied = false;
    unsigned garbage_passes = 0;
    bool is_out_of_memory = false;
    /// The device had no reason to refuse the request.
    bool had_room = false;
    /// Its search missed before any free completed.
    bool missed_at_first = false;
    /// The releases are those of everything cached.
    bool releases_all = false;
  };

  /// A search that a request may have made.
  struct Candidate {
    allocator::Search search;
    /// It missed at some time while frees completed.
    bool has_missed = false;
  };

  void adopt_start();
  void follow_noted_up_to(std::size_t last);
  void allow_share(const traces::NotedCall& call);
  void begin_call(std::size_t index);
  void follow(std::size_t index);
  void set_settings(std::size_t index);
  void follow_free(const RecordedCall& call);
  void follow_release(std::size_t index);
  void follow_request(std::size_t index);
  void request_memory(std::size_t index);
  void run_out_of_memory(std::size_t event);
  bool explains(const Candidate& candidate);
  std::vector<allocator::Search> searches_of(std::size_t index) const;

  void compare_request(std::size_t index, Bytes requested);
  void complete_until(std::size_t event);
  void complete_frees_of(std::size_t first, std::size_t end);
  void complete_head();
  bool completes_late(std::size_t event) const;
  void await(std::size_t event);
  void note_waiting_at_head();
  std::size_t first_segment_call() const;
  void explain_releases();
  bool has_completions_at_head() const;
  bool retry_after_waiting();
  bool gets_new_memory() const;
  bool empty_cache_first();
  bool empty_cache_before_request();
  void note_misses();
  bool end_pool_first();
  void take_releases();
  bool ages_are_known() const;
  bool prefers_garbage() const;
  bool device_was_full_for(const allocator::Search& search, std::size_t event) const;
  bool collects_by_shape(const Candidate& candidate);
  bool release_as_recorded(std::size_t index);
  std::vector<PooledRelease> expected_releases() const;
  ReleaseRules::Ending ending() const;
  void compare_segment_calls();
  void note_device_difference();
  double garbage_threshold() const;
  void compare_sums(const RecordedCall& call);
  void compare_final_segments(const std::vector<SnapshotSegment>& replayed);
  void compare_final_blocks();
  void count_segment_calls();
  void note(std::size_t event, const std::string& text);
  PoolId pool_of(std::size_t event) const;

  void note_garbage_limit();
  void note_refusal();
  bool search_has_failed() override;
  unsigned garbage_passes() override;
  bool may_attempt() override;
  bool goes_on() override;
  bool releases_everything(std::vector<PoolId>& pools) override;

  const DeviceHistory& history_;
  const ExplainedHistory& explained_;
  const SettingsInTime& in_time_;
  const ReferenceVersion& version_;
  RecordedDevice device_;
  ReplayEngine engine_;
  ReleaseRules rules_;
  DeviceFidelity fidelity_;
  Call call_;
  /// Reserved, as the recorded entries up to now add up.
  Bytes recorded_reserved_;
  /// Searches that missed before each completion, for an out-of-memory whose pool is not known.
  std::vector<Candidate> candidates_;
  /// From recorded to replayed addresses, for blocks that the replay placed elsewhere.
  std::map<Address, Address> moved_;
  std::vector<std::size_t> unexplained_calls_;
  std::size_t next_noted_ = 0;
  FollowedCalls found_;
  GarbageLimits garbage_limits_;
};

}  // namespace vramlab::replay
