#include "replay/packing/floor_search.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "replay/packing/free_ranges.h"

namespace vramlab::replay {
namespace {

class FloorWalk {
 public:
  FloorWalk(const std::vector<Buffer>& buffers, const Sections& sections, std::uint64_t height,
            std::uint64_t states)
      : buffers_(buffers),
        sections_(sections),
        height_(height),
        states_left_(states),
        floors_(sections.loads.size(), 0),
        to_come_(sections.loads),
        offsets_(buffers.size(), not_placed) {}

  bool find() {
    std::uint32_t left = 0;
    for (const Buffer& buffer : buffers_)
      if (buffer.size.count > 0) ++left;
    return go_on(left, 0);
  }

  Packing packing() const {
    Packing found;
    for (const std::uint64_t offset : offsets_)
      found.offsets.push_back({offset == not_placed ? 0 : offset});
    found.height = height_of(buffers_, found.offsets);
    return found;
  }

 private:
  struct Choice {
    std::uint64_t offset = 0;
    std::uint32_t buffer = 0;
  };

  std::uint64_t floor_below(std::uint32_t buffer) const {
    const SectionSpan span = sections_.spans[buffer];
    std::uint64_t floor = 0;
    for (std::uint32_t s = span.first; s < span.last; ++s) floor = std::max(floor, floors_[s]);
    return aligned_up(floor, buffers_[buffer].alignment.count);
  }

  /// The lowest, then the longest and largest first. Empty where nothing can come of this state.
  std::vector<Choice> choices(std::uint64_t least) const {
    std::vector<Choice> found;
    std::uint64_t lowest_top = not_placed;
    std::vector<std::uint64_t> lowest(floors_.size(), not_placed);
    for (std::uint32_t i = 0; i < buffers_.size(); ++i) {
      if (offsets_[i] != not_placed || buffers_[i].size.count == 0) continue;
      const std::uint64_t floor = floor_below(i);
      const std::uint64_t offset = std::max(floor, least);
      if (offset + buffers_[i].size.count > height_) return {};
      lowest_top = std::min(lowest_top, offset + buffers_[i].size.count);
      const SectionSpan span = sections_.spans[i];
      for (std::uint32_t s = span.first; s < span.last; ++s)
        lowest[s] = std::min(lowest[s], offset);
      // One on a lower floor would have come before, or comes when something is below it.
      if (floor >= least) found.push_back({offset, i});
    }
    // If no buffer can lie on the floor itself, that much of the section stays empty.
    for (std::size_t s = 0; s < lowest.size(); ++s)
      if (to_come_[s] > 0 && lowest[s] + to_come_[s] > height_) return {};
    std::erase_if(found, [&](const Choice& choice) { return choice.offset >= lowest_top; });
    std::ranges::sort(found, {}, [&](const Choice& choice) {
      const SectionSpan span = sections_.spans[choice.buffer];
      return std::tuple(choice.offset, ~(span.last - span.first),
                        ~buffers_[choice.buffer].size.count, choice.buffer);
    });
    return found;
  }

  /// False where what is to come in one of the sections does not fit above its floor any more.
  bool place(const Choice& choice, std::vector<std::uint64_t>& before) {
    const SectionSpan span = sections_.spans[choice.buffer];
    const std::uint64_t size = buffers_[choice.buffer].size.count;
    bool fits = true;
    for (std::uint32_t s = span.first; s < span.last; ++s) {
      before.push_back(floors_[s]);
      floors_[s] = choice.offset + size;
      to_come_[s] -= size;
      fits = fits && floors_[s] + to_come_[s] <= height_;
    }
    offsets_[choice.buffer] = choice.offset;
    return fits;
  }

  void take_back(const Choice& choice, const std::vector<std::uint64_t>& before) {
    const SectionSpan span = sections_.spans[choice.buffer];
    for (std::uint32_t s = span.first; s < span.last; ++s) {
      floors_[s] = before[s - span.first];
      to_come_[s] += buffers_[choice.buffer].size.count;
    }
    offsets_[choice.buffer] = not_placed;
  }

  // The depth is at most the number of buffers, which is limited.
  // NOLINTNEXTLINE(misc-no-recursion)
  bool go_on(std::uint32_t left, std::uint64_t least) {
    if (left == 0) return true;
    if (states_left_ == 0) return false;
    --states_left_;
    std::vector<std::uint64_t> before;
    for (const Choice& choice : choices(least)) {
      before.clear();
      if (place(choice, before) && go_on(left - 1, choice.offset)) return true;
      take_back(choice, before);
      if (states_left_ == 0) return false;
    }
    return false;
  }

  const std::vector<Buffer>& buffers_;
  const Sections& sections_;
  std::uint64_t height_;
  std::uint64_t states_left_;
  std::vector<std::uint64_t> floors_;
  std::vector<std::uint64_t> to_come_;
  std::vector<std::uint64_t> offsets_;
};

}  // namespace

std::optional<Packing> floor_search(const std::vector<Buffer>& buffers, const Sections& sections,
                                    Bytes height, const FloorBudget& budget) {
  FloorWalk walk(buffers, sections, height.count, budget.states);
  if (!walk.find()) return std::nullopt;
  return walk.packing();
}

}  // namespace vramlab::replay
