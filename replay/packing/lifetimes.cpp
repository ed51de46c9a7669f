#include "replay/packing/lifetimes.h"

#include <algorithm>
#include <numeric>

#include "allocator/options/size_rules.h"
#include "replay/call_sites/memory_events.h"
#include "replay/metrics/memory_curve.h"
#include "replay/recording/live_blocks.h"
#include "traces/io/input_error.h"

namespace vramlab::replay {
namespace {

/// Follows the events of one device, and notes when each block begins and ends.
class LifetimeWalk : public LiveBlocks {
 public:
  /// `usual_count` of blocks: a list of millions that grows takes three times its memory meanwhile.
  LifetimeWalk(const allocator::Settings& settings, std::size_t usual_count) : settings_(settings) {
    blocks_.reserve(usual_count);
  }

  /// Adds blocks that the segments show and no event told of: they were live all the time.
  void take_survivors(const DeviceHistory& history) {
    for (const SnapshotSegment& segment : history.final_segments)
      for (const SnapshotBlock& block : segment.blocks) {
        if (block.state == BlockState::inactive || find(block.address.value) != nullptr) continue;
        const auto known = history.final_stacks.find(block.address);
        add({.end = 0,
             .requested = block.requested,
             .bytes = least_size(block),
             .stream = segment.stream,
             .pool = segment.pool,
             .stack = known == history.final_stacks.end() ? traces::StackId{} : known->second},
            block.address.value);
      }
  }

  DeviceLifetimes finish() {
    DeviceLifetimes found;
    found.steps = step_ + 1;
    found.contradictions = contradictions_;
    for (const LiveBlock& block : in_order()) blocks_[block.serial].end = found.steps;
    for (Lifetime& block : blocks_)
      if (block.end == 0) block.end = found.steps;
    put_those_before_first();
    std::erase_if(blocks_, [](const Lifetime& block) { return block.bytes.count == 0; });
    found.blocks = std::move(blocks_);
    return found;
  }

 private:
  void block_allocated(const LiveBlock& block) override { begin(block, ++step_); }
  void block_was_there(const LiveBlock& block) override { begin(block, 0); }
  /// The end is preliminary: it counts where no completion is told.
  void block_freed(const LiveBlock& block) override { blocks_[block.serial].end = step_ + 1; }
  void block_completed(const LiveBlock& block) override { blocks_[block.serial].end = ++step_; }
  void block_lost(const LiveBlock& block) override {
    if (block.freed) return;
    ++contradictions_;
    blocks_[block.serial].end = step_ + 1;
  }

  /// Puts the blocks from before the first event first, by address; all others are in order
  /// already. The list is not copied as a whole, as it may have millions of blocks.
  void put_those_before_first() {
    std::ranges::stable_sort(before_, {}, &Before::address);
    std::vector<Lifetime> first;
    first.reserve(before_.size());
    for (const Before& before : before_) first.push_back(blocks_[before.index]);
    std::size_t to = blocks_.size();
    for (std::size_t i = blocks_.size(); i-- > 0;)
      if (blocks_[i].begin > 0) blocks_[--to] = blocks_[i];
    std::ranges::copy(first, blocks_.begin());
  }

  void begin(const LiveBlock& block, std::uint64_t step) {
    add({.begin = step,
         .end = 0,
         .requested = block.requested,
         .bytes = rounded(block.requested, settings_),
         .stream = block.stream,
         .pool = block.pool,
         .stack = block.event ? block.stack : traces::StackId{}},
        block.key);
  }

  /// The least size of the block: its request rounded up, or the whole block where no request is
  /// known. A block may be larger than its request needs.
  Bytes least_size(const SnapshotBlock& block) const {
    if (block.requested.count == 0) return block.size;
    return std::min(block.size, rounded(block.requested, settings_));
  }

  void add(const Lifetime& block, std::uint64_t address) {
    if (block.begin == 0) before_.push_back({blocks_.size(), address});
    blocks_.push_back(block);
  }

  const allocator::Settings& settings_;
  std::uint64_t step_ = 0;
  std::uint64_t contradictions_ = 0;
  /// Lifetimes of live blocks by their serial number, then of survivors.
  std::vector<Lifetime> blocks_;
  /// Blocks from before the first event.
  struct Before {
    std::size_t index;
    std::uint64_t address;
  };
  std::vector<Before> before_;
};

struct Levels {
  Peak requested;
  Peak rounded;
  std::map<StreamId, Peak> by_stream;
};

/// Blocks by their end. A block that ends at a step is gone before others begin there.
std::vector<std::uint32_t> by_end(const DeviceLifetimes& device) {
  std::vector<std::uint32_t> ends(device.blocks.size());
  std::iota(ends.begin(), ends.end(), 0U);
  std::ranges::stable_sort(ends, {}, [&](std::uint32_t i) { return device.blocks[i].end; });
  return ends;
}

/// The number of blocks that a history without contradictions tells of: each ends, or is there at
/// the end.
std::size_t block_count_of(const DeviceHistory& history) {
  std::size_t requested = 0;
  std::size_t ended = 0;
  for (const AllocatorEvent& event : history.events) {
    if (event.action == Action::alloc) ++requested;
    if (event.action == Action::free_completed) ++ended;
  }
  for (const SnapshotSegment& segment : history.final_segments)
    for (const SnapshotBlock& block : segment.blocks)
      if (block.state != BlockState::inactive) ++ended;
  return std::max(requested, ended);
}

}  // namespace

DeviceLifetimes lifetimes_of(const DeviceHistory& history, const allocator::Settings& settings) {
  LifetimeWalk walk(settings, block_count_of(history));
  for (std::size_t i = 0; i < history.events.size(); ++i) walk.apply(memory_event(history, i));
  walk.take_survivors(history);
  DeviceLifetimes found = walk.finish();
  found.device = history.device;
  found.has_history = std::ranges::any_of(history.events, [](const AllocatorEvent& event) {
    return event.action == Action::alloc || event.action == Action::free_completed;
  });
  found.online_peak_reserved = peak_reserved_of(history);
  return found;
}

LowerBounds lower_bounds_of(const DeviceLifetimes& device) {
  LowerBounds bounds;
  Levels levels;
  const std::vector<std::uint32_t> ends = by_end(device);
  std::size_t ended = 0;
  for (const Lifetime& block : device.blocks) {
    for (; device.blocks[ends[ended]].end <= block.begin; ++ended) {
      const Lifetime& gone = device.blocks[ends[ended]];
      levels.requested.subtract(gone.requested);
      levels.rounded.subtract(gone.bytes);
      levels.by_stream[gone.stream].subtract(gone.bytes);
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
