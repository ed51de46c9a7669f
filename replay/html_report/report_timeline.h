// The timeline of an HTML report, from two walks through a history. ReportSurvey, the first one,
// has the figures over time, thinned, the call sites that held most, and how large a page with all
// states would be. ReportDetail, the second one, has the states of the blocks at chosen steps, the
// memory of the largest call sites at each moment, the largest blocks, and snapshots for figures of
// fragmentation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "replay/html_report/packed_parts.h"
#include "replay/html_report/report_blocks.h"
#include "replay/html_report/report_kinds.h"
#include "replay/html_report/report_states.h"
#include "replay/metrics/fragmentation.h"
#include "replay/metrics/memory_curve.h"
#include "replay/recording/followed_blocks.h"
#include "replay/recording/recorded_history.h"

namespace vramlab::replay {

/// The figures of a history at so few of its moments that a page can hold them, without losing a
/// peak: of each stretch of events, the moments stay at which any figure is highest or lowest, and
/// the last one. These are real moments, with all their figures.
class ThinnedMoments {
 public:
  /// Keeps about `wanted` moments; all of a history that has no more.
  ThinnedMoments(std::uint64_t event_count, std::size_t wanted);

  /// In order of their steps.
  void add(const MomentFigures& figures);
  /// The moments, once all are added.
  std::vector<MomentFigures> take();

  /// The number of events of a stretch; 1 where every moment stays.
  std::uint64_t events_per_stretch() const { return width_; }

 private:
  static constexpr std::size_t figure_count = 6;

  void finish_stretch();

  std::uint64_t width_ = 1;
  std::uint64_t stretch_ = 0;
  std::vector<MomentFigures> kept_;
  /// The moments of each figure's highest and lowest value in the current stretch.
  std::vector<MomentFigures> highest_;
  std::vector<MomentFigures> lowest_;
  MomentFigures last_;
};

/// A walk through a history that keeps up the memory of each call site, by its number in PageTexts,
/// and of each kind.
class WalkOfSites : public FollowedBlocks {
 public:
  const GroupBytes& sites() const { return sites_; }
  const ReportKinds& kinds() const { return kinds_; }
  /// `passed` is told now and then to which step the walk has come.
  void when_passed(std::function<void(HistoryStep)> passed) { passed_ = std::move(passed); }

 protected:
  WalkOfSites(const DeviceHistory& history, const HistoryWalk& walk, PageTexts& texts,
              ReportKinds kinds)
      : FollowedBlocks(history, walk), texts_(texts), kinds_(std::move(kinds)) {}

  ReportKinds& numbered_kinds() { return kinds_; }
  virtual void block_handed_out(const LiveBlock&) {}
  virtual void block_given_back(const LiveBlock&) {}
  virtual void walked_to(const MomentFigures& figures, const PlacementBlocks& blocks) = 0;

 private:
  void block_changed(Change change, const LiveBlock& block) final;
  void moment_passed(const MomentFigures& figures, const PlacementBlocks& blocks) final;

  PageTexts& texts_;
  GroupBytes sites_;
  ReportKinds kinds_;
  std::function<void(HistoryStep)> passed_;
};

class ReportSurvey : public WalkOfSites {
 public:
  struct Wanted {
    std::size_t moments;
    std::size_t blocks;
  };
  ReportSurvey(const DeviceHistory& history, const HistoryWalk& walk, PageTexts& texts,
               ReportKinds kinds, Wanted wanted);

  /// The moments, once the walk is done.
  std::vector<MomentFigures> take_moments() { return thinned_.take(); }
  std::uint64_t events_per_stretch() const { return thinned_.events_per_stretch(); }
  std::size_t most_blocks() const { return most_blocks_; }
  DrawnSizes drawn_sizes() const { return sizes_.drawn(); }
  const MomentFigures& peak_allocated() const { return peak_allocated_; }
  const MomentFigures& peak_reserved() const { return peak_reserved_; }
  const MomentFigures& last() const { return last_; }

 private:
  void walked_to(const MomentFigures& figures, const PlacementBlocks& blocks) override;
  void block_handed_out(const LiveBlock& block) override { sizes_.add(block.bytes); }

  ThinnedMoments thinned_;
  LargestSizes sizes_;
  std::size_t most_blocks_ = 0;
  MomentFigures peak_allocated_;
  MomentFigures peak_reserved_;
  MomentFigures last_;
};

/// Indices of the events that a page lists, in order, at most `most`: all of a short history; of a
/// longer one every call to the device, every failure and snapshot, and the largest requests and
/// frees. If the calls to the device are too many by themselves, the first of them.
std::vector<std::size_t> choose_events(const DeviceHistory& history, std::size_t most);

/// The steps sorted, each once.
std::vector<HistoryStep> in_order(std::vector<HistoryStep> steps);

/// The steps at which a page shows the state: all of a history that is short enough; of a longer
/// one as many as `most_changes` changed blocks allow, spread evenly, and the steps in `always`.
std::vector<HistoryStep> choose_steps(HistoryStep last, std::size_t most_blocks,
                                      std::uint64_t most_changes, std::vector<HistoryStep> always);

class ReportDetail : public WalkOfSites {
 public:
  struct Plan {
    /// All lists are in order.
    std::vector<HistoryStep> states;
    std::vector<HistoryStep> moments;
    std::vector<HistoryStep> snapshots;
    std::vector<std::uint32_t> sites;
    std::vector<std::uint32_t> kinds;
    std::vector<std::uint32_t> modules;
    DrawnSizes blocks;
  };
  using SnapshotSeen =
      std::function<void(HistoryStep, const allocator::Snapshot&, const LiveBlocks&)>;

  ReportDetail(const DeviceHistory& history, const HistoryWalk& walk, PageTexts& texts,
               ReportKinds kinds, Plan plan);

  /// `seen` is shown the snapshot of each step of the plan.
  void when_seen(SnapshotSeen seen) { seen_ = std::move(seen); }

  const ReportStates& states() const { return states_; }
  const ReportBlocks& blocks() const { return blocks_; }
  /// By group of the plan, then by moment.
  using Bands = std::vector<std::vector<std::uint64_t>>;
  const Bands& site_bytes() const { return site_bytes_; }
  const Bands& kind_bytes() const { return kind_bytes_; }
  const Bands& module_bytes() const { return module_bytes_; }

 private:
  void walked_to(const MomentFigures& figures, const PlacementBlocks& blocks) override;
  void block_handed_out(const LiveBlock& block) override { blocks_.hand_out(block, step()); }
  void block_given_back(const LiveBlock& block) override { blocks_.give_back(block, step()); }

  Plan plan_;
  SnapshotSeen seen_;
  std::size_t next_state_ = 0;
  std::size_t next_moment_ = 0;
  std::size_t next_snapshot_ = 0;
  Bands site_bytes_;
  Bands kind_bytes_;
  Bands module_bytes_;
  ReportStates states_;
  ReportBlocks blocks_;
};

/// How fragmented memory is at chosen steps of a history, and the blocks that pin most memory then.
class ReportFragmentation {
 public:
  ReportFragmentation(FragmentationRules rules, PageTexts& texts)
      : rules_(std::move(rules)), texts_(texts) {}

  /// Requires: steps are added in order.
  void add(HistoryStep step, const allocator::Snapshot& snapshot, const LiveBlocks& in_use);

  const std::vector<HistoryStep>& steps() const { return steps_; }
  /// Appends its lists to the bytes of the page. The JSON says where they are.
  nlohmann::ordered_json take(std::string& bytes) const;

 private:
  FragmentationRules rules_;
  PageTexts& texts_;
  std::vector<HistoryStep> steps_;
  std::vector<StateFigures> figures_;
  /// The place where the pinners of each step begin.
  std::vector<std::uint64_t> offsets_;
  /// For each step the number of pinners, then for each: the address as the difference from the one
  /// before, size, strands, released_alone, segment_size, beside, life, steps since it was handed
  /// out, node of its stack.
  PageBytes pinners_;
};

}  // namespace vramlab::replay
