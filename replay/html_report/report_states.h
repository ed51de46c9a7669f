// ReportStates: the states of the blocks at chosen steps, as bytes: the changes from one state to
// the next, and the whole state anew where it is no longer than the changes since the last whole
// one. So a page can show any state quickly.
#pragma once

#include <map>
#include <vector>

#include "replay/html_report/packed_parts.h"
#include "replay/html_report/report_kinds.h"
#include "replay/recording/followed_blocks.h"

namespace vramlab::replay {

/// A block as a page shows it.
struct ShownBlock {
  allocator::Bytes size;
  LifeIndex life = no_life;
  allocator::GivenUse use = allocator::GivenUse::free;
  allocator::Bytes requested;
  HistoryStep since = 0;
  traces::StackId stack;
  /// The number of what it holds, where kinds are known.
  std::uint32_t holder = 0;
  friend bool operator==(const ShownBlock&, const ShownBlock&) = default;
};

class ReportStates {
 public:
  /// Both must outlive it.
  ReportStates(PageTexts& texts, ReportKinds& kinds) : texts_(texts), kinds_(kinds) {}

  /// Notes that blocks in this range changed since the last state.
  void touch(allocator::Address at, allocator::Bytes size);
  void add(HistoryStep step, const PlacementBlocks& blocks, const LiveBlocks& in_use);

  /// Each state's step, the beginning of its bytes, and whether it stands alone.
  const std::vector<HistoryStep>& steps() const { return steps_; }
  const std::vector<std::uint64_t>& offsets() const { return offsets_; }
  const std::vector<std::uint64_t>& are_whole() const { return are_whole_; }
  /// For each state: the number of removed blocks and their addresses, the number of new blocks and
  /// their values (described beside the reader, tools/web/report/src/states.ts).
  const PageBytes& bytes() const { return bytes_; }

 private:
  using Shown = std::map<allocator::Address, ShownBlock>;
  struct Change {
    std::vector<allocator::Address> removed;
    std::vector<std::pair<allocator::Address, ShownBlock>> put;
  };

  ShownBlock shown(allocator::Address at, const PlacedBlock& block, const LiveBlocks& in_use) const;
  void compare(allocator::Address begin, allocator::Address end, const PlacementBlocks& blocks,
               const LiveBlocks& in_use, Change& change);
  void write(HistoryStep step, const Change& change);
  void write_whole(HistoryStep step);

  PageTexts& texts_;
  ReportKinds& kinds_;
  Shown shown_;
  /// Begin and end of each touched range.
  std::vector<std::pair<allocator::Address, allocator::Address>> touched_;
  std::vector<HistoryStep> steps_;
  std::vector<std::uint64_t> offsets_;
  std::vector<std::uint64_t> are_whole_;
  PageBytes bytes_;
  /// The number of changes written since the last whole state.
  std::size_t changes_written_ = 0;
};

}  // namespace vramlab::replay
