#include "replay/packing/lower_bounds.h"

#include <algorithm>

#include "allocator/options/size_rules.h"
#include "replay/metrics/peak.h"
#include "traces/io/input_error.h"

namespace vramlab::replay {
namespace {

struct Levels {
  Peak requested;
  Peak rounded;
  std::map<StreamId, Peak> by_stream;
};

/// By end. What ends at a step is gone before what begins there.
std::vector<const Lifetime*> by_end(const DeviceLifetimes& device) {
  std::vector<const Lifetime*> ends;
  ends.reserve(device.blocks.size());
  for (const Lifetime& block : device.blocks) ends.push_back(&block);
  std::ranges::stable_sort(ends, {}, [](const Lifetime* block) { return block->end; });
  return ends;
}

}  // namespace

LowerBounds lower_bounds_of(const DeviceLifetimes& device) {
  LowerBounds bounds;
  Levels levels;
  const std::vector<const Lifetime*> ends = by_end(device);
  std::size_t ended = 0;
  for (const Lifetime& block : device.blocks) {
    for (; ends[ended]->end <= block.begin; ++ended) {
      levels.requested.subtract(ends[ended]->requested);
      levels.rounded.subtract(ends[ended]->bytes);
      levels.by_stream[ends[ended]->stream].subtract(ends[ended]->bytes);
    }
    levels.requested.add(block.requested);
    levels.rounded.add(block.bytes);
    levels.by_stream[block.stream].add(block.bytes);
  }
  bounds.peak_requested = levels.requested.bytes();
  bounds.peak_rounded = levels.rounded.bytes();
  for (const auto& [stream, level] : levels.by_stream) {
    bounds.peak_by_stream[stream] = level.bytes();
    bounds.sum_of_streams += level.bytes();
  }
  return bounds;
}

std::vector<Buffer> buffers_of(const DeviceLifetimes& device) {
  std::vector<Buffer> buffers;
  buffers.reserve(device.blocks.size());
  for (const Lifetime& block : device.blocks)
    buffers.push_back({block.begin, block.end, block.bytes, allocator::minimum_block});
  return buffers;
}

void check_countable(const DeviceLifetimes& device, const std::string& file) {
  constexpr std::uint64_t most = std::uint64_t{1} << 62U;
  std::uint64_t sum = 0;
  for (const Lifetime& block : device.blocks) {
    if (block.bytes.count < most && block.requested.count < most && sum < most) {
      sum += block.bytes.count;
      continue;
    }
    throw traces::InputError({file, "device " + std::to_string(device.device),
                              "blocks whose sizes add up to less than 2^62", "more"});
  }
}

}  // namespace vramlab::replay
