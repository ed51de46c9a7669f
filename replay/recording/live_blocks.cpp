#include "replay/recording/live_blocks.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "traces/io/input_error.h"

namespace vramlab::replay {
namespace {

traces::InputError wrong_id(const std::string& file, const MemoryEvent& event,
                            const std::string& expected, const std::string& found) {
  return traces::InputError({file, "event " + std::to_string(event.number) + " of the program",
                             expected, std::to_string(event.block.key) + found});
}

}  // namespace

MemoryEventKind kind_of(Action action) {
  switch (action) {
    case Action::alloc:
      return MemoryEventKind::allocated;
    case Action::free_requested:
      return MemoryEventKind::freed;
    case Action::free_completed:
      return MemoryEventKind::free_completed;
    case Action::oom:
      return MemoryEventKind::failed;
    default:
      return MemoryEventKind::other;
  }
}

MemoryEvent memory_event(const DeviceHistory& history, std::size_t event) {
  const AllocatorEvent what = history.events[event];
  MemoryEvent told;
  told.kind = kind_of(what.action);
  told.device = history.device;
  told.number = event;
  if (!history.traits.lacks_time) told.time_ns = what.time_us * ns_per_us;
  told.block.key = what.address.value;
  told.block.requested = told.block.bytes = what.size;
  told.block.stream = what.stream;
  told.block.pool = what.pool;
  told.block.event = event;
  told.block.time_ns = told.time_ns;
  told.block.stack = stack_of(history, event);
  return told;
}

void sort_by_age(std::vector<LiveBlock>& blocks) {
  std::ranges::sort(blocks, {},
                    [](const LiveBlock& block) { return std::tuple(block.event, block.key); });
}

LiveBlock& LiveBlocks::put(LiveBlock block) {
  block.serial = count_++;
  if (!spare_) return blocks_.insert_or_assign(block.key, block).first->second;
  spare_.key() = block.key;
  spare_.mapped() = block;
  auto put = blocks_.insert(std::move(spare_));
  if (!put.inserted) {
    put.position->second = block;
    spare_ = std::move(put.node);
  }
  return put.position->second;
}

LiveBlock& LiveBlocks::put_earlier(LiveBlock block) {
  block.event.reset();
  block.time_ns.reset();
  LiveBlock& there = put(block);
  block_was_there(there);
  return there;
}

void LiveBlocks::add_earlier(LiveBlock block) { put_earlier(block); }

void LiveBlocks::apply(const MemoryEvent& event) {
  switch (event.kind) {
    case MemoryEventKind::allocated:
      return allocate(event);
    case MemoryEventKind::freed:
      return free(event);
    case MemoryEventKind::free_completed:
      return complete(event);
    case MemoryEventKind::labelled:
      return label(event);
    case MemoryEventKind::restored:
      allows_unknown_ids_ = true;
      return;
    default:
      return;
  }
}

void LiveBlocks::allocate(const MemoryEvent& event) {
  if (find(event.block.key) != nullptr) {
    if (checks_ids()) throw wrong_id(file_, event, "a new id", ", which is live");
    lose(event.block.key);
  }
  block_allocated(put(event.block));
}

void LiveBlocks::free(const MemoryEvent& event) {
  if (!std::exchange(says_when_freed_, true) && keys_ == KeyMeaning::address) first_free_told();
  auto at = blocks_.find(event.block.key);
  if (at == blocks_.end() && keys_ == KeyMeaning::id) {
    if (checks_ids()) throw wrong_id(file_, event, "the id of memory that is live", "");
    return;
  }
  if (at != blocks_.end() && at->second.freed) {
    lose(event.block.key);
    at = blocks_.end();
  }
  LiveBlock& block = at == blocks_.end() ? put_earlier(event.block) : at->second;
  block.freed = {event.number, event.time_ns, event.block.stack};
  block_freed(block);
  if (keys_ == KeyMeaning::id) end(block);
}

/// Old recordings have one entry for both.
void LiveBlocks::complete(const MemoryEvent& event) {
  const auto at = blocks_.find(event.block.key);
  LiveBlock told = event.block;
  if (says_when_freed_) told.freed.emplace();
  LiveBlock& block = at == blocks_.end() ? put_earlier(told) : at->second;
  if (!block.freed) block_freed(block);
  end(block);
}

void LiveBlocks::label(const MemoryEvent& event) {
  const auto at = blocks_.find(event.block.key);
  if (at != blocks_.end()) at->second.label = event.block.label;
}

void LiveBlocks::end(const LiveBlock& block) {
  block_completed(block);
  spare_ = blocks_.extract(block.key);
}

void LiveBlocks::lose(std::uint64_t key) {
  block_lost(blocks_.at(key));
  blocks_.erase(key);
}

const LiveBlock* LiveBlocks::find(std::uint64_t key) const {
  const auto at = blocks_.find(key);
  return at == blocks_.end() ? nullptr : &at->second;
}

std::vector<LiveBlock> LiveBlocks::in_order() const {
  std::vector<LiveBlock> blocks;
  for (const auto& [key, block] : blocks_) blocks.push_back(block);
  sort_by_age(blocks);
  return blocks;
}

}  // namespace vramlab::replay
