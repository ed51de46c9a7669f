// ReportSurvey: a first walk through a history for its report page: the figures over time, thinned,
// which call sites ever held most, and how much a page of all states would have to hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "replay/html_report/page_texts.h"
#include "replay/metrics/peak.h"
#include "replay/recording/followed_blocks.h"

namespace vramlab::replay {

// ThinnedMoments: the figures of a history at so few of its moments that a page can hold them, and
// without losing a peak: of each stretch of events the moments stay at which any figure is highest
// or lowest, and the last one. What stays are real moments, with all their figures.

class ThinnedMoments {
 public:
  /// Keeps about so many moments of a history of so many events; all if it has no more.
  ThinnedMoments(std::uint64_t event_count, std::size_t wanted);

  /// In order of their steps.
  void add(const MomentFigures& figures);
  /// Once all are added.
  std::vector<MomentFigures> take();

  /// How many events a stretch has; 1 where every moment stays.
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

/// What each call site holds, kept up to date; sites by their number in PageTexts.
class SiteBytes {
 public:
  void add(std::uint32_t site, allocator::Bytes size) { peak_of(site).add(size); }
  void take(std::uint32_t site, allocator::Bytes size) { peak_of(site).subtract(size); }
  allocator::Bytes now(std::uint32_t site) const;
  /// The sites that ever held most, so many at most, the largest first.
  std::vector<std::uint32_t> largest(std::size_t count) const;

 private:
  Peak& peak_of(std::uint32_t site) {
    if (site >= peaks_.size()) peaks_.resize(site + 1);
    return peaks_[site];
  }
  std::vector<Peak> peaks_;
};

class ReportSurvey : public FollowedBlocks {
 public:
  ReportSurvey(const DeviceHistory& history, const HistoryWalk& walk, PageTexts& texts,
               std::size_t wanted_moments);

  /// Once the walk is done.
  std::vector<MomentFigures> take_moments() { return thinned_.take(); }
  std::uint64_t events_per_stretch() const { return thinned_.events_per_stretch(); }
  const SiteBytes& sites() const { return sites_; }
  std::size_t most_blocks() const { return most_blocks_; }
  const MomentFigures& peak_allocated() const { return peak_allocated_; }
  const MomentFigures& peak_reserved() const { return peak_reserved_; }
  const MomentFigures& last() const { return last_; }

 private:
  void moment_passed(const MomentFigures& figures, const PlacementBlocks& blocks) override;
  void block_changed(Change change, const LiveBlock& block) override;

  PageTexts& texts_;
  ThinnedMoments thinned_;
  SiteBytes sites_;
  std::size_t most_blocks_ = 0;
  MomentFigures peak_allocated_;
  MomentFigures peak_reserved_;
  MomentFigures last_;
};

}  // namespace vramlab::replay
