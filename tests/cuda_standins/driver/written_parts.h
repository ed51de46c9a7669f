// Which parts of watched memory the driver says were written, as its users read them.
#pragma once

#include <cstdint>
#include <vector>

#include "tools/cuda_standins/notes/notes.h"

namespace vramlab::fake {

/// Reads the parts that are written from its construction on. Each test has a driver of its own.
class WrittenPartsReader {
 public:
  /// Since the last call.
  std::vector<std::uint64_t> take() {
    constexpr std::uint64_t kept = 16384;
    std::vector<std::uint64_t> beginnings;
    for (; seen_ < parts()[0]; ++seen_) beginnings.push_back(parts()[1 + seen_ % kept]);
    return beginnings;
  }

 private:
  static const std::uint64_t* parts() {
    return static_cast<const std::uint64_t*>(vramlab_dry_run_written_parts());
  }

  std::uint64_t seen_ = parts()[0];
};

}  // namespace vramlab::fake
