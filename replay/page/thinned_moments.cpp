#include "replay/page/thinned_moments.h"

#include <algorithm>
#include <array>

namespace vramlab::replay {
namespace {

using allocator::Bytes;

std::array<Bytes, 6> figures_of(const MomentFigures& moment) {
  return {moment.allocated, moment.requested, moment.waiting(),
          moment.reserved,  moment.free(),    moment.largest_free};
}

}  // namespace

ThinnedMoments::ThinnedMoments(std::uint64_t event_count, std::size_t wanted) {
  if (event_count + 1 <= wanted) return;
  // A stretch keeps 13 moments at most, and a few as a rule: figures rise and fall together.
  constexpr std::size_t usually_kept = 8;
  const std::uint64_t stretches = std::max<std::uint64_t>(1, wanted / usually_kept);
  width_ = (event_count + stretches) / stretches;
}

void ThinnedMoments::add(const MomentFigures& figures) {
  if (width_ == 1) {
    kept_.push_back(figures);
    return;
  }
  const std::uint64_t stretch = figures.step / width_;
  if (stretch != stretch_) finish_stretch();
  stretch_ = stretch;
  last_ = figures;
  if (highest_.empty()) {
    highest_.assign(figure_count, figures);
    lowest_ = highest_;
    return;
  }
  const auto now = figures_of(figures);
  for (std::size_t i = 0; i < figure_count; ++i) {
    if (now[i] > figures_of(highest_[i])[i]) highest_[i] = figures;
    if (now[i] < figures_of(lowest_[i])[i]) lowest_[i] = figures;
  }
}

void ThinnedMoments::finish_stretch() {
  if (highest_.empty()) return;
  std::vector<MomentFigures> moments = std::move(highest_);
  moments.insert(moments.end(), lowest_.begin(), lowest_.end());
  moments.push_back(last_);
  std::ranges::sort(moments, {}, &MomentFigures::step);
  const auto is_same = [](const MomentFigures& a, const MomentFigures& b) {
    return a.step == b.step;
  };
  kept_.insert(kept_.end(), moments.begin(), std::unique(moments.begin(), moments.end(), is_same));
  highest_.clear();
  lowest_.clear();
}

std::vector<MomentFigures> ThinnedMoments::take() {
  finish_stretch();
  return std::move(kept_);
}

}  // namespace vramlab::replay
