// WaitingSpans: lifetimes that have no place yet, and the longest of them within a stretch of time.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "replay/packing/buffer.h"

namespace vramlab::replay {

/// Lifetimes by the section in which they begin, the longest first and of these the largest.
class SpanIndex {
 public:
  /// Those of a size. Keeps a reference to the sections.
  SpanIndex(const std::vector<Buffer>& buffers, const Sections& sections);

  std::size_t section_count() const { return begins_.size() - 1; }
  std::size_t slot_count() const { return items_.size(); }
  std::size_t item_count() const { return item_count_; }

 private:
  friend class WaitingSpans;

  const Sections& sections_;
  /// By section: its slots. The last one of each is empty, so that a search ends there.
  std::vector<std::uint32_t> begins_;
  std::vector<std::uint32_t> items_;
  /// By item.
  std::vector<std::uint32_t> slots_;
  std::size_t item_count_ = 0;
};

class WaitingSpans {
 public:
  /// All of them wait. Requires: the index lives longer.
  explicit WaitingSpans(const SpanIndex& index);

  std::size_t count() const { return count_; }
  /// The longest that lies within [first, last), the earliest of equal ones; another one than
  /// `but`. Adds the sections that were looked at to `work`.
  std::optional<std::uint32_t> longest_within(SectionSpan stretch, std::optional<std::uint32_t> but,
                                              std::uint64_t& work);
  /// Requires: it waits.
  void remove(std::uint32_t item);

 private:
  /// The first slot from this one on that still waits, or the empty one of its section.
  std::uint32_t slot_from(std::uint32_t slot);
  std::uint32_t section_from(std::uint32_t section);
  std::uint32_t end_of(std::uint32_t slot) const;

  const SpanIndex* index_;
  std::size_t count_ = 0;
  // Each leads to a later one, or to itself if that waits.
  std::vector<std::uint32_t> next_slot_;
  std::vector<std::uint32_t> next_section_;
};

}  // namespace vramlab::replay
