// ReportFragmentation: how fragmented memory is at chosen steps of a history, and which blocks pin
// most of it then, for a report page.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "replay/fragmentation.h"
#include "replay/page_bytes.h"

namespace vramlab::replay {

class ReportFragmentation {
 public:
  explicit ReportFragmentation(FragmentationRules rules) : rules_(std::move(rules)) {}

  /// In order of the steps.
  void add(std::uint64_t step, const allocator::Snapshot& snapshot);

  const std::vector<std::uint64_t>& steps() const { return steps_; }
  /// Adds to the page's bytes what the JSON points to.
  nlohmann::ordered_json take(std::string& bytes) const;

 private:
  FragmentationRules rules_;
  std::vector<std::uint64_t> steps_;
  std::vector<StateFigures> figures_;
  /// Of each step: where its pinners begin.
  std::vector<std::uint64_t> offsets_;
  /// For each step how many, then of each: address as the distance from the one before, size,
  /// strands, released_alone, segment_size, beside.
  PageBytes pinners_;
};

}  // namespace vramlab::replay
