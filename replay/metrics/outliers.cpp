#include "replay/metrics/outliers.h"

#include <algorithm>
#include <cmath>

namespace vramlab::replay {

std::uint64_t median_of(std::vector<std::uint64_t> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

UsualRange usual_range_of(const std::vector<std::uint64_t>& values) {
  constexpr std::size_t fewest_values = 4;
  if (values.size() < fewest_values) return {};
  const std::uint64_t median = median_of(values);
  std::vector<std::uint64_t> deviations;
  for (const std::uint64_t value : values)
    deviations.push_back(value > median ? value - median : median - value);
  // A usual deviation is this many medians of deviations, where values are spread by chance.
  constexpr double deviation_of_median = 1.4826;
  const double usual = 3 * deviation_of_median * static_cast<double>(median_of(deviations));
  const double allowed = std::max(usual, static_cast<double>(median) / 100);
  const double least = static_cast<double>(median) - allowed;
  return {least > 0 ? static_cast<std::uint64_t>(std::ceil(least)) : 0,
          static_cast<std::uint64_t>(static_cast<double>(median) + allowed)};
}

}  // namespace vramlab::replay
