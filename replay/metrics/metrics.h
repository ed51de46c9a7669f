// Metrics: the figures that have one name and one unit wherever they are printed or compared.
// tests/schemas/metric_lists.py writes docs/reference/metrics.md and the schemas from their table.
//
// Values are integers, so that the same input gives the same answer to "is it over the limit"
// everywhere: bytes, counts, and shares of a whole in millionths.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace vramlab::replay {

enum class MetricUnit : std::uint8_t { bytes, count, ratio, nanoseconds };
std::string_view metric_unit_name(MetricUnit unit);

/// A ratio of 1 is so many millionths.
inline constexpr std::int64_t whole_ratio = 1'000'000;

enum class MetricOf : std::uint8_t {
  /// One moment: what a snapshot shows.
  state,
  /// A whole replay or history.
  run,
  /// What changed from one file to another.
  comparison,
};

/// Which way is worse, for those who only say that something changed.
enum class WorseWhen : std::uint8_t { more, less, neither };

struct Metric {
  std::string_view name;
  MetricUnit unit = MetricUnit::count;
  MetricOf of = MetricOf::state;
  WorseWhen worse = WorseWhen::neither;
  std::string_view sentence;
};

/// All there are, those of a state first.
std::span<const Metric> all_metrics();
/// Null where there is none of this name.
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
/// In the order of the table. What is not known is left out.
using MetricValues = std::vector<MetricValue>;

/// Null where it is not among them.
const MetricValue* find_value(const MetricValues& values, std::string_view name);

/// All devices together; a metric that one of them does not know is left out.
MetricValues sum_of_metrics(const std::vector<MetricValues>& devices);

/// `part` of `whole` in millionths, rounded to the nearest; 0 of nothing. Requires: part is not
/// above whole.
std::int64_t ratio_of(std::uint64_t part, std::uint64_t whole);

}  // namespace vramlab::replay
