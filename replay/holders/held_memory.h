// HeldMemory: what is held on one device while events go by, and what was held at one moment of
// them. The moment may be marked again and again, as a peak is: a mark costs nothing but forgetting
// the one before, and what is kept is what is held and what was given back since the mark, so
// memory is bounded by what was ever held at once and not by the number of events.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "replay/holders/memory_events.h"

namespace vramlab::replay {

class HeldMemory {
 public:
  /// False where the key is held already: that one counts as given back now.
  bool allocate(const HeldBlock& block);

  /// The block that was held under the key; nothing where there was none.
  std::optional<HeldBlock> release(std::uint64_t key);

  /// It was there before the first event and is given back now.
  void release_earlier(HeldBlock block);

  /// What was told of blocks from before the first event was no release.
  void take_back_earlier_releases();

  /// What is held now, after this event, is what held_at_mark() gives until the next mark.
  void mark(std::optional<std::uint64_t> event);

  /// Blocks from before the first event that were never given back are not among them. Oldest
  /// first.
  std::vector<HeldBlock> held_at_mark() const;

  /// Null where nothing is held under the key. Valid until the next change.
  const HeldBlock* find(std::uint64_t key) const;
  std::size_t count() const { return held_.size(); }
  /// Of what is held, without what was there before the first event; below 0 where that was given
  /// back.
  std::int64_t requested() const { return static_cast<std::int64_t>(requested_); }

 private:
  bool was_at_mark(const HeldBlock& block) const {
    return !block.event || (mark_ && *block.event <= *mark_);
  }

  /// Looked up only; what is taken out of it is sorted.
  std::unordered_map<std::uint64_t, HeldBlock> held_;
  /// Wraps where a file is nonsense.
  std::uint64_t requested_ = 0;
  std::uint64_t earlier_released_ = 0;
  /// Nothing: before the first event.
  std::optional<std::uint64_t> mark_;
  std::vector<HeldBlock> given_back_since_;
};

}  // namespace vramlab::replay
