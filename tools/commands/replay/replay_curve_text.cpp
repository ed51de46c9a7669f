#include "tools/commands/replay/replay_curve_text.h"

#include <algorithm>

#include "tools/printers/duration_text.h"
#include "tools/printers/text_lines.h"

namespace vramlab::tools {
namespace {

using allocator::Bytes;
using replay::DeviceReport;
using replay::MemoryLevel;

constexpr std::size_t name_width = 11;
constexpr std::size_t least_columns = 20;
constexpr std::size_t most_columns = 60;

std::string named(const std::string& name, const std::string& line) {
  return "  " + padded(name, name_width) + line + "\n";
}

std::vector<std::uint64_t> values_of(const replay::MemoryCurve& curve, Bytes MemoryLevel::*held) {
  std::vector<std::uint64_t> values;
  for (const MemoryLevel& step : curve.steps()) values.push_back((step.*held).count);
  return values;
}

/// The first event and the last, below the ends of the curve.
std::string axis_text(const DeviceReport& device, std::size_t width) {
  const std::string from = "event 0";
  std::string to = "event " + std::to_string(device.curve.last_event());
  if (device.begin_ns && device.end_ns && *device.end_ns > *device.begin_ns)
    to += ", " + nanoseconds_text(*device.end_ns - *device.begin_ns);
  const std::size_t between = width > from.size() ? width - from.size() : 0;
  return from + right(to, std::max(between, to.size() + 2));
}

}  // namespace

std::string replay_curve_text(const DeviceReport& device, const CurveStyle& style) {
  if (device.curve.steps().empty()) return {};
  const std::size_t beside = name_width + 3;
  const std::size_t room = style.columns > beside ? style.columns - beside : 0;
  const std::size_t width = std::clamp(room, least_columns, most_columns);
  const auto line = [&](Bytes MemoryLevel::*held) {
    const std::uint64_t top =
        std::max(device.peak_reserved.bytes.count, device.peak_allocated.bytes.count);
    return sparkline(thinned(values_of(device.curve, held), width), top, style.letters);
  };
  const std::size_t columns = std::min(width, device.curve.steps().size());
  return "  over time, at most " + format_bytes(device.peak_reserved.bytes) + "\n" +
         named("reserved", line(&MemoryLevel::reserved)) +
         named("allocated", line(&MemoryLevel::allocated)) + named("", axis_text(device, columns));
}

}  // namespace vramlab::tools
