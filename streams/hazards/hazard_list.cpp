#include "streams/hazards/hazard_list.h"

namespace vramlab::streams {

void HazardList::add(const Hazard& hazard) {
  const Sites sites{hazard.kind, hazard.first.act, hazard.first.site, hazard.second.act,
                    hazard.second.site};
  const auto found = places_.find(sites);
  if (found != places_.end()) {
    ++hazards_[found->second].count;
  } else if (hazards_.size() == most_listed) {
    ++unlisted_count_;
  } else {
    places_.emplace(sites, hazards_.size());
    hazards_.push_back(hazard);
  }
}

}  // namespace vramlab::streams
