// BlockIndex: from the numbers of blocks to where they are kept. Numbers that are used are few and
// asked for all the time, so they lie close together: open addressing, at most half full.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "streams/hazards/hazard.h"

namespace vramlab::streams {

class BlockIndex {
 public:
  static constexpr std::uint32_t none = 0xffffffff;

  std::uint32_t find(BlockNumber block) const {
    for (std::size_t at = home_of(block);; at = next(at)) {
      if (entries_[at].place == none) return none;
      if (entries_[at].block == block) return entries_[at].place;
    }
  }
  /// Requires: it isn't there yet.
  void add(BlockNumber block, std::uint32_t place) {
    if (2 * ++count_ > entries_.size()) grow();
    put({block, place});
  }
  /// Requires: it is there.
  void erase(BlockNumber block) {
    std::size_t hole = home_of(block);
    while (entries_[hole].block != block) hole = next(hole);
    --count_;
    // What was pushed on by a full place moves back, so that it is found without the hole.
    for (std::size_t at = next(hole); entries_[at].place != none; at = next(at)) {
      const std::size_t home = home_of(entries_[at].block);
      if (((at - home) & (entries_.size() - 1)) < ((at - hole) & (entries_.size() - 1))) continue;
      entries_[hole] = entries_[at];
      hole = at;
    }
    entries_[hole] = {};
  }

 private:
  struct Entry {
    BlockNumber block{};
    std::uint32_t place = none;
  };

  std::size_t home_of(BlockNumber block) const {
    return (block.value * 0x9e3779b97f4a7c15ULL >> 32) & (entries_.size() - 1);
  }
  std::size_t next(std::size_t at) const { return (at + 1) & (entries_.size() - 1); }
  void put(const Entry& entry) {
    std::size_t at = home_of(entry.block);
    while (entries_[at].place != none) at = next(at);
    entries_[at] = entry;
  }
  void grow() {
    const std::vector<Entry> before = std::exchange(entries_, {});
    entries_.resize(2 * before.size());
    for (const Entry& entry : before)
      if (entry.place != none) put(entry);
  }

  std::size_t count_ = 0;
  /// As many as a power of two.
  std::vector<Entry> entries_ = std::vector<Entry>(64);
};

}  // namespace vramlab::streams
