#include "replay/packing/floor_search.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <limits>
#include <numeric>
#include <random>
#include <tuple>

#include "replay/packing/floor_walk.h"

namespace vramlab::replay {
namespace {

using Items = std::vector<std::uint32_t>;

/// What every size and alignment is a multiple of.
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

/// What orders are made of: each item's lifetime, size, and the highest load that it is a part of.
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

/// How much the logarithms of each count.
struct Mixture {
  std::int64_t lifetime = 0;
  std::int64_t size = 0;
  std::int64_t load = 0;
  std::int64_t noise = 0;
};

/// The first ones: lifetime, area or load first, then another of them.
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

/// The order of an attempt: the fixed ones with each way to choose, then any.
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

/// Most walks are short, some go further: a third of all states for each length. Each can place all
/// items, and err as often.
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

/// Attempts run in rounds of one size, and the first that arrives counts, so that the number of
/// threads makes no difference.
class Rounds {
 public:
  Rounds(const Attempts& attempts, const Items& items) : attempts_(attempts), items_(items) {}

  /// The offsets of these items; false where no attempt of the budget arrived.
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
