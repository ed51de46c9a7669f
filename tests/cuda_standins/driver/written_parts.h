// Which parts of watched memory the driver says were written, as its users read them.
#pragma once

#include <cstdint>
#include <vector>

#include "tools/cuda_standins/notes/notes.h"

namespace vramlab::fake {

/// Since the last call.
inline std::vector<std::uint64_t> written_parts() {
  static std::uint64_t seen = 0;
  const auto* const parts = static_cast<const std::uint64_t*>(vramlab_dry_run_written_parts());
  std::vector<std::uint64_t> beginnings;
  for (; seen < parts[0]; ++seen) beginnings.push_back(parts[1 + seen % 16384]);
  return beginnings;
}

}  // namespace vramlab::fake
