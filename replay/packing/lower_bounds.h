// LowerBounds: what a history needs at least, whatever an allocator does.
#pragma once

#include <map>
#include <vector>

#include "replay/packing/buffer.h"
#include "replay/packing/lifetimes.h"

namespace vramlab::replay {

struct LowerBounds {
  /// The most that was asked for at once. No allocator does with less.
  Bytes peak_requested;
  /// The same of requests rounded up: the load bound of an allocator with these block sizes.
  Bytes peak_rounded;
  /// Each stream's own, rounded.
  std::map<StreamId, Bytes> peak_by_stream;
  /// Their sum: what is needed where memory never goes from one stream to another.
  Bytes sum_of_streams;
};

LowerBounds lower_bounds_of(const DeviceLifetimes& device);

/// What a packer places: blocks of rounded sizes, at multiples of the smallest block.
std::vector<Buffer> buffers_of(const DeviceLifetimes& device);

/// Sizes add up to what packers and policies can count. Throws InputError; `file` is for that.
void check_countable(const DeviceLifetimes& device, const std::string& file);

}  // namespace vramlab::replay
