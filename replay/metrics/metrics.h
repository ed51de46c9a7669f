// Metrics: the figures that have one name and one unit wherever they are printed or compared.
// tests/schemas/metric_lists.py writes docs/reference/metrics.md and the schemas from their table.
//
// Values are integers, so that the same input gives the same answer to "is it over the limit"
// everywhere: bytes, counts, and shares of a whole in millionths.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

namespace vramlab::replay {

enum class MetricUnit : std::uint8_t { bytes, count, ratio, nanoseconds };
std::string_view metric_unit_name(MetricUnit unit);

/// A ratio of 1, in millionths.
inline constexpr std::int64_t whole_ratio = 1'000'000;

enum class MetricOf : std::uint8_t {
  /// One moment, as a snapshot shows it.
  state,
  /// A whole replay or history.
  run,
  /// A kind of memory, of recordings that say what their blocks hold.
  kind,
  /// A change from one file to another.
  comparison,
};

/// The direction in which a changed value is worse.
enum class WorseWhen : std::uint8_t { more, less, neither };

struct Metric {
  std::string_view name;
  MetricUnit unit = MetricUnit::count;
  MetricOf of = MetricOf::state;
  WorseWhen worse = WorseWhen::neither;
  std::string_view sentence;
};

/// All metrics, those of a state first.
std::span<const Metric> all_metrics();
/// Null where no metric has this name.
const Metric* find_metric(std::string_view name);

/// Whether only programs with events about pinned host memory have it.
inline bool is_of_host(const Metric& metric) { return metric.name.starts_with("host_"); }

struct MetricValue {
  /// As in the table.
  std::string_view name;
  /// A ratio is in millionths.
  std::int64_t value = 0;
  friend bool operator==(const MetricValue&, const MetricValue&) = default;
};
/// In the order of the table; unknown values are left out.
using MetricValues = std::vector<MetricValue>;

/// Null where the values have none of this name.
const MetricValue* find_value(const MetricValues& values, std::string_view name);

/// A count or a size as the value of a metric; the largest value where it does not fit, as in files
/// that are nonsense.
constexpr std::int64_t metric_of(std::uint64_t count) {
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  return count > std::uint64_t{largest} ? largest : static_cast<std::int64_t>(count);
}

/// Sums over all devices, the largest value where a sum does not fit; a metric that is missing for
/// one of them is left out.
MetricValues sum_of_metrics(const std::vector<MetricValues>& devices);

/// `part` of `whole` in millionths, rounded to the nearest; 0 where the whole is 0. Requires: part
/// is not above whole.
std::int64_t ratio_of(std::uint64_t part, std::uint64_t whole);

}  // namespace vramlab::replay
