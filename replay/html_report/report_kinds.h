// ReportKinds: the memory of each kind and of each module over time, for recordings that say what
// their blocks hold. Modules are named by their folded paths, with their kind. Holders, a module by
// its whole path and a kind, have numbers, by which states name what each of their blocks holds.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "replay/kinds/block_kinds.h"
#include "replay/metrics/memory_curve.h"

namespace vramlab::replay {

/// The memory that each group of blocks holds, kept up to date; groups by number.
class GroupBytes {
 public:
  void add(std::uint32_t group, Bytes size) { peak_of(group).add(size); }
  void take(std::uint32_t group, Bytes size) { peak_of(group).subtract(size); }
  Bytes now(std::uint32_t group) const;
  /// The groups with the highest peaks, at most `count`, the largest first.
  std::vector<std::uint32_t> largest(std::size_t count) const;

 private:
  Peak& peak_of(std::uint32_t group) {
    if (group >= peaks_.size()) peaks_.resize(group + 1);
    return peaks_[group];
  }
  std::vector<Peak> peaks_;
};

class ReportKinds {
 public:
  /// Counts nothing.
  ReportKinds() = default;
  /// Both must outlive it; `of_blocks` may be null, then nothing is counted.
  ReportKinds(const RecordingKinds* kinds, const BlockKinds* of_blocks)
      : kinds_(kinds), of_blocks_(of_blocks) {}

  bool is_known() const { return of_blocks_ != nullptr; }
  void hand_out(const LiveBlock& block);
  void give_back(const LiveBlock& block);

  const GroupBytes& kinds() const { return by_kind_; }
  const GroupBytes& modules() const { return by_module_; }
  static std::string kind_name(std::uint32_t kind);
  const std::string& module_name(std::uint32_t module) const { return module_names_[module]; }

  struct Holder {
    /// Empty where no module is known.
    std::string module;
    MemoryKind kind = MemoryKind::not_labelled;
    friend auto operator<=>(const Holder&, const Holder&) = default;
  };
  /// Requires: kinds are known.
  std::uint32_t holder_of(const LiveBlock& block);
  /// All that were asked for, by number; the first is that of blocks that nothing is known of.
  const std::vector<Holder>& holders() const { return holders_; }

 private:
  std::uint32_t module_number(const BlockKind& kind);

  const RecordingKinds* kinds_ = nullptr;
  const BlockKinds* of_blocks_ = nullptr;
  GroupBytes by_kind_;
  GroupBytes by_module_;
  std::vector<std::string> module_names_;
  std::map<std::string, std::uint32_t> module_numbers_;
  /// By kind and name, so that each name is folded once.
  std::map<std::pair<MemoryKind, KindNameIndex>, std::uint32_t> known_;
  std::vector<Holder> holders_{Holder{}};
  std::map<Holder, std::uint32_t> holder_numbers_{{Holder{}, 0}};
  /// By kind and name, so that each path is cut once.
  std::map<std::pair<MemoryKind, KindNameIndex>, std::uint32_t> known_holders_;
};

}  // namespace vramlab::replay
