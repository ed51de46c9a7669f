// Memory over time as two sparklines, one below the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "replay/run/replay_report.h"

namespace vramlab::tools {

enum class Letters : std::uint8_t { ascii, unicode };

struct CurveStyle {
  Letters letters = Letters::ascii;
  /// The width of the screen; the curves have 60 at most.
  std::size_t columns = 80;
};

/// Empty where there was no event.
std::string replay_curve_text(const replay::DeviceReport& device, const CurveStyle& style);

/// Those that a terminal of that locale shows, such as `de_DE.UTF-8`; empty where it is not set.
Letters letters_of_locale(const std::string& locale);

/// At most so many values; each is the highest of its share.
std::vector<std::uint64_t> thinned(const std::vector<std::uint64_t>& values, std::size_t most);

/// One letter for each value; what is `top` or higher gets the highest one, and only nothing a
/// blank.
std::string sparkline(const std::vector<std::uint64_t>& values, std::uint64_t top, Letters letters);

/// The width of the terminal that standard output is; 80 if it is none.
std::size_t screen_columns();

/// The one that says how letters are written, such as `de_DE.UTF-8`; empty where none is set.
std::string locale_of_environment();

}  // namespace vramlab::tools
