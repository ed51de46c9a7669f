#include "replay/html_report/report_blocks.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace vramlab::replay {

using allocator::Bytes;

void LargestSizes::add(Bytes size) {
  ++block_count_;
  if (kept_ >= most_ && size < counts_.begin()->first) return;
  ++counts_[size];
  ++kept_;
  for (auto least = counts_.begin(); kept_ - least->second >= most_; least = counts_.begin()) {
    kept_ -= least->second;
    counts_.erase(least);
  }
}

DrawnSizes LargestSizes::drawn() const {
  if (block_count_ <= most_) return {{}, block_count_, block_count_};
  const auto [least, count] = *counts_.begin();
  return {least, most_ - (kept_ - count), block_count_};
}

bool ReportBlocks::takes(Bytes size) {
  if (size != sizes_.least) return size > sizes_.least;
  if (sizes_.count_of_least == 0) return false;
  --sizes_.count_of_least;
  return true;
}

void ReportBlocks::hand_out(const LiveBlock& block, HistoryStep step) {
  // A block that was never given back lasts, although its address is used again.
  in_use_.erase(block.key);
  if (!takes(block.bytes)) {
    ++others_;
    largest_other_ = std::max(largest_other_, block.bytes);
    return;
  }
  in_use_[block.key] = {lasts_.size(), step};
  lasts_.push_back(0);
  begins_.add_step(std::exchange(last_begin_, step), step);
  block_sizes_.add(block.bytes.count);
  stacks_.add(texts_.node_of(block.stack));
}

void ReportBlocks::give_back(const LiveBlock& block, HistoryStep step) {
  const auto found = in_use_.find(block.key);
  if (found == in_use_.end()) {
    others_ -= std::min<std::uint64_t>(others_, 1);
    return;
  }
  lasts_[found->second.place] = step - found->second.begin + 1;
  in_use_.erase(found);
}

nlohmann::ordered_json ReportBlocks::take(std::string& bytes) const {
  const auto add_column = [&](const PageBytes& packed) {
    return add_section(bytes, packed.bytes(), lasts_.size());
  };
  PageBytes lasts;
  for (const HistoryStep steps : lasts_) lasts.add(steps);
  nlohmann::ordered_json json = {{"total", sizes_.block_count},
                                 {"largest_other", largest_other_.count},
                                 {"begin", add_column(begins_)},
                                 {"lasts", add_column(lasts)},
                                 {"size", add_column(block_sizes_)},
                                 {"stack", add_column(stacks_)},
                                 {"others", nullptr}};
  if (lasts_.size() < sizes_.block_count)
    json["others"] = add_column_section(bytes, others_at_moments_);
  return json;
}

}  // namespace vramlab::replay
