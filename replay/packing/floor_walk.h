// FloorWalk: one walk through packings from the ground up, in a given order and with a limit.
//
// Each step puts one more buffer on the floor below it: the highest end of what was placed in its
// sections. Buffers are placed by ascending offset, so nothing goes below what is there. A state is
// given up where in some section what is still to come does not fit above the lowest place that one
// of them can have. A buffer is no choice where another one fits wholly below it. What is still to
// come falls apart into sets that share no section; each is packed by itself.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace vramlab::replay {

/// Sizes, offsets and alignments in a unit that divides them all.
struct FloorItem {
  std::uint32_t first_section = 0;
  std::uint32_t last_section = 0;
  std::int32_t size = 0;
  std::int32_t alignment = 1;
};

struct FloorProblem {
  std::vector<FloorItem> items;
  /// By section.
  std::vector<std::int32_t> loads;
  std::int32_t height = 0;
};

/// Which of the buffers that can lie equally low is tried first.
enum class FloorChoice : std::uint8_t {
  by_rank,
  /// The one whose sides touch most walls, then by rank.
  by_walls,
  /// The one whose sides and top touch most, then by rank.
  by_walls_and_tops,
};

struct FloorOrder {
  /// By item; the lowest comes first.
  std::vector<std::uint32_t> ranks;
  FloorChoice choice = FloorChoice::by_rank;
};

struct FloorLimits {
  std::uint64_t states = 0;
  /// Asked now and then: the walk may end.
  const std::function<bool()>& is_over;
};

enum class FloorOutcome : std::uint8_t { found, none_exists, limit_reached };

class FloorWalk {
 public:
  FloorWalk(const FloorProblem& problem, const FloorOrder& order, const FloorLimits& limits);

  /// Places these items, which are in order of their first section.
  FloorOutcome place_all(const std::vector<std::uint32_t>& items);
  /// By item, where place_all() found them.
  const std::vector<std::int32_t>& offsets() const { return offsets_; }

 private:
  using Items = std::vector<std::uint32_t>;
  struct Choice {
    std::int32_t offset = 0;
    std::int32_t touched = 0;
    std::uint32_t item = 0;
  };
  /// Those of neighbouring sections.
  struct Floors {
    std::uint32_t first_section = 0;
    std::vector<std::int32_t> floors;
  };
  /// What is to come in a state, and the lowest offset of each.
  struct Waiting {
    const Items& items;
    std::int32_t least = 0;
    std::vector<std::int32_t> floors;
    std::vector<std::int32_t> offsets;
  };

  bool is_at_limit() const;
  bool go_on(const Items& items, std::int32_t least);
  bool try_choice(const Choice& choice, const Items& items);
  void find_lowest(Waiting& waiting);
  bool can_come(Waiting& waiting, std::int32_t& lowest_top);
  std::vector<Choice> choices(const Waiting& waiting, std::int32_t lowest_top) const;
  std::int32_t touched_by(std::uint32_t item, std::int32_t offset) const;
  bool is_wall(std::uint32_t section, std::int32_t offset) const;
  bool put(const Choice& choice);
  Floors floors_of(std::span<const std::uint32_t> items) const;
  void take_back(std::span<const std::uint32_t> items, const Floors& before);
  bool place_sets(const std::vector<Items>& sets, std::int32_t least);

  const FloorProblem& problem_;
  const FloorOrder& order_;
  const std::function<bool()>& is_over_;
  std::uint64_t states_left_;
  bool was_limited_ = false;
  std::vector<std::int32_t> floors_;
  std::vector<std::int32_t> to_come_;
  std::vector<std::int32_t> offsets_;
  /// Offsets at which an item was tried already, in a branch that had all of what follows here.
  std::vector<std::int32_t> tried_at_;
  // By section, for one state at a time.
  std::vector<std::int32_t> lowest_;
  std::vector<std::int32_t> lowest_tops_;
};

/// Cuts items, in order of their first section, into sets that share none.
std::vector<std::vector<std::uint32_t>> independent_sets(const FloorProblem& problem,
                                                         const std::vector<std::uint32_t>& items);

}  // namespace vramlab::replay
