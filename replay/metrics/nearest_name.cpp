#include "replay/metrics/nearest_name.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace vramlab::replay {
namespace {

/// How many letters must be inserted, removed or replaced, or swapped with their neighbour.
std::size_t distance(std::string_view a, std::string_view b) {
  // Rows for the letters of `a` so far, and for one and two letters less.
  std::array<std::vector<std::size_t>, 3> rows;
  rows.fill(std::vector<std::size_t>(b.size() + 1));
  auto& [now, before, earlier] = rows;
  for (std::size_t j = 0; j < now.size(); ++j) now[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(earlier, before);
    std::swap(before, now);
    now[0] = i;
    for (std::size_t j = 1; j < now.size(); ++j) {
      const std::size_t replaced = before[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      now[j] = std::min({before[j] + 1, now[j - 1] + 1, replaced});
      const bool is_swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (is_swap) now[j] = std::min(now[j], earlier[j - 2] + 1);
    }
  }
  return now.back();
}

/// Whether a third of the letters at most would change. A long name may lack the end.
bool is_near(std::string_view name, std::string_view known) {
  constexpr std::size_t least_of_a_beginning = 6;
  const bool may_lack_end = name.size() >= least_of_a_beginning && name.size() < known.size();
  if (may_lack_end && 3 * distance(name, known.substr(0, name.size() + 1)) <= name.size())
    return true;
  return 3 * distance(name, known) <= std::max(name.size(), known.size());
}

}  // namespace

std::string nearest_hint(std::string_view name, std::span<const std::string_view> known) {
  struct Candidate {
    bool is_other = true;
    std::size_t distance = 0;
    std::string_view name;
  };
  const auto order = [](const Candidate& one) { return std::pair(one.is_other, one.distance); };
  Candidate best;
  for (const std::string_view one : known) {
    // A part of a name most likely means that name.
    const bool is_part = name.size() > 1 && one.find(name) != std::string_view::npos;
    const Candidate candidate{!is_part, distance(name, one), one};
    if (best.name.empty() || order(candidate) < order(best)) best = candidate;
  }
  if (best.name.empty() || (best.is_other && !is_near(name, best.name))) return {};
  return "; the nearest is " + std::string(best.name);
}

}  // namespace vramlab::replay
