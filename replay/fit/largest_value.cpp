#include "replay/fit/largest_value.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace vramlab::replay {
namespace {

/// The largest value that fits lies in [from, below), where `from` fits or is in front of all.
struct Bracket {
  std::ptrdiff_t from = -1;
  std::ptrdiff_t below = 0;
};

/// After so many runs with a limit the interval is halved.
constexpr std::size_t most_guesses = 6;
/// Failures above the first are looked into up to this number.
constexpr std::size_t most_surprises = 4;
constexpr std::size_t most_runs_without_limit = 5;
/// The segment of a request below 10 MiB: a run may get one more or one less, whatever the value.
constexpr Bytes one_segment{20U << 20U};
/// Values near the limit that do not fit, after which no more are tried.
constexpr std::size_t most_near_failures = 3;

Bracket bracket_of(const SearchFacts& facts) {
  Bracket bracket{-1, std::ssize(facts.values)};
  for (const auto& [index, fits] : facts.fits)
    if (fits) bracket.from = std::ptrdiff_t(index);
  for (const auto& [index, fits] : facts.fits)
    if (!fits && std::ptrdiff_t(index) > bracket.from) {
      bracket.below = std::ptrdiff_t(index);
      break;
    }
  return bracket;
}

using Points = std::map<std::size_t, Bytes>;

/// The point left of `right` through which a line to `index` goes. Beyond the last point it is as
/// far from that one as the value is: neighbours differ by a segment as often as not.
Points::const_iterator left_of(const SearchFacts& facts, const Points& points,
                               Points::const_iterator right, std::size_t index) {
  auto left = std::prev(right);
  const double at = facts.values[right->first];
  const double beyond = facts.values[index] - at;
  while (left != points.begin() && at - facts.values[left->first] < beyond) --left;
  return left;
}

/// The line through two points of a curve, at a value. Requires: two points or more.
double on_curve(const SearchFacts& facts, const Points& points, std::size_t index) {
  auto right = points.lower_bound(index);
  if (right == points.begin()) ++right;
  if (right == points.end()) --right;
  const auto left = left_of(facts, points, right, index);
  const double from = facts.values[left->first];
  const double span = facts.values[right->first] - from;
  const auto low = static_cast<double>(left->second.count);
  const auto high = static_cast<double>(right->second.count);
  return low + (high - low) * (facts.values[index] - from) / span;
}

Points::const_iterator nearest(const Points& points, std::size_t index) {
  auto after = points.lower_bound(index);
  if (after == points.begin()) return after;
  const auto before = std::prev(after);
  if (after == points.end() || index - before->first < after->first - index) return before;
  return after;
}

bool can_guess(const SearchFacts& facts) {
  return facts.needs.size() >= 2 || facts.hints.size() >= 2;
}

/// Requires: a guess is possible.
double guessed_need(const SearchFacts& facts, std::size_t index) {
  if (const auto known = facts.needs.find(index); known != facts.needs.end())
    return static_cast<double>(known->second.count);
  if (facts.needs.size() >= 2) return on_curve(facts, facts.needs, index);
  double shift = 0;
  if (!facts.needs.empty()) {
    const auto own = nearest(facts.needs, index);
    shift = static_cast<double>(own->second.count) - on_curve(facts, facts.hints, own->first);
  }
  return on_curve(facts, facts.hints, index) + shift;
}

bool is_guessed_to_fit(const SearchFacts& facts, std::size_t index) {
  return guessed_need(facts, index) <= static_cast<double>(facts.memory.count);
}

/// Two runs that teach how the need grows: the least value, and one far enough from it.
std::vector<WantedRun> lessons(const SearchFacts& facts) {
  const std::size_t count = facts.values.size();
  if (count < 3 || can_guess(facts)) return {};
  std::vector<WantedRun> wanted;
  const auto is_open = [&](std::size_t index) {
    return !facts.needs.contains(index) && !facts.runs_without_need.contains(index);
  };
  if (is_open(0)) wanted.push_back({0, RunLimit::none});
  constexpr std::size_t far = 7;
  std::size_t second = std::min(count - 1, far);
  while (second > 0 && facts.runs_without_need.contains(second)) second /= 2;
  if (second > 0 && is_open(second)) wanted.push_back({second, RunLimit::none});
  return wanted;
}

/// Doubles the value until one does not fit, then halves the interval.
std::vector<WantedRun> without_guess(const SearchFacts& facts, const Bracket& bracket) {
  if (bracket.below < std::ssize(facts.values) || bracket.from < 0) {
    const std::ptrdiff_t middle =
        bracket.from < 0 ? 0 : bracket.from + (bracket.below - bracket.from) / 2;
    return {{static_cast<std::size_t>(middle), RunLimit::memory_of_gpu}};
  }
  const std::ptrdiff_t doubled = 2 * bracket.from + 1;
  return {
      {static_cast<std::size_t>(std::min(doubled, bracket.below - 1)), RunLimit::memory_of_gpu}};
}

/// Whether a run without a limit at this value would make the guess much better.
bool is_far_from_known(const SearchFacts& facts, std::size_t index) {
  if (facts.needs.size() < 2 || facts.needs.size() >= most_runs_without_limit) return false;
  if (facts.runs_without_need.contains(index)) return false;
  const std::size_t known = nearest(facts.needs, index)->first;
  const std::size_t distance = known > index ? known - index : index - known;
  return distance > std::max<std::size_t>(2, index / 8);
}

std::vector<WantedRun> near_guess(const SearchFacts& facts, const Bracket& bracket) {
  if (facts.fits.size() > most_guesses && bracket.below - bracket.from > 4)
    return {{static_cast<std::size_t>(bracket.from + (bracket.below - bracket.from) / 2),
             RunLimit::memory_of_gpu}};
  std::ptrdiff_t guess = bracket.below - 1;
  while (guess > bracket.from && !is_guessed_to_fit(facts, static_cast<std::size_t>(guess)))
    --guess;
  const auto at = static_cast<std::size_t>(std::max<std::ptrdiff_t>(guess, 0));
  if (is_far_from_known(facts, at)) return {{at, RunLimit::none}};
  std::vector<WantedRun> wanted;
  if (guess > bracket.from) wanted.push_back({at, RunLimit::memory_of_gpu});
  if (guess + 1 < bracket.below)
    wanted.push_back({static_cast<std::size_t>(guess + 1), RunLimit::memory_of_gpu});
  return wanted;
}

/// A larger value that needs no more than there is, by its history without a limit.
std::optional<std::size_t> larger_that_should_fit(const SearchFacts& facts,
                                                  const Bracket& bracket) {
  for (const auto& [index, need] : facts.needs)
    if (std::ptrdiff_t(index) > bracket.from && need <= facts.memory && !facts.fits.contains(index))
      return index;
  return std::nullopt;
}

/// A value needed more than it should have, by the curve without it.
bool is_surprise(const SearchFacts& facts, std::size_t index) {
  if (index == 0) return false;
  SearchFacts others = facts;
  others.needs.erase(index);
  if (!can_guess(others)) return false;
  const double guess = guessed_need(others, index);
  const double margin = 2 * std::abs(guess - guessed_need(others, index - 1));
  const auto known = facts.needs.find(index);
  const auto memory = static_cast<double>(facts.memory.count);
  if (known == facts.needs.end()) return guess + margin < memory;
  return guess <= memory && static_cast<double>(known->second.count) > guess + margin;
}

/// The failures above the interval: by a run with a limit, or by the need of one without.
std::set<std::size_t> failures_above(const SearchFacts& facts, const Bracket& bracket) {
  std::set<std::size_t> failed;
  for (const auto& [index, fits] : facts.fits)
    if (!fits && std::ptrdiff_t(index) > bracket.from) failed.insert(index);
  for (const auto& [index, need] : facts.needs)
    if (need > facts.memory && std::ptrdiff_t(index) > bracket.from) failed.insert(index);
  return failed;
}

std::vector<WantedRun> neighbours_of_surprises(const SearchFacts& facts, const Bracket& bracket) {
  const std::set<std::size_t> failed = failures_above(facts, bracket);
  if (failed.size() > most_surprises) return {};
  std::vector<WantedRun> wanted;
  for (const std::size_t index : failed) {
    if (!is_surprise(facts, index)) continue;
    for (const std::size_t next : {index + 1, index - 1})
      if (std::ptrdiff_t(next) > bracket.from && next < facts.values.size() &&
          !facts.fits.contains(next) && !failed.contains(next))
        wanted.push_back({next, RunLimit::memory_of_gpu});
  }
  return wanted;
}

/// Larger values that are guessed to need little more than there is: the next one, and the last.
std::vector<WantedRun> values_near_the_limit(const SearchFacts& facts, const Bracket& bracket) {
  if (!can_guess(facts) || failures_above(facts, bracket).size() > most_near_failures) return {};
  const auto most = static_cast<double>((facts.memory + one_segment).count);
  std::vector<WantedRun> near;
  for (auto value = static_cast<std::size_t>(bracket.below); value < facts.values.size(); ++value)
    if (!facts.fits.contains(value) && !facts.needs.contains(value) &&
        guessed_need(facts, value) <= most)
      near.push_back({value, RunLimit::memory_of_gpu});
  if (near.size() > 2) near.erase(near.begin() + 1, near.end() - 1);
  return near;
}

/// If nothing fits, its need is told.
std::vector<WantedRun> need_of_least(const SearchFacts& facts) {
  if (!facts.needs.empty() || facts.runs_without_need.contains(0)) return {};
  return {{0, RunLimit::none}};
}

}  // namespace

std::vector<WantedRun> wanted_runs(const SearchFacts& facts) {
  if (facts.values.empty()) return {};
  const Bracket bracket = bracket_of(facts);
  if (bracket.below == bracket.from + 1) {
    if (const auto larger = larger_that_should_fit(facts, bracket))
      return {{*larger, RunLimit::memory_of_gpu}};
    if (bracket.from < 0) return need_of_least(facts);
    if (auto wanted = neighbours_of_surprises(facts, bracket); !wanted.empty()) return wanted;
    return values_near_the_limit(facts, bracket);
  }
  if (std::vector<WantedRun> wanted = lessons(facts); !wanted.empty()) return wanted;
  return can_guess(facts) ? near_guess(facts, bracket) : without_guess(facts, bracket);
}

std::optional<std::size_t> guessed_largest(const SearchFacts& facts) {
  if (!can_guess(facts)) {
    if (facts.needs.empty() || facts.needs.begin()->second > facts.memory) return std::nullopt;
    return facts.needs.begin()->first;
  }
  for (std::size_t index = facts.values.size(); index-- > 0;)
    if (is_guessed_to_fit(facts, index)) return index;
  return std::nullopt;
}

LargestValue largest_value(const SearchFacts& facts) {
  LargestValue answer;
  const Bracket bracket = bracket_of(facts);
  if (bracket.from >= 0) answer.fits = static_cast<std::size_t>(bracket.from);
  if (bracket.below < std::ssize(facts.values))
    answer.next = static_cast<std::size_t>(bracket.below);
  for (const auto& [index, fits] : facts.fits)
    if (!fits && std::ptrdiff_t(index) < bracket.from) answer.failed_below.push_back(index);
  return answer;
}

}  // namespace vramlab::replay
