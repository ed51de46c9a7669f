// How long something took, for people: `12 us`, `3.40 ms`, `1.25 s`.
#pragma once

#include <cstdint>
#include <string>

namespace vramlab::tools {

std::string duration_text(std::uint64_t time_us);
/// From nanoseconds on: `12 ns`, `3.40 us`, then as above.
std::string nanoseconds_text(std::uint64_t time_ns);

}  // namespace vramlab::tools
