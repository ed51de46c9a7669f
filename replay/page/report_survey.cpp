#include "replay/page/report_survey.h"

#include <algorithm>
#include <numeric>

namespace vramlab::replay {

using allocator::Bytes;

void SiteBytes::add(std::uint32_t site, Bytes size) {
  if (site >= now_.size()) {
    now_.resize(site + 1);
    peak_.resize(site + 1);
  }
  now_[site] += size;
  peak_[site] = std::max(peak_[site], now_[site]);
}

void SiteBytes::take(std::uint32_t site, Bytes size) {
  if (site < now_.size()) now_[site] -= std::min(now_[site], size);
}

Bytes SiteBytes::now(std::uint32_t site) const { return site < now_.size() ? now_[site] : Bytes{}; }

std::vector<std::uint32_t> SiteBytes::largest(std::size_t count) const {
  std::vector<std::uint32_t> sites(peak_.size());
  std::iota(sites.begin(), sites.end(), 0U);
  std::ranges::stable_sort(
      sites, [this](std::uint32_t a, std::uint32_t b) { return peak_[a] > peak_[b]; });
  std::erase_if(sites, [this](std::uint32_t site) { return peak_[site] == Bytes{}; });
  if (sites.size() > count) sites.resize(count);
  return sites;
}

ReportSurvey::ReportSurvey(const DeviceHistory& history, const HistoryWalk& walk,
                           const StartStacks& stacks, PageTexts& texts, std::size_t wanted_moments)
    : FollowedBlocks(history, walk, stacks),
      texts_(texts),
      thinned_(history.events.size(), wanted_moments) {}

void ReportSurvey::moment_passed(const MomentFigures& figures, const PlacementBlocks& blocks) {
  thinned_.add(figures);
  most_blocks_ = std::max(most_blocks_, blocks.blocks().size());
  if (figures.allocated > peak_allocated_.allocated || figures.step == 0) peak_allocated_ = figures;
  if (figures.reserved > peak_reserved_.reserved || figures.step == 0) peak_reserved_ = figures;
  last_ = figures;
}

void ReportSurvey::block_changed(Change change, allocator::Address, const FollowedBlock& block) {
  if (change == Change::handed_out) sites_.add(texts_.site_of(block.stack), block.size);
  if (change == Change::given_back) sites_.take(texts_.site_of(block.stack), block.size);
}

}  // namespace vramlab::replay
