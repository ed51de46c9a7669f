// The lines of code that hold memory at the end of a recording, for other commands.
#pragma once

#include <cstdint>
#include <string>

namespace vramlab::tools {

/// A table for each device as `vramlab top --at end` prints it, with so many lines. Throws
/// InputError if the file is no recording.
std::string held_at_end(const std::string& file, std::uint64_t limit);

}  // namespace vramlab::tools
