// ReportDetail: a second walk through a history for its report page: the states of the blocks at
// chosen steps, what the largest call sites held at the moments of the timeline, and the snapshots
// that figures over time are taken of.
#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "replay/html_report/report_states.h"
#include "replay/html_report/report_survey.h"
#include "replay/metrics/fragmentation.h"
#include "replay/recording/recorded_history.h"

namespace vramlab::replay {

// The events that a report page lists: all of a short history; of a longer one every call to the
// device, every failure and snapshot, and of requests and frees the largest.

/// Indices of so many events at most, in order. If even the calls to the device are more, the
/// first of them.
std::vector<std::size_t> choose_events(const DeviceHistory& history, std::size_t most);

/// Sorted, each once.
std::vector<HistoryStep> in_order(std::vector<HistoryStep> steps);

/// The steps at which a page shows the state: all of a history that is short enough; of a longer
/// one as many as `most_changes` changed blocks allow, spread evenly, and those in `always`.
std::vector<HistoryStep> choose_steps(HistoryStep last, std::size_t most_blocks,
                                      std::uint64_t most_changes, std::vector<HistoryStep> always);

class ReportDetail : public FollowedBlocks {
 public:
  struct Plan {
    /// All in order.
    std::vector<HistoryStep> states;
    std::vector<HistoryStep> moments;
    std::vector<HistoryStep> snapshots;
    std::vector<std::uint32_t> sites;
  };
  using SnapshotSeen =
      std::function<void(HistoryStep, const allocator::Snapshot&, const LiveBlocks&)>;

  ReportDetail(const DeviceHistory& history, const HistoryWalk& walk, PageTexts& texts, Plan plan);

  /// Is shown the snapshot of each step of the plan.
  void when_seen(SnapshotSeen seen) { seen_ = std::move(seen); }

  const ReportStates& states() const { return states_; }
  /// By site of the plan, then by moment.
  const std::vector<std::vector<std::uint64_t>>& site_bytes() const { return site_bytes_; }

 private:
  void moment_passed(const MomentFigures& figures, const PlacementBlocks& blocks) override;
  void block_changed(Change change, const LiveBlock& block) override;

  PageTexts& texts_;
  Plan plan_;
  SnapshotSeen seen_;
  std::size_t next_state_ = 0;
  std::size_t next_moment_ = 0;
  std::size_t next_snapshot_ = 0;
  SiteBytes sites_;
  std::vector<std::vector<std::uint64_t>> site_bytes_;
  ReportStates states_;
};

/// How fragmented memory is at chosen steps of a history, and which blocks pin most of it then.
class ReportFragmentation {
 public:
  ReportFragmentation(FragmentationRules rules, PageTexts& texts)
      : rules_(std::move(rules)), texts_(texts) {}

  /// In order of the steps.
  void add(HistoryStep step, const allocator::Snapshot& snapshot, const LiveBlocks& in_use);

  const std::vector<HistoryStep>& steps() const { return steps_; }
  /// Adds to the page's bytes what the JSON points to.
  nlohmann::ordered_json take(std::string& bytes) const;

 private:
  FragmentationRules rules_;
  PageTexts& texts_;
  std::vector<HistoryStep> steps_;
  std::vector<StateFigures> figures_;
  /// The beginning of each step's pinners.
  std::vector<std::uint64_t> offsets_;
  /// For each step how many, then of each: address as the distance from the one before, size,
  /// strands, released_alone, segment_size, beside, life, steps since it was handed out, node of
  /// its stack.
  PageBytes pinners_;
};

}  // namespace vramlab::replay
