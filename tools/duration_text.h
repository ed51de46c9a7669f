// How long something took, for people: `12 us`, `3.40 ms`, `1.25 s`.
#pragma once

#include <cstdint>
#include <string>

namespace vramlab::tools {

std::string duration_text(std::uint64_t time_us);

}  // namespace vramlab::tools
