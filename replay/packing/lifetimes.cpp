#include "replay/packing/lifetimes.h"

#include <algorithm>

#include "replay/call_sites/memory_events.h"
#include "replay/recording/live_blocks.h"

namespace vramlab::replay {
namespace {

/// What is there while the events of one device go by.
class LifetimeWalk : public LiveBlocks {
 public:
  explicit LifetimeWalk(const allocator::Settings& settings) : settings_(settings) {}

  /// What the segments show and no event told of was there all the time.
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
  /// For now: where no completion is told, it was then.
  void block_freed(const LiveBlock& block) override { blocks_[block.serial].end = step_ + 1; }
  void block_completed(const LiveBlock& block) override { blocks_[block.serial].end = ++step_; }
  void block_lost(const LiveBlock& block) override {
    if (block.freed) return;
    ++contradictions_;
    blocks_[block.serial].end = step_ + 1;
  }

  /// All others are in order already. Nothing is copied as a whole: there may be millions.
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

  /// A block may be larger than its request needs; where no request is known, it is all there is.
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
  /// Those of live blocks by their serial number, then survivors.
  std::vector<Lifetime> blocks_;
  /// What was there before the first event.
  struct Before {
    std::size_t index;
    std::uint64_t address;
  };
  std::vector<Before> before_;
};

}  // namespace

DeviceLifetimes lifetimes_of(const DeviceHistory& history, const allocator::Settings& settings) {
  LifetimeWalk walk(settings);
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

}  // namespace vramlab::replay
