// What the readers of logs that name memory by its address have to tell besides the program.
#pragma once

#include <cstdint>

#include "traces/logs/address_program.h"

namespace vramlab::traces {

struct LogReading {
  /// Unpacked.
  std::uint64_t bytes = 0;
  LogFacts facts;
};

}  // namespace vramlab::traces
