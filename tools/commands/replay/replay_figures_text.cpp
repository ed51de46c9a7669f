#include "tools/commands/replay/replay_figures_text.h"

#include <algorithm>

#include "tools/printers/text_lines.h"

namespace vramlab::tools {
namespace {

using allocator::PooledStatistic;
using allocator::StatisticValue;
using allocator::StatisticValues;

constexpr std::size_t column_width = 14;

std::string bytes_text(std::int64_t count) {
  const allocator::Bytes bytes{static_cast<std::uint64_t>(std::max<std::int64_t>(0, count))};
  return format_bytes(bytes);
}

std::string count_text(std::int64_t count) { return std::to_string(count); }

using NumberText = std::string (*)(std::int64_t number);

std::string row(const std::string& name, const StatisticValue& value, NumberText number) {
  std::string text = "  " + padded(name, line_name_width);
  for (const std::int64_t shown : {value.current, value.peak, value.allocated, value.freed})
    text += right(number(shown), column_width);
  return text + "\n";
}

/// With what of it is in the pools of small and of large blocks.
std::string rows(const std::string& name, const PooledStatistic& value) {
  return row(name, value.all, bytes_text) + row("  small pool", value.small_pool, bytes_text) +
         row("  large pool", value.large_pool, bytes_text);
}

std::string header() {
  std::string text = "  " + padded("", line_name_width);
  for (const char* name : {"at the end", "at most", "added", "taken away"})
    text += right(name, column_width);
  return text + "\n";
}

}  // namespace

std::string replay_figures_text(const replay::DeviceReport& device) {
  const StatisticValues& values = device.statistics;
  // A stream-ordered pool has no halves, and counts no blocks.
  if (device.pool)
    return header() + row("allocated", values.allocated_bytes.all, bytes_text) +
           row("requested", values.requested_bytes.all, bytes_text) +
           row("reserved", values.reserved_bytes.all, bytes_text);
  return header() + rows("allocated", values.allocated_bytes) +
         row("active", values.active_bytes.all, bytes_text) +
         row("requested", values.requested_bytes.all, bytes_text) +
         rows("reserved", values.reserved_bytes) +
         row("inactive split", values.inactive_split_bytes.all, bytes_text) +
         row("allocations", values.allocation.all, count_text) +
         row("active blocks", values.active.all, count_text) +
         row("inactive blocks", values.inactive_split.all, count_text) +
         row("segments", values.segment.all, count_text);
}

}  // namespace vramlab::tools
