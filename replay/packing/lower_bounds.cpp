#include "replay/packing/lower_bounds.h"

#include <algorithm>

#include "allocator/options/size_rules.h"
#include "traces/files/input_error.h"

namespace vramlab::replay {
namespace {

using allocator::Bytes;

/// Bytes that come and go.
struct Level {
  std::uint64_t now = 0;
  std::uint64_t highest = 0;

  void add(Bytes bytes) {
    now += bytes.count;
    highest = std::max(highest, now);
  }
};

struct Levels {
  Level requested;
  Level rounded;
  std::map<allocator::StreamId, Level> by_stream;
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
      levels.requested.now -= ends[ended]->requested.count;
      levels.rounded.now -= ends[ended]->bytes.count;
      levels.by_stream[ends[ended]->stream].now -= ends[ended]->bytes.count;
    }
    if (levels.rounded.now + block.bytes.count > levels.rounded.highest)
      bounds.peak_step = block.begin;
    levels.requested.add(block.requested);
    levels.rounded.add(block.bytes);
    levels.by_stream[block.stream].add(block.bytes);
  }
  bounds.peak_requested = {levels.requested.highest};
  bounds.peak_rounded = {levels.rounded.highest};
  for (const auto& [stream, level] : levels.by_stream) {
    bounds.peak_by_stream[stream] = {level.highest};
    bounds.sum_of_streams += Bytes{level.highest};
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
