// FloorWalk: one walk through packings from the ground up, in a given order and with a limit.
//
// Each step puts one more buffer on the floor below it: the highest end of what was placed in its
// sections. Nothing goes below what is there. A state is given up where in some section what is
// still to come does not fit above the lowest place that one of them can have. Where a section has
// few candidates for its lowest place, one of them comes next; often there is only one. Elsewhere
// it is one that can lie lowest, and none where another one fits wholly below it. What is still to
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

/// What is tried where no section of time leaves few candidates for its lowest place.
enum class FloorReach : std::uint8_t {
  /// Whatever can lie below all tops. Nothing goes lower later.
  everywhere,
  /// Only what shares time with the one whose top is lowest.
  around_lowest_top,
};

struct FloorOrder {
  /// By item; the lowest comes first.
  std::vector<std::uint32_t> ranks;
  FloorChoice choice = FloorChoice::by_rank;
  FloorReach reach = FloorReach::everywhere;
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
    /// What comes after it lies at least so high.
    std::int32_t least = 0;
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
    /// The least end that one of them can have, and which.
    std::int32_t lowest_top = 0;
    std::uint32_t item_below = 0;
  };
  /// The place that an item can have, and on what it would lie if it did not rest on its floor.
  struct Place {
    std::int32_t offset = 0;
    std::int32_t support = 0;
    bool rests = false;
  };
  struct Narrowest {
    std::uint32_t section = 0;
    std::int32_t candidates = 0;
  };
  struct SectionRange {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };

  bool is_at_limit() const;
  bool go_on(const Items& items, std::int32_t least);
  bool try_choice(const Choice& choice, const Items& items);
  void find_lowest(Waiting& waiting);
  void add_candidate(const FloorItem& item, const Place& place);
  bool can_come(Waiting& waiting);
  Narrowest narrowest(const Items& items) const;
  std::vector<Choice> choices(const Waiting& waiting) const;
  SectionRange sections_of(std::span<const std::uint32_t> items) const;
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
  std::vector<std::int32_t> candidates_;
};

/// Cuts items, in order of their first section, into sets that share none.
std::vector<std::vector<std::uint32_t>> independent_sets(const FloorProblem& problem,
                                                         const std::vector<std::uint32_t>& items);

}  // namespace vramlab::replay
