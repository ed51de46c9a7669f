#include "replay/metrics/nearest_name.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "allocator/types/check.h"

namespace vramlab::replay {
namespace {

/// How many letters must be inserted, removed or replaced.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j < row.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j < row.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row.back();
}

}  // namespace

std::string_view nearest_name(std::string_view name, std::span<const std::string_view> known) {
  check(!known.empty(), "there is a name that can be the nearest");
  return *std::ranges::min_element(known, {}, [name](std::string_view candidate) {
    // A part of a name most likely means that name.
    const bool is_part = !name.empty() && candidate.find(name) != std::string_view::npos;
    return std::make_pair(!is_part, distance(name, candidate));
  });
}

}  // namespace vramlab::replay
