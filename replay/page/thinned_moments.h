// ThinnedMoments: the figures of a history at so few of its moments that a page can hold them, and
// without losing a peak: of each stretch of events the moments stay at which any figure is highest
// or lowest, and the last one. What stays are real moments, with all their figures.
#pragma once

#include <cstddef>
#include <vector>

#include "replay/follow/followed_blocks.h"

namespace vramlab::replay {

class ThinnedMoments {
 public:
  /// Of a history of so many events, about so many moments; all where it has no more.
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
  /// Of the stretch that is being added: the moment of each figure's highest and lowest value.
  std::vector<MomentFigures> highest_;
  std::vector<MomentFigures> lowest_;
  MomentFigures last_;
};

}  // namespace vramlab::replay
