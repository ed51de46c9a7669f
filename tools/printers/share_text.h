// Shares as people read them, in percent.
#pragma once

#include <cstdint>
#include <string>

#include "allocator/words/bytes.h"

namespace vramlab::tools {

/// `12.3 %`.
std::string percent_text(double percent);
/// The same of a ratio in millionths.
std::string ratio_text(std::int64_t millionths);
/// `+12.34 %`: how much the size is above the other; `+0 %` where it is not.
std::string percent_above(allocator::Bytes size, allocator::Bytes other);

}  // namespace vramlab::tools
