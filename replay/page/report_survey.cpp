#include "replay/page/report_survey.h"

#include <algorithm>
#include <numeric>

namespace vramlab::replay {

using allocator::Bytes;

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
