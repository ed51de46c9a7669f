// The values in a line of RMM's log, as they are written and meant.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace vramlab::traces::rmm {

// Each nothing where the letters mean no such value.

/// `10:36:59:123456` or with a point before the fraction, which may have up to nine digits: from
/// midnight on.
std::optional<std::uint64_t> time_of_day_ns(std::string_view letters);
/// Hexadecimal, with or without `0x`; `(nil)` is 0.
std::optional<std::uint64_t> pointer(std::string_view letters);
/// Decimal.
std::optional<std::uint64_t> size(std::string_view letters);
/// A number, or a pointer where it has `0x` or a letter from a to f.
std::optional<std::uint64_t> stream(std::string_view letters);

/// `10:36:59:123456`; what is beyond a day, and below a microsecond, is left out.
std::string time_text(std::uint64_t time_ns);

}  // namespace vramlab::traces::rmm
