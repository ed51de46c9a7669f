// ReportBlocks: the blocks of a history that a page draws one by one, each from the step that
// handed it out to the step that gave it back. A page has room for the largest blocks alone; the
// others are counted at each moment. LargestSizes tells beforehand which blocks are the largest.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <unordered_map>
#include <vector>

#include "replay/html_report/packed_parts.h"
#include "replay/recording/followed_blocks.h"

namespace vramlab::replay {

/// The blocks that are drawn one by one: all that are larger than `least`, and the first ones of
/// just that size.
struct DrawnSizes {
  allocator::Bytes least;
  std::uint64_t count_of_least = 0;
  /// The number of all blocks, drawn or not.
  std::uint64_t block_count = 0;
};

/// The sizes of the largest `most` blocks, of which memory holds each size once.
class LargestSizes {
 public:
  /// Requires: most > 0.
  explicit LargestSizes(std::uint64_t most) : most_(most) {}

  void add(allocator::Bytes size);
  DrawnSizes drawn() const;

 private:
  std::uint64_t most_;
  std::uint64_t block_count_ = 0;
  /// The sum of the counts below: fewer than `most_`, but for the blocks of the least size.
  std::uint64_t kept_ = 0;
  std::map<allocator::Bytes, std::uint64_t> counts_;
};

class ReportBlocks {
 public:
  ReportBlocks(DrawnSizes sizes, PageTexts& texts) : sizes_(sizes), texts_(texts) {}

  /// Requires: steps do not decrease from call to call.
  void hand_out(const LiveBlock& block, HistoryStep step);
  void give_back(const LiveBlock& block, HistoryStep step);
  /// Notes how many blocks that are not drawn are in use now.
  void pass_moment() { others_at_moments_.push_back(others_); }

  const std::vector<std::uint64_t>& others_at_moments() const { return others_at_moments_; }

  /// Appends its lists to the bytes of the page, in the order in which the blocks were handed out:
  /// the steps of `begin`, how long each `lasts` (0 if nothing ends it, otherwise a step more), the
  /// `size`, and the `stack`, an index into `PageTexts::nodes()`. The JSON says where they are.
  nlohmann::ordered_json take(std::string& bytes) const;

 private:
  bool takes(allocator::Bytes size);

  DrawnSizes sizes_;
  PageTexts& texts_;
  /// As the page holds them: a million blocks take a few bytes each.
  PageBytes begins_;
  PageBytes block_sizes_;
  PageBytes stacks_;
  HistoryStep last_begin_ = 0;
  /// How many steps each drawn block lasts; 0 while it is in use.
  std::vector<HistoryStep> lasts_;
  struct InUse {
    /// In `lasts_`.
    std::size_t place = 0;
    HistoryStep begin = 0;
  };
  /// By the keys of the drawn blocks that are in use.
  std::unordered_map<std::uint64_t, InUse> in_use_;
  std::uint64_t others_ = 0;
  allocator::Bytes largest_other_;
  std::vector<std::uint64_t> others_at_moments_;
};

}  // namespace vramlab::replay
