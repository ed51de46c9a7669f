#include "tools/commands/replay/replay_curve_text.h"

#include <sys/ioctl.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>

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

/// U+2581 to U+2588.
constexpr std::array<const char*, 8> unicode_letters = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::array<const char*, 8> ascii_letters = {".", ":", "-", "=", "+", "*", "%", "#"};

/// From 0, for less than an eighth of the top, to 7.
std::size_t height_of(std::uint64_t value, std::uint64_t top) {
  if (value >= top) return unicode_letters.size() - 1;
  const double share = static_cast<double>(value) / static_cast<double>(top);
  const auto eighth = static_cast<std::size_t>(share * static_cast<double>(unicode_letters.size()));
  return std::min(eighth, unicode_letters.size() - 1);
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
  return "  over time, peak " + format_bytes(device.peak_reserved.bytes) + "\n" +
         named("reserved", line(&MemoryLevel::reserved)) +
         named("allocated", line(&MemoryLevel::allocated)) + named("", axis_text(device, columns));
}

Letters letters_of_locale(const std::string& locale) {
  std::string name;
  for (const char letter : locale)
    if (letter != '-') name += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return name.find("utf8") == std::string::npos ? Letters::ascii : Letters::unicode;
}

std::vector<std::uint64_t> thinned(const std::vector<std::uint64_t>& values, std::size_t most) {
  const std::size_t count = std::min(values.size(), most);
  std::vector<std::uint64_t> highest(count, 0);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t at = i * values.size() / count; at < (i + 1) * values.size() / count; ++at)
      highest[i] = std::max(highest[i], values[at]);
  return highest;
}

std::string sparkline(const std::vector<std::uint64_t>& values, std::uint64_t top,
                      Letters letters) {
  const auto& row = letters == Letters::unicode ? unicode_letters : ascii_letters;
  std::string line;
  for (const std::uint64_t value : values) line += value == 0 ? " " : row[height_of(value, top)];
  return line;
}

std::size_t screen_columns() {
  constexpr std::size_t usual_columns = 80;
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return usual_columns;
  return size.ws_col;
}

std::string locale_of_environment() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"})
    // The program has one thread when this is asked.
    if (const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
        value != nullptr && *value != '\0')
      return value;
  return {};
}

}  // namespace vramlab::tools
