#include "tools/commands/replay/sparkline.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace vramlab::tools {
namespace {

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

}  // namespace vramlab::tools
