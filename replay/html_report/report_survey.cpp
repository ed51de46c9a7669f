#include "replay/html_report/report_survey.h"

#include <algorithm>
#include <array>
#include <numeric>

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

Bytes SiteBytes::now(std::uint32_t site) const {
  return site < peaks_.size() ? peaks_[site].bytes_now() : Bytes{};
}

std::vector<std::uint32_t> SiteBytes::largest(std::size_t count) const {
  std::vector<std::uint32_t> sites(peaks_.size());
  std::iota(sites.begin(), sites.end(), 0U);
  std::ranges::stable_sort(sites, std::greater{},
                           [this](std::uint32_t site) { return peaks_[site].highest(); });
  std::erase_if(sites, [this](std::uint32_t site) { return peaks_[site].highest() == 0; });
  if (sites.size() > count) sites.resize(count);
  return sites;
}

ReportSurvey::ReportSurvey(const DeviceHistory& history, const HistoryWalk& walk, PageTexts& texts,
                           std::size_t wanted_moments)
    : FollowedBlocks(history, walk),
      texts_(texts),
      thinned_(history.events.size(), wanted_moments) {}

void ReportSurvey::moment_passed(const MomentFigures& figures, const PlacementBlocks& blocks) {
  thinned_.add(figures);
  most_blocks_ = std::max(most_blocks_, blocks.blocks().size());
  if (figures.allocated > peak_allocated_.allocated || figures.step == 0) peak_allocated_ = figures;
  if (figures.reserved > peak_reserved_.reserved || figures.step == 0) peak_reserved_ = figures;
  last_ = figures;
}

void ReportSurvey::block_changed(Change change, const LiveBlock& block) {
  if (change == Change::handed_out) sites_.add(texts_.site_of(block.stack), block.bytes);
  if (change == Change::given_back) sites_.take(texts_.site_of(block.stack), block.bytes);
}

}  // namespace vramlab::replay
