// Sparklines: a curve as one line of letters, which are higher where more is. Each letter shows the
// most of its share of the curve, so that no peak is lost.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace vramlab::tools {

enum class Letters : std::uint8_t { ascii, unicode };

/// Those that a terminal of that locale shows, such as `de_DE.UTF-8`; empty where it is not set.
Letters letters_of_locale(const std::string& locale);

/// At most so many values; each is the highest of its share.
std::vector<std::uint64_t> thinned(const std::vector<std::uint64_t>& values, std::size_t most);

/// One letter for each value; what is `top` or higher gets the highest one, and only nothing a
/// blank.
std::string sparkline(const std::vector<std::uint64_t>& values, std::uint64_t top, Letters letters);

}  // namespace vramlab::tools
