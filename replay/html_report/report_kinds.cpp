#include "replay/html_report/report_kinds.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace vramlab::replay {

Bytes GroupBytes::now(std::uint32_t group) const {
  return group < peaks_.size() ? peaks_[group].bytes_now() : Bytes{};
}

std::vector<std::uint32_t> GroupBytes::largest(std::size_t count) const {
  std::vector<std::uint32_t> groups(peaks_.size());
  std::iota(groups.begin(), groups.end(), 0U);
  std::ranges::stable_sort(groups, std::greater{},
                           [this](std::uint32_t group) { return peaks_[group].highest(); });
  std::erase_if(groups, [this](std::uint32_t group) { return peaks_[group].highest() == 0; });
  if (groups.size() > count) groups.resize(count);
  return groups;
}

void ReportKinds::hand_out(const LiveBlock& block) {
  if (!is_known()) return;
  const BlockKind& kind = of_blocks_->of(block);
  by_kind_.add(static_cast<std::uint32_t>(kind.kind), block.bytes);
  by_module_.add(module_number(kind), block.bytes);
}

void ReportKinds::give_back(const LiveBlock& block) {
  if (!is_known()) return;
  const BlockKind& kind = of_blocks_->of(block);
  by_kind_.take(static_cast<std::uint32_t>(kind.kind), block.bytes);
  by_module_.take(module_number(kind), block.bytes);
}

std::string ReportKinds::kind_name(std::uint32_t kind) {
  return shown_name_of(static_cast<MemoryKind>(kind));
}

std::uint32_t ReportKinds::module_number(const BlockKind& kind) {
  const auto [known, is_new] = known_.try_emplace({kind.kind, kind.name}, 0);
  if (!is_new) return known->second;
  const std::string name = module_key(kind, *kinds_);
  const auto next = static_cast<std::uint32_t>(module_names_.size());
  const auto [number, is_new_name] = module_numbers_.try_emplace(name, next);
  if (is_new_name) module_names_.push_back(name);
  return known->second = number->second;
}

std::uint32_t ReportKinds::holder_of(const LiveBlock& block) {
  const BlockKind& kind = of_blocks_->of(block);
  const auto [known, is_new] = known_holders_.try_emplace({kind.kind, kind.name}, 0);
  if (!is_new) return known->second;
  const bool has_module = kind.kind != MemoryKind::not_labelled;
  const Holder holder{has_module ? module_of(kind, *kinds_) : "", kind.kind};
  const auto next = static_cast<std::uint32_t>(holders_.size());
  const auto [number, is_new_holder] = holder_numbers_.try_emplace(holder, next);
  if (is_new_holder) holders_.push_back(holder);
  return known->second = number->second;
}

}  // namespace vramlab::replay
