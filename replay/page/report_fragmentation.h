// ReportFragmentation: how fragmented memory is at chosen steps of a history, and which blocks pin
// most of it then, for a report page.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "replay/follow/followed_blocks.h"
#include "replay/page/page_bytes.h"
#include "replay/page/page_texts.h"
#include "replay/state/fragmentation.h"

namespace vramlab::replay {

class ReportFragmentation {
 public:
  ReportFragmentation(FragmentationRules rules, PageTexts& texts)
      : rules_(std::move(rules)), texts_(texts) {}

  /// In order of the steps.
  void add(HistoryStep step, const allocator::Snapshot& snapshot, const LiveBlocks& in_use);

  const std::vector<HistoryStep>& steps() const { return steps_; }
  /// Adds to the page's bytes what the JSON points to.
  nlohmann::ordered_json take(std::string& bytes) const;

 private:
  FragmentationRules rules_;
  PageTexts& texts_;
  std::vector<HistoryStep> steps_;
  std::vector<StateFigures> figures_;
  /// The beginning of each step's pinners.
  std::vector<std::uint64_t> offsets_;
  /// For each step how many, then of each: address as the distance from the one before, size,
  /// strands, released_alone, segment_size, beside, life, steps since it was handed out, node of
  /// its stack.
  PageBytes pinners_;
};

}  // namespace vramlab::replay
