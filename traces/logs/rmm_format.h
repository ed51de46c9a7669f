// The log of allocations that RAPIDS' memory manager (RMM) writes: lines of values between commas.
#pragma once

#include <cstdint>
#include <string_view>

namespace vramlab::traces::rmm {

inline constexpr std::string_view header = "Thread,Time,Action,Pointer,Size,Stream";

inline constexpr std::string_view allocate = "allocate";
inline constexpr std::string_view free = "free";
inline constexpr std::string_view failure = "allocate failure";

inline constexpr std::uint64_t day_ns = std::uint64_t{24} * 60 * 60 * 1'000'000'000;

}  // namespace vramlab::traces::rmm
