// Sections: the stretches of time in which a set of buffers begins to be there before one of them
// ends. Buffers overlap exactly where they share a section, and there are at most as many sections
// as buffers, whatever the unit of time is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "replay/packing/buffer.h"

namespace vramlab::replay {

struct SectionSpan {
  /// [first, last)
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};

struct Sections {
  /// Of each buffer.
  std::vector<SectionSpan> spans;
  /// The bytes that are there in each section.
  std::vector<std::uint64_t> loads;
};

/// Requires: fewer than 2^32 buffers.
Sections sections_of(const std::vector<Buffer>& buffers);

/// The highest load: no packing is lower.
allocator::Bytes load_bound(const Sections& sections);

}  // namespace vramlab::replay
