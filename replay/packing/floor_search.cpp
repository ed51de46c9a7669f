#include "replay/packing/floor_search.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <limits>
#include <numeric>
#include <random>
#include <span>
#include <tuple>

namespace vramlab::replay {
namespace {

using Items = std::vector<std::uint32_t>;

/// Sizes, offsets and alignments in a unit that divides them all.
struct FloorItem {
  std::uint32_t first_section = 0;
  std::uint32_t last_section = 0;
  std::int32_t size = 0;
  std::int32_t alignment = 1;
};

struct FloorProblem {
  std::vector<FloorItem> items;
  /// The bytes to place in each section, in units.
  std::vector<std::int32_t> loads;
  std::int32_t height = 0;
};

/// The buffer that is tried first among those that can lie equally low.
enum class FloorChoice : std::uint8_t {
  by_rank,
  /// Most walls touched by the sides first, then by rank.
  by_walls,
  /// Most walls and tops touched by the sides and the top first, then by rank.
  by_walls_and_tops,
};

/// The buffers that are tried where no section leaves few candidates for its lowest place.
enum class FloorReach : std::uint8_t {
  /// All buffers that can lie below all tops. Later buffers do not go lower.
  everywhere,
  /// Only buffers that share time with the one whose top is lowest.
  around_lowest_top,
};

struct FloorOrder {
  /// By item; the lowest rank comes first.
  std::vector<std::uint32_t> ranks;
  FloorChoice choice = FloorChoice::by_rank;
  FloorReach reach = FloorReach::everywhere;
};

struct FloorLimits {
  std::uint64_t states = 0;
  /// Asked now and then whether the walk may end.
  const std::function<bool()>& is_over;
};

enum class FloorOutcome : std::uint8_t { found, none_exists, limit_reached };

/// FloorWalk: one walk through packings from the ground up, in a given order and with a limit.
///
/// Each step puts one more buffer on the floor below it: the highest end of all buffers placed in
/// its sections. Later buffers never go below it. A state is given up where the waiting buffers of
/// some section do not fit above the lowest place that one of them can have. Where a section has
/// few candidates for its lowest place, one of them comes next; often it has only one. Elsewhere
/// the next buffer is one that can lie lowest, unless another one fits wholly below it. Waiting
/// buffers fall apart into sets that share no section; each set is packed by itself.
class FloorWalk {
 public:
  FloorWalk(const FloorProblem& problem, const FloorOrder& order, const FloorLimits& limits);

  /// Places these items. Requires: they are in order of their first section.
  FloorOutcome place_all(const std::vector<std::uint32_t>& items);
  /// By item, as place_all() found them.
  const std::vector<std::int32_t>& offsets() const { return offsets_; }

 private:
  struct Choice {
    std::int32_t offset = 0;
    std::int32_t touched = 0;
    std::uint32_t item = 0;
    /// Later buffers lie at least so high.
    std::int32_t least = 0;
  };
  /// The floors of neighbouring sections.
  struct Floors {
    std::uint32_t first_section = 0;
    std::vector<std::int32_t> floors;
  };
  /// The items that wait in a state, and the lowest offset of each.
  struct Waiting {
    const Items& items;
    std::int32_t least = 0;
    std::vector<std::int32_t> floors;
    std::vector<std::int32_t> offsets;
    /// The lowest top that an item can have, and that item.
    std::int32_t lowest_top = 0;
    std::uint32_t item_below = 0;
  };
  /// The place that an item can have, and its support: the offset where it would lie if it did not
  /// rest on its floor.
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
  /// The offset at which each item was tried already, in a branch that covers all states from here.
  std::vector<std::int32_t> tried_at_;
  // Scratch values by section, for one state at a time.
  std::vector<std::int32_t> lowest_;
  std::vector<std::int32_t> lowest_tops_;
  std::vector<std::int32_t> candidates_;
};

/// More candidates than are worth a look; small enough that all items can add so many.
constexpr std::int32_t too_many = 10'000;
constexpr std::int32_t nowhere = std::numeric_limits<std::int32_t>::max() / 2;

std::int32_t aligned(std::int32_t offset, std::int32_t alignment) {
  return alignment == 1 ? offset : (offset + alignment - 1) / alignment * alignment;
}

bool is_in(std::uint32_t section, const FloorItem& item) {
  return item.first_section <= section && section < item.last_section;
}

bool overlap(const FloorItem& a, const FloorItem& b) {
  return a.first_section < b.last_section && b.first_section < a.last_section;
}

/// Cuts items, in order of their first section, into sets that share no section.
std::vector<Items> independent_sets(const FloorProblem& problem, const Items& items) {
  std::vector<Items> sets;
  std::uint32_t end = 0;
  for (const std::uint32_t i : items) {
    const FloorItem& item = problem.items[i];
    if (sets.empty() || item.first_section >= end) sets.emplace_back();
    sets.back().push_back(i);
    end = std::max(end, item.last_section);
  }
  return sets;
}

FloorWalk::FloorWalk(const FloorProblem& problem, const FloorOrder& order,
                     const FloorLimits& limits)
    : problem_(problem),
      order_(order),
      is_over_(limits.is_over),
      states_left_(limits.states),
      floors_(problem.loads.size(), 0),
      to_come_(problem.loads),
      offsets_(problem.items.size(), 0),
      tried_at_(problem.items.size(), -1),
      lowest_(problem.loads.size()),
      lowest_tops_(problem.loads.size()),
      candidates_(problem.loads.size()) {}

FloorOutcome FloorWalk::place_all(const std::vector<std::uint32_t>& items) {
  if (go_on(items, 0)) return FloorOutcome::found;
  return was_limited_ ? FloorOutcome::limit_reached : FloorOutcome::none_exists;
}

/// The sections of these items. Requires: they are in order of their first section.
auto FloorWalk::sections_of(std::span<const std::uint32_t> items) const -> SectionRange {
  const std::uint32_t begin = problem_.items[items.front()].first_section;
  std::uint32_t end = begin;
  for (const std::uint32_t i : items) end = std::max(end, problem_.items[i].last_section);
  return {begin, end};
}

/// Finds the floor below each item, and the lowest offset that it can still have.
void FloorWalk::find_lowest(Waiting& waiting) {
  const Items& items = waiting.items;
  for (std::size_t k = 0; k < items.size(); ++k) {
    const FloorItem& item = problem_.items[items[k]];
    std::int32_t floor = 0;
    for (std::uint32_t s = item.first_section; s < item.last_section; ++s)
      floor = std::max(floor, floors_[s]);
    floor = aligned(floor, item.alignment);
    const bool can_rest = floor >= waiting.least && tried_at_[items[k]] != floor;
    waiting.floors[k] = floor;
    // An item that can't rest on its floor comes when another item lies below it.
    waiting.offsets[k] =
        can_rest ? floor : aligned(std::max(floor, waiting.least) + 1, item.alignment);
    const std::int32_t top = waiting.offsets[k] + item.size;
    for (std::uint32_t s = item.first_section; s < item.last_section; ++s)
      lowest_tops_[s] = std::min(lowest_tops_[s], top);
  }
}

/// An item that rests on its floor and can't be lifted by others is a candidate for the lowest
/// place in its sections. An item that may come to lie as low in another way makes them too many.
void FloorWalk::add_candidate(const FloorItem& item, const Place& place) {
  for (std::uint32_t s = item.first_section; s < item.last_section; ++s) {
    lowest_[s] = std::min(lowest_[s], place.offset);
    // Above this limit the other waiting items do not fit.
    const std::int32_t limit = problem_.height - to_come_[s];
    if (place.offset > limit) continue;
    candidates_[s] += place.rests && place.support > limit ? 1 : too_many;
  }
}

/// Whether the state can still lead to a packing.
bool FloorWalk::can_come(Waiting& waiting) {
  const Items& items = waiting.items;
  const auto [begin, end] = sections_of(items);
  std::ranges::fill(std::span(lowest_).subspan(begin, end - begin), nowhere);
  std::ranges::fill(std::span(lowest_tops_).subspan(begin, end - begin), nowhere);
  std::ranges::fill(std::span(candidates_).subspan(begin, end - begin), 0);
  find_lowest(waiting);
  for (std::size_t k = 0; k < items.size(); ++k) {
    const FloorItem& item = problem_.items[items[k]];
    std::int32_t& offset = waiting.offsets[k];
    const bool rests = offset == waiting.floors[k];
    std::int32_t support = nowhere;
    for (std::uint32_t s = item.first_section; s < item.last_section; ++s)
      support = std::min(support, lowest_tops_[s]);
    if (!rests) offset = aligned(std::max(offset, support), item.alignment);
    const std::int32_t top = offset + item.size;
    if (top > problem_.height) return false;
    if (top <= waiting.lowest_top) waiting.item_below = items[k];
    waiting.lowest_top = std::min(waiting.lowest_top, top);
    add_candidate(item, {offset, support, rests});
  }
  for (std::uint32_t s = begin; s < end; ++s)
    if (to_come_[s] > 0 && lowest_[s] + to_come_[s] > problem_.height) return false;
  return true;
}

bool FloorWalk::is_wall(std::uint32_t section, std::int32_t offset) const {
  return floors_[section] > offset || to_come_[section] == 0;
}

std::int32_t FloorWalk::touched_by(std::uint32_t item, std::int32_t offset) const {
  if (order_.choice == FloorChoice::by_rank) return 0;
  const auto [first, last, size, alignment] = problem_.items[item];
  const bool has_left = first > 0;
  const bool has_right = last < floors_.size();
  std::int32_t touched = (!has_left || is_wall(first - 1, offset) ? 1 : 0) +
                         (!has_right || is_wall(last, offset) ? 1 : 0);
  if (order_.choice == FloorChoice::by_walls_and_tops) {
    touched += has_left && floors_[first - 1] == offset + size ? 1 : 0;
    touched += has_right && floors_[last] == offset + size ? 1 : 0;
  }
  return touched;
}

/// The section with the fewest candidates, and their number.
auto FloorWalk::narrowest(const Items& items) const -> Narrowest {
  const auto [begin, end] = sections_of(items);
  Narrowest found{begin, too_many};
  for (std::uint32_t s = begin; s < end; ++s)
    if (candidates_[s] > 0 && candidates_[s] < found.candidates) found = {s, candidates_[s]};
  return found;
}

auto FloorWalk::choices(const Waiting& waiting) const -> std::vector<Choice> {
  std::vector<Choice> found;
  const auto choose = [&](std::size_t k, std::int32_t least) {
    const std::int32_t offset = waiting.offsets[k];
    found.push_back({offset, touched_by(waiting.items[k], offset), waiting.items[k], least});
  };
  const bool is_local = order_.reach == FloorReach::around_lowest_top;
  for (std::size_t k = 0; k < waiting.items.size(); ++k) {
    const std::int32_t offset = waiting.offsets[k];
    if (offset != waiting.floors[k] || offset >= waiting.lowest_top) continue;
    if (!is_local)
      choose(k, offset);
    else if (overlap(problem_.items[waiting.items[k]], problem_.items[waiting.item_below]))
      choose(k, waiting.least);
  }
  const Narrowest section = narrowest(waiting.items);
  if (static_cast<std::size_t>(section.candidates) <= found.size()) {
    found.clear();
    const std::int32_t limit = problem_.height - to_come_[section.section];
    for (std::size_t k = 0; k < waiting.items.size(); ++k)
      if (is_in(section.section, problem_.items[waiting.items[k]]) && waiting.offsets[k] <= limit)
        choose(k, waiting.least);
  }
  std::ranges::sort(found, {}, [&](const Choice& choice) {
    return std::tuple(choice.offset, -choice.touched, order_.ranks[choice.item]);
  });
  return found;
}

/// Puts an item; false where the waiting items of a section no longer fit above its floor.
bool FloorWalk::put(const Choice& choice) {
  const FloorItem& item = problem_.items[choice.item];
  bool fits = true;
  for (std::uint32_t s = item.first_section; s < item.last_section; ++s) {
    floors_[s] = choice.offset + item.size;
    to_come_[s] -= item.size;
    fits = fits && floors_[s] + to_come_[s] <= problem_.height;
  }
  offsets_[choice.item] = choice.offset;
  return fits;
}

auto FloorWalk::floors_of(std::span<const std::uint32_t> items) const -> Floors {
  const auto [begin, end] = sections_of(items);
  const auto floors = std::span(floors_).subspan(begin, end - begin);
  return {begin, {floors.begin(), floors.end()}};
}

/// Lets these items wait again, above the floors that were below them.
void FloorWalk::take_back(std::span<const std::uint32_t> items, const Floors& before) {
  std::ranges::copy(before.floors, std::span(floors_).subspan(before.first_section).begin());
  for (const std::uint32_t i : items) {
    const FloorItem& item = problem_.items[i];
    for (std::uint32_t s = item.first_section; s < item.last_section; ++s) to_come_[s] += item.size;
  }
}

// The depth is at most the number of items, which is limited.
// NOLINTNEXTLINE(misc-no-recursion)
bool FloorWalk::try_choice(const Choice& choice, const Items& items) {
  const std::span placed(&choice.item, 1);
  const Floors before = floors_of(placed);
  bool is_placed = put(choice);
  if (is_placed) {
    Items rest;
    rest.reserve(items.size());
    std::ranges::copy_if(items, std::back_inserter(rest),
                         [&](std::uint32_t i) { return i != choice.item; });
    auto sets = independent_sets(problem_, rest);
    // Small sets fail soonest.
    std::ranges::stable_sort(sets, {}, &Items::size);
    is_placed = place_sets(sets, choice.least);
  }
  if (!is_placed) take_back(placed, before);
  return is_placed;
}

/// Places all sets or none: if one finds no place, those before it are taken back.
// NOLINTNEXTLINE(misc-no-recursion)
bool FloorWalk::place_sets(const std::vector<Items>& sets, std::int32_t least) {
  std::vector<Floors> before;
  for (std::size_t k = 0; k < sets.size(); ++k) {
    // The last set, which is the largest, need not be taken back from here.
    if (k + 1 < sets.size()) before.push_back(floors_of(sets[k]));
    if (go_on(sets[k], least)) continue;
    while (k-- > 0) take_back(sets[k], before[k]);
    return false;
  }
  return true;
}

bool FloorWalk::is_at_limit() const {
  constexpr std::uint64_t between_questions = 256;
  return states_left_ == 0 || (states_left_ % between_questions == 0 && is_over_());
}

// NOLINTNEXTLINE(misc-no-recursion)
bool FloorWalk::go_on(const Items& items, std::int32_t least) {
  if (items.empty()) return true;
  if (is_at_limit()) {
    was_limited_ = true;
    return false;
  }
  --states_left_;
  Waiting waiting{items, least, std::vector<std::int32_t>(items.size()),
                  std::vector<std::int32_t>(items.size()), nowhere};
  if (!can_come(waiting)) return false;
  const std::vector<Choice> found = choices(waiting);
  std::vector<std::int32_t> tried_before;
  bool is_placed = false;
  for (const Choice& choice : found) {
    is_placed = try_choice(choice, items);
    if (is_placed || was_limited_) break;
    tried_before.push_back(tried_at_[choice.item]);
    tried_at_[choice.item] = choice.offset;
  }
  for (std::size_t k = tried_before.size(); k-- > 0;) tried_at_[found[k].item] = tried_before[k];
  return is_placed;
}

/// The greatest common divisor of all sizes and alignments.
std::uint64_t unit_of(const std::vector<Buffer>& buffers) {
  std::uint64_t unit = 0;
  for (const Buffer& buffer : buffers) {
    unit = std::gcd(unit, buffer.size.count);
    if (buffer.alignment.count > 1) unit = std::gcd(unit, buffer.alignment.count);
  }
  return std::max<std::uint64_t>(unit, 1);
}

/// Empty where the figures are too large for the walk.
std::optional<FloorProblem> problem_of(const std::vector<Buffer>& buffers, const Sections& sections,
                                       Bytes height) {
  const std::uint64_t unit = unit_of(buffers);
  constexpr std::uint64_t most = std::numeric_limits<std::int32_t>::max() / 4;
  if (height.count / unit > most) return std::nullopt;
  FloorProblem problem;
  problem.height = static_cast<std::int32_t>(height.count / unit);
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const std::uint64_t alignment = std::max(buffers[i].alignment.count / unit, std::uint64_t{1});
    if (buffers[i].size > height || alignment > most) return std::nullopt;
    problem.items.push_back({sections.spans[i].first, sections.spans[i].last,
                             static_cast<std::int32_t>(buffers[i].size.count / unit),
                             static_cast<std::int32_t>(alignment)});
  }
  for (const std::uint64_t load : sections.loads) {
    if (load > height.count) return std::nullopt;
    problem.loads.push_back(static_cast<std::int32_t>(load / unit));
  }
  return problem;
}

/// 256 times the logarithm to the base of two, by straight lines between its powers: the same on
/// every machine.
std::int64_t logarithm(std::uint64_t value) {
  constexpr int bits = 8;
  const auto whole = static_cast<int>(std::bit_width(value)) - 1;
  const std::uint64_t rest = value - (std::uint64_t{1} << whole);
  const std::uint64_t part = whole >= bits ? rest >> (whole - bits) : rest << (bits - whole);
  return (static_cast<std::int64_t>(whole) << bits) + static_cast<std::int64_t>(part);
}

/// The logarithms that orders are made of: an item's lifetime, size, and the highest load that it
/// is part of.
struct Weights {
  std::int64_t lifetime = 0;
  std::int64_t size = 0;
  std::int64_t load = 0;
};

std::vector<Weights> weights_of(const std::vector<Buffer>& buffers, const FloorProblem& problem) {
  std::vector<Weights> weights;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const FloorItem& item = problem.items[i];
    std::int32_t load = 1;
    for (std::uint32_t s = item.first_section; s < item.last_section; ++s)
      load = std::max(load, problem.loads[s]);
    weights.push_back({logarithm(buffers[i].end - buffers[i].begin),
                       logarithm(static_cast<std::uint64_t>(std::max(item.size, 1))),
                       logarithm(static_cast<std::uint64_t>(load))});
  }
  return weights;
}

/// The factors of the logarithms in a score.
struct Mixture {
  std::int64_t lifetime = 0;
  std::int64_t size = 0;
  std::int64_t load = 0;
  std::int64_t noise = 0;
};

/// The mixtures of the first attempts: lifetime, area or load first, then another of them.
constexpr std::array<Mixture, 6> fixed_mixtures = {{{10'000, 100, 1, 0},
                                                    {100, 100, 10'000, 0},
                                                    {10'000, 1, 1'000'000, 0},
                                                    {10'000, 10'000, 1, 0},
                                                    {1'000'000, 1, 10'000, 0},
                                                    {10'000, 10'000, 100, 0}}};
constexpr std::size_t choice_count = 3;

Mixture random_mixture(std::mt19937_64& random) {
  const auto below = [&](std::uint64_t limit) {
    return static_cast<std::int64_t>(random() % limit);
  };
  // A little noise, or as much as half a power of two.
  return {below(384), below(384), below(1024), below(2) == 0 ? 6'600 : 33'000};
}

/// The order of an attempt: first the fixed mixtures with each way to choose, then random ones.
FloorOrder order_of(std::size_t attempt, std::uint64_t seed, const std::vector<Weights>& weights) {
  std::mt19937_64 random(seed * 0x9e3779b97f4a7c15U + attempt);
  const std::size_t fixed = attempt / choice_count;
  const Mixture mixture =
      fixed < fixed_mixtures.size() ? fixed_mixtures[fixed] : random_mixture(random);
  std::vector<std::int64_t> scores;
  for (const Weights& of : weights) {
    const std::int64_t noise =
        mixture.noise == 0
            ? 0
            : static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(mixture.noise));
    scores.push_back(mixture.lifetime * of.lifetime + mixture.size * of.size +
                     mixture.load * of.load + noise);
  }
  Items sorted(weights.size());
  std::iota(sorted.begin(), sorted.end(), 0U);
  std::ranges::stable_sort(sorted, std::greater<>(), [&](std::uint32_t i) { return scores[i]; });
  FloorOrder order;
  order.choice = static_cast<FloorChoice>(attempt % choice_count);
  order.reach = fixed % 2 == 0 ? FloorReach::everywhere : FloorReach::around_lowest_top;
  order.ranks.resize(weights.size());
  for (std::uint32_t rank = 0; rank < sorted.size(); ++rank) order.ranks[sorted[rank]] = rank;
  return order;
}

/// The length of a walk: most are short, some go further, and each of three lengths gets a third of
/// all states. Each walk can place all items, and err as often.
std::uint64_t states_of(std::size_t attempt, std::size_t items) {
  std::uint64_t states = 1'000;
  if (attempt % 8 == 7) states = 7'000;
  if (attempt % 50 == 49) states = 40'000;
  return std::max<std::uint64_t>(states, 2 * items);
}

struct Attempts {
  const FloorProblem& problem;
  const std::vector<Weights>& weights;
  const FloorBudget& budget;
};

/// Attempts run in rounds of one size, and the first that finds a packing counts, so that the
/// number of threads makes no difference.
class Rounds {
 public:
  Rounds(const Attempts& attempts, const Items& items) : attempts_(attempts), items_(items) {}

  /// Sets the offsets of these items; false where no attempt within the budget placed them.
  bool place(std::vector<std::int32_t>& offsets) {
    std::uint64_t left = attempts_.budget.states;
    const SearchRuns& runs = attempts_.budget.runs;
    for (std::size_t begin = 0; left > 0 && first_ == none && !none_exists_ && !runs.is_over();) {
      std::vector<std::uint64_t> states;
      for (; states.size() < round_size && left > 0; left -= states.back())
        states.push_back(std::min(left, states_of(begin + states.size(), items_.size())));
      runs.run(states.size(), [&](std::size_t k) { run(begin + k, states[k]); });
      begin += states.size();
    }
    if (first_ == none) return false;
    for (const std::uint32_t i : items_) offsets[i] = found_[first_ % round_size][i];
    return true;
  }

 private:
  void run(std::size_t attempt, std::uint64_t states) {
    if (first_ < attempt || none_exists_) return;
    const FloorOrder order = order_of(attempt, attempts_.budget.seed, attempts_.weights);
    FloorWalk walk(attempts_.problem, order, {states, attempts_.budget.runs.is_over});
    const FloorOutcome outcome = walk.place_all(items_);
    if (outcome == FloorOutcome::none_exists) none_exists_ = true;
    if (outcome != FloorOutcome::found) return;
    found_[attempt % round_size] = walk.offsets();
    std::size_t first = first_;
    while (attempt < first && !first_.compare_exchange_weak(first, attempt)) {
    }
  }

  static constexpr std::size_t round_size = 16;
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  const Attempts& attempts_;
  const Items& items_;
  std::array<std::vector<std::int32_t>, round_size> found_;
  std::atomic<std::size_t> first_ = none;
  std::atomic<bool> none_exists_ = false;
};

}  // namespace

std::uint64_t affordable_states(const Sections& sections, std::uint64_t states) {
  std::uint64_t all = 0;
  for (const SectionSpan& span : sections.spans) all += span.last - span.first;
  constexpr std::uint64_t usual = 8'000;
  return all <= usual ? states : states * usual / all;
}

std::optional<Packing> floor_search(const std::vector<Buffer>& buffers, const Sections& sections,
                                    Bytes height, const FloorBudget& budget) {
  const auto problem = problem_of(buffers, sections, height);
  if (!problem) return std::nullopt;
  Items items;
  for (std::uint32_t i = 0; i < buffers.size(); ++i)
    if (buffers[i].size.count > 0) items.push_back(i);
  std::ranges::stable_sort(items, {},
                           [&](std::uint32_t i) { return problem->items[i].first_section; });
  const std::vector<Weights> weights = weights_of(buffers, *problem);
  std::vector<std::int32_t> offsets(buffers.size(), 0);
  const Attempts attempts{*problem, weights, budget};
  for (const Items& set : independent_sets(*problem, items))
    if (!Rounds(attempts, set).place(offsets)) return std::nullopt;
  const std::uint64_t unit = unit_of(buffers);
  Packing found;
  for (const std::int32_t offset : offsets)
    found.offsets.push_back({static_cast<std::uint64_t>(offset) * unit});
  found.height = height_of(buffers, found.offsets);
  return found;
}

}  // namespace vramlab::replay
