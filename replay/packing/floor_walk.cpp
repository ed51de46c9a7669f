#include "replay/packing/floor_walk.h"

#include <algorithm>
#include <limits>
#include <span>
#include <tuple>

namespace vramlab::replay {
namespace {

/// More candidates than are worth a look; all items of a search can add so many.
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

}  // namespace

std::vector<std::vector<std::uint32_t>> independent_sets(const FloorProblem& problem,
                                                         const std::vector<std::uint32_t>& items) {
  std::vector<std::vector<std::uint32_t>> sets;
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

/// Those in which one of these is; they are in order of their first section.
auto FloorWalk::sections_of(std::span<const std::uint32_t> items) const -> SectionRange {
  const std::uint32_t begin = problem_.items[items.front()].first_section;
  std::uint32_t end = begin;
  for (const std::uint32_t i : items) end = std::max(end, problem_.items[i].last_section);
  return {begin, end};
}

/// Floors below each, and the lowest offsets that they can still have.
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
    // What can't rest on its floor comes when something lies below it.
    waiting.offsets[k] =
        can_rest ? floor : aligned(std::max(floor, waiting.least) + 1, item.alignment);
    const std::int32_t top = waiting.offsets[k] + item.size;
    for (std::uint32_t s = item.first_section; s < item.last_section; ++s)
      lowest_tops_[s] = std::min(lowest_tops_[s], top);
  }
}

/// What rests on its floor and can't be lifted by others is a candidate for the lowest place in its
/// sections; what may come to lie as low in another way makes candidates too many.
void FloorWalk::add_candidate(const FloorItem& item, const Place& place) {
  for (std::uint32_t s = item.first_section; s < item.last_section; ++s) {
    lowest_[s] = std::min(lowest_[s], place.offset);
    // Higher than this, and what is to come does not fit above it.
    const std::int32_t limit = problem_.height - to_come_[s];
    if (place.offset > limit) continue;
    candidates_[s] += place.rests && place.support > limit ? 1 : too_many;
  }
}

/// False where nothing can come of this state.
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

/// The section with the fewest candidates, and how many these are.
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

/// False where what is to come in one of the sections does not fit above its floor any more.
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

/// These wait again, above the floors that were below them.
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
    // Small ones fail soonest.
    std::ranges::stable_sort(sets, {}, &Items::size);
    is_placed = place_sets(sets, choice.least);
  }
  if (!is_placed) take_back(placed, before);
  return is_placed;
}

/// All or none: if one of them finds no place, those before it are taken back.
// NOLINTNEXTLINE(misc-no-recursion)
bool FloorWalk::place_sets(const std::vector<Items>& sets, std::int32_t least) {
  std::vector<Floors> before;
  for (std::size_t k = 0; k < sets.size(); ++k) {
    // The last one, which is the largest, need not be taken back from here.
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

}  // namespace vramlab::replay
