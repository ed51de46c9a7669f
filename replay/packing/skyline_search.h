// SkylineSearch: packs lifetimes from the ground up along a skyline, many times. The lowest stretch
// of the skyline takes the longest lifetime that lies within it; if none does, the stretch is
// raised to its lower neighbour, and the space between is lost: best fit for strips by Burke,
// Kendall and Whitwell (2004), but rectangles keep their place in time.
//
// The best fill so far is kept with states on its way. Others begin at one of these states, take a
// detour now and then, and end where they can't get lower.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "replay/packing/buffer.h"
#include "replay/packing/packing_core.h"

namespace vramlab::replay {

/// The highest end of all placed buffers, section by section, as stretches of one height.
class Skyline {
 public:
  /// One stretch of height 0. Requires: at least one section.
  explicit Skyline(std::uint32_t section_count);

  struct Stretch {
    SectionSpan span;
    std::uint64_t height = 0;
  };
  /// The lowest stretch, the earliest of equal ones.
  Stretch lowest() const;
  /// The height of the lower neighbour of the lowest stretch. Requires: it has a neighbour.
  std::uint64_t height_beside_lowest() const;
  /// Raises the lowest stretch to the height of a neighbour, which it joins. Requires: no neighbour
  /// is lower than that.
  void raise_lowest(std::uint64_t height);
  /// Requires: the span lies in the lowest stretch, and the height is above it.
  void build_in_lowest(SectionSpan span, std::uint64_t height);

 private:
  void add(SectionSpan span, std::uint64_t height);
  void join_with_one_before(std::uint32_t first);

  std::uint32_t section_count_;
  /// Height and first section.
  std::set<std::pair<std::uint64_t, std::uint32_t>> by_height_;
  // By the first section of a stretch; values elsewhere are out of date.
  std::vector<std::uint32_t> lasts_;
  std::vector<std::uint64_t> heights_;
  /// The first section of the stretch before.
  std::vector<std::uint32_t> before_;
};

/// Lifetimes by the section in which they begin, the longest first and of these the largest.
class SpanIndex {
 public:
  /// Indexes all buffers that have a size. Keeps a reference to the sections.
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

/// Lifetimes that have no place yet, and the longest of them within a stretch of time.
class WaitingSpans {
 public:
  /// All lifetimes wait. Requires: the index lives longer.
  explicit WaitingSpans(const SpanIndex& index);

  std::size_t count() const { return count_; }
  /// The longest lifetime within [first, last) that is not `but`; the earliest of equal ones. Adds
  /// the number of sections it looked at to `work`.
  std::optional<std::uint32_t> longest_within(SectionSpan stretch, std::optional<std::uint32_t> but,
                                              std::uint64_t& work);
  /// Requires: the item waits.
  void remove(std::uint32_t item);

 private:
  /// The first slot from `slot` on that still waits, or the empty one of its section.
  std::uint32_t slot_from(std::uint32_t slot);
  std::uint32_t section_from(std::uint32_t section);
  std::uint32_t end_of(std::uint32_t slot) const;

  const SpanIndex* index_;
  std::size_t count_ = 0;
  // Each slot and section leads to a later one, or to itself if it waits.
  std::vector<std::uint32_t> next_slot_;
  std::vector<std::uint32_t> next_section_;
};

/// The data that all fills share.
struct SkylineProblem {
  /// Keeps references to both.
  SkylineProblem(const std::vector<Buffer>& some_buffers, const Sections& some_sections)
      : buffers(some_buffers), sections(some_sections), index(some_buffers, some_sections) {}

  const std::vector<Buffer>& buffers;
  const Sections& sections;
  SpanIndex index;
};

struct SkylineRules {
  /// A fill that would get higher ends.
  Bytes most_height{std::numeric_limits<std::uint64_t>::max()};
  /// The second longest lifetime is taken once in so many times; 0: never.
  std::uint64_t detour_once_in = 0;
  std::uint64_t seed = 0;
};

/// One fill from the ground up. It can be copied on its way, and both go on.
class SkylineFill {
 public:
  /// Requires: the problem lives longer and has sections.
  explicit SkylineFill(const SkylineProblem& problem);

  std::size_t waiting() const { return waiting_.count(); }
  /// Goes on until at most `waiting` lifetimes wait; false where the fill would get too high.
  bool go_on_until(std::size_t waiting, const SkylineRules& rules);
  Packing packing() const { return {offsets_, height_}; }
  Bytes height() const { return height_; }
  /// The sections looked at so far, and some for each change.
  std::uint64_t work() const { return work_; }

 private:
  bool raise(const Skyline::Stretch& floor, Bytes most_height);
  bool put(std::uint32_t item, const Skyline::Stretch& floor, Bytes most_height);

  const SkylineProblem* problem_;
  Skyline skyline_;
  WaitingSpans waiting_;
  /// The waiting bytes by section.
  std::vector<std::uint64_t> to_come_;
  std::vector<Bytes> offsets_;
  Bytes height_;
  std::uint64_t work_ = 0;
};

struct SkylineBudget {
  /// Sections that the first fill may look at; if it needs more, the search finds nothing.
  std::uint64_t first_work = 0;
  /// Sections that all other fills together may look at.
  std::uint64_t work = 0;
  std::uint64_t seed = 1;
  /// A packing of this height or less ends the search.
  Bytes enough;
  SearchRuns runs = {};
};

/// Empty if the first fill takes more than its budget.
std::optional<Packing> skyline_search(const std::vector<Buffer>& buffers, const Sections& sections,
                                      const SkylineBudget& budget);

}  // namespace vramlab::replay
