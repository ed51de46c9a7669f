// HazardList: each pair of sites once, with how often they met.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "streams/hazards/hazard.h"

namespace vramlab::streams {

class HazardList {
 public:
  void add(const Hazard& hazard);
  /// By when they were first added.
  const std::vector<Hazard>& hazards() const { return hazards_; }
  /// How many were found beyond those that are listed.
  std::uint64_t unlisted_count() const { return unlisted_count_; }

 private:
  /// A program whose every work is a site of its own must not fill the memory.
  static constexpr std::size_t most_listed = 100'000;

  using Sites = std::tuple<HazardKind, HazardAct, std::uint64_t, HazardAct, std::uint64_t>;

  std::vector<Hazard> hazards_;
  std::map<Sites, std::size_t> places_;
  std::uint64_t unlisted_count_ = 0;
};

}  // namespace vramlab::streams
