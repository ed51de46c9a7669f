#include "replay/packing/lifetimes.h"

#include <algorithm>
#include <unordered_map>

#include "replay/holders/memory_events.h"

namespace vramlab::replay {
namespace {

using allocator::Action;
using allocator::AllocatorEvent;
using allocator::BlockState;

/// What is there, while the events of one device go by.
class LifetimeWalk {
 public:
  explicit LifetimeWalk(const allocator::Settings& settings) : settings_(settings) {}

  void take(const AllocatorEvent& event, traces::StackId stack) {
    switch (event.action) {
      case Action::alloc:
        return begin(event, stack);
      case Action::free_completed:
        return end(event);
      case Action::free_requested:
        return note_request(event);
      default:
        return;
    }
  }

  /// What the segments show and no event told of was there all the time.
  void take_survivors(const DeviceHistory& history) {
    for (const allocator::SnapshotSegment& segment : history.final_segments)
      for (const allocator::SnapshotBlock& block : segment.blocks) {
        if (block.state == BlockState::inactive || open_.contains(block.address.value)) continue;
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

  DeviceLifetimes finish();

 private:
  struct Open {
    std::size_t index = 0;
    /// Its owner gave it back.
    std::optional<std::uint64_t> freed_at;
  };

  void begin(const AllocatorEvent& event, traces::StackId stack) {
    close_forgotten(event.address.value);
    open_[event.address.value] = {blocks_.size(), std::nullopt};
    add({.begin = ++step_,
         .end = 0,
         .requested = event.size,
         .bytes = rounded(event.size, settings_),
         .stream = event.stream,
         .pool = event.pool,
         .stack = stack},
        event.address.value);
  }

  /// A block may be larger than its request needs; where no request is known, it is all there is.
  allocator::Bytes least_size(const allocator::SnapshotBlock& block) const {
    if (block.requested.count == 0) return block.size;
    return std::min(block.size, rounded(block.requested, settings_));
  }

  void add(const Lifetime& block, std::uint64_t address) {
    blocks_.push_back(block);
    addresses_.push_back(address);
  }

  /// Handed out again: where no end was told, it was when its owner gave it back, or now.
  void close_forgotten(std::uint64_t address) {
    const auto at = open_.find(address);
    if (at == open_.end()) return;
    if (!at->second.freed_at) ++contradictions_;
    blocks_[at->second.index].end = at->second.freed_at.value_or(step_ + 1);
    open_.erase(at);
  }

  void note_request(const AllocatorEvent& event) {
    Open& open = find_or_earlier(event);
    open.freed_at = step_ + 1;
  }

  void end(const AllocatorEvent& event) {
    const Open& open = find_or_earlier(event);
    blocks_[open.index].end = ++step_;
    open_.erase(event.address.value);
  }

  /// What ends without having begun was there before.
  Open& find_or_earlier(const AllocatorEvent& event) {
    const auto at = open_.find(event.address.value);
    if (at != open_.end()) return at->second;
    Open& open = open_[event.address.value];
    open.index = blocks_.size();
    add({.end = 0,
         .requested = event.size,
         .bytes = rounded(event.size, settings_),
         .stream = event.stream,
         .pool = event.pool,
         .stack = {}},
        event.address.value);
    return open;
  }

  const allocator::Settings& settings_;
  std::uint64_t step_ = 0;
  std::uint64_t contradictions_ = 0;
  std::vector<Lifetime> blocks_;
  std::vector<std::uint64_t> addresses_;
  /// By address. Looked up only; what is left in it is sorted by index.
  std::unordered_map<std::uint64_t, Open> open_;
};

DeviceLifetimes LifetimeWalk::finish() {
  DeviceLifetimes found;
  found.steps = step_ + 1;
  found.contradictions = contradictions_;
  for (Lifetime& block : blocks_)
    if (block.end == 0) block.end = found.steps;
  std::vector<std::size_t> order(blocks_.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    if (blocks_[a].begin != blocks_[b].begin) return blocks_[a].begin < blocks_[b].begin;
    return addresses_[a] < addresses_[b];
  });
  found.blocks.reserve(blocks_.size());
  for (const std::size_t index : order)
    if (blocks_[index].bytes.count > 0) found.blocks.push_back(blocks_[index]);
  return found;
}

}  // namespace

DeviceLifetimes lifetimes_of(const DeviceHistory& history, const allocator::Settings& settings) {
  LifetimeWalk walk(settings);
  for (std::size_t i = 0; i < history.events.size(); ++i)
    walk.take(history.events[i], i < history.stacks.size() ? history.stacks[i] : traces::StackId{});
  walk.take_survivors(history);
  DeviceLifetimes found = walk.finish();
  found.device = history.device;
  found.has_history = std::ranges::any_of(history.events, [](const AllocatorEvent& event) {
    return event.action == Action::alloc || event.action == Action::free_completed;
  });
  found.online_peak_reserved = peak_reserved_of(history);
  return found;
}

std::optional<allocator::Bytes> peak_reserved_of(const DeviceHistory& history) {
  std::uint64_t at_end = 0;
  for (const allocator::SnapshotSegment& segment : history.final_segments)
    at_end += segment.total_size.count;
  std::int64_t since = 0;
  std::int64_t highest = 0;
  bool is_known = !history.final_segments.empty();
  for (const AllocatorEvent& event : history.events) {
    const auto size = static_cast<std::int64_t>(event.size.count);
    if (event.action == Action::segment_alloc || event.action == Action::segment_map)
      since += size;
    else if (event.action == Action::segment_free || event.action == Action::segment_unmap)
      since -= size;
    else
      continue;
    is_known = true;
    highest = std::max(highest, since);
  }
  if (!is_known) return std::nullopt;
  const std::int64_t at_start = static_cast<std::int64_t>(at_end) - since;
  return allocator::Bytes{
      static_cast<std::uint64_t>(std::max<std::int64_t>(0, at_start + highest))};
}

}  // namespace vramlab::replay
