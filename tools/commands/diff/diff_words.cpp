#include "tools/commands/diff/diff_words.h"

#include <cstdio>
#include <cstdlib>

#include "tools/printers/duration_text.h"
#include "tools/printers/share_text.h"

namespace vramlab::tools {
namespace {

using replay::GroupChange;
using replay::GroupFate;
using replay::Metric;
using replay::MetricChange;
using replay::MetricUnit;

constexpr std::size_t named_culprits = 3;

const char* sign_of(std::int64_t value) { return value < 0 ? "-" : "+"; }

std::string amount_text(const Metric& metric, std::int64_t value) {
  const auto size = static_cast<std::uint64_t>(std::abs(value));
  if (metric.unit == MetricUnit::bytes) return format_bytes(allocator::Bytes{size});
  if (metric.unit == MetricUnit::nanoseconds) return nanoseconds_text(size);
  return std::to_string(size);
}

std::string points_text(std::int64_t millionths) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.2f points", static_cast<double>(std::abs(millionths)) / 1e4);
  return text;
}

/// Nothing of what was nothing before.
std::string share_text(std::int64_t change, std::int64_t base) {
  if (base == 0) return "";
  const double share = 100.0 * static_cast<double>(std::abs(change)) / static_cast<double>(base);
  return std::string(" (") + sign_of(change) + percent_text(share) + ")";
}

}  // namespace

std::string value_text(const Metric& metric, std::int64_t value) {
  if (metric.unit == MetricUnit::ratio) return ratio_text(value);
  return (value < 0 ? "-" : "") + amount_text(metric, value);
}

std::string value_text(const Metric& metric, const std::optional<std::int64_t>& value) {
  return value ? value_text(metric, *value) : "-";
}

std::string change_text(const MetricChange& change) {
  if (!change.base || !change.now) return "";
  const std::int64_t by = *change.now - *change.base;
  if (change.metric->unit == MetricUnit::ratio) return sign_of(by) + points_text(by);
  return sign_of(by) + amount_text(*change.metric, by) + share_text(by, *change.base);
}

std::string change_text(const GroupChange& change) {
  return sign_of(change.bytes()) +
         format_bytes(allocator::Bytes{static_cast<std::uint64_t>(std::abs(change.bytes()))}) +
         share_text(change.bytes(), static_cast<std::int64_t>(change.base.bytes.count));
}

std::string fate_text(GroupFate fate) {
  switch (fate) {
    case GroupFate::grown:
      return "grown";
    case GroupFate::shrunk:
      return "shrunk";
    case GroupFate::appeared:
      return "new";
    case GroupFate::gone:
      return "gone";
  }
  return "";
}

std::string groups_text(replay::CompareBy by) {
  switch (by) {
    case replay::CompareBy::site:
      return "call site";
    case replay::CompareBy::stack:
      return "stack";
    case replay::CompareBy::size:
      return "size";
    case replay::CompareBy::stream:
      return "stream";
    case replay::CompareBy::pool:
      return "pool";
    case replay::CompareBy::position:
      return "position";
  }
  return "";
}

bool looks_at_base(const replay::JudgedLimit& limit) {
  return limit.limit.metric->of != replay::MetricOf::comparison && limit.limit.needs_base();
}

std::string limit_text(const replay::JudgedLimit& limit) {
  const Metric& metric = *limit.limit.metric;
  std::string text = limit.limit.text + ": ";
  if (!looks_at_base(limit)) return text + value_text(metric, limit.now) + " now";
  return text + value_text(metric, limit.base) + " before, " + value_text(metric, limit.now) +
         " now, " + change_text(MetricChange{&metric, limit.base, limit.now});
}

std::string culprits_text(const replay::Comparison& comparison) {
  std::string text;
  std::size_t named = 0;
  for (const GroupChange& change : comparison.groups) {
    if (change.bytes() <= 0) continue;
    if (named++ == named_culprits) return text + ", and others";
    text += (text.empty() ? "" : ", ") + change.key + " " + change_text(change);
  }
  return text;
}

}  // namespace vramlab::tools
