// The log of allocations that RAPIDS' memory manager (RMM) writes: lines of values between commas.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace vramlab::traces::rmm {

inline constexpr std::string_view header = "Thread,Time,Action,Pointer,Size,Stream";
inline constexpr std::string_view allocate = "allocate";
inline constexpr std::string_view free = "free";
inline constexpr std::string_view failure = "allocate failure";

inline constexpr std::uint64_t day_ns = std::uint64_t{24} * 60 * 60 * 1'000'000'000;

// Each is null if the letters mean no such value.

/// `10:36:59:123456` or with a point before the fraction, which may have up to nine digits: from
/// midnight on.
std::optional<std::uint64_t> time_of_day_ns(std::string_view letters);
/// Hexadecimal, with or without `0x`; `(nil)` is 0.
std::optional<std::uint64_t> pointer(std::string_view letters);
/// A number, or a pointer where it has `0x` or a letter from a to f.
std::optional<std::uint64_t> stream(std::string_view letters);

/// `10:36:59:123456`; what is beyond a day, and below a microsecond, is left out.
std::string time_text(std::uint64_t time_ns);

}  // namespace vramlab::traces::rmm
