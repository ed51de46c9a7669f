// `vramlab watch --attach`: the memory of one running process in the terminal.
#pragma once

#include <cstdint>

#include "tools/cli/kit/arguments.h"

namespace vramlab::tools {

struct AttachQuestion {
  int process = 0;
  /// The time between two looks.
  std::uint64_t every_seconds = 2;
  /// One look instead of many.
  bool once = false;
};

/// Shows its figures until it ends, and now and then the lines of code that hold most. Throws
/// InputError if the process can't be asked.
ExitStatus show_attached(const AttachQuestion& question);

}  // namespace vramlab::tools
