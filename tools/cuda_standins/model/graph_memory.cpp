#include "tools/cuda_standins/model/graph_memory.h"

#include <algorithm>

namespace vramlab::dry_run {

/// A range of addresses, for the nodes that have it one after another.
struct GraphMemory::Block {
  Block(GraphMemory& memory, const Allocation& allocation) : owner(memory), range(allocation) {}
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  ~Block() {
    owner.release(own, range.device);
    if (is_left_in_use) owner.figures_.at(range.device).used -= range.bytes;
    owner.blocks_.erase(range.at);
    owner.memory_.release(range.at);
  }

  GraphMemory& owner;
  Allocation range;
  GraphPlace::Kind kind = GraphPlace::Kind::capture;
  std::uint64_t graph = 0;
  /// A node of the same graph frees it.
  bool is_freed = false;
  /// A launch left it in use. Its bytes are its own then.
  bool is_left_in_use = false;
  Held own;
  std::uint64_t last_launch = 0;
};

GraphMemory::BlockRef GraphMemory::take_freed(std::span<const GraphPlace> behind,
                                              std::uint32_t device, std::uint64_t bytes) {
  std::vector<BlockRef>* from = nullptr;
  std::size_t best = 0;
  for (const GraphPlace& place : behind) {
    const auto found = freed_.find(place);
    if (found == freed_.end()) continue;
    for (std::size_t i = 0; i < found->second.size(); ++i) {
      const Allocation& range = found->second[i]->range;
      if (range.device != device || range.bytes < bytes) continue;
      if (from != nullptr && (*from)[best]->range.bytes <= range.bytes) continue;
      from = &found->second;
      best = i;
    }
  }
  if (from == nullptr) return nullptr;
  BlockRef block = (*from)[best];
  from->erase(from->begin() + static_cast<std::ptrdiff_t>(best));
  return block;
}

std::optional<GraphMemory::NewMemory> GraphMemory::allocate(
    const GraphPlace& node, std::span<const GraphPlace> behind,
    std::pair<std::uint32_t, std::uint64_t> device_and_bytes) {
  const auto [device, bytes] = device_and_bytes;
  BlockRef block = take_freed(behind, device, bytes);
  if (!block) {
    Allocation wish{.bytes = bytes, .kind = MemoryKind::graph, .device = device};
    const auto at = memory_.allocate(wish);
    if (!at) return std::nullopt;
    wish.at = *at;
    block = std::make_shared<Block>(*this, wish);
    blocks_[*at] = block;
  }
  block->kind = node.kind;
  block->graph = node.graph;
  block->is_freed = false;
  NewMemory made{block->range.at, {}};
  made.order.work.kind = streams::WorkKind::kernel;
  made.order.before_launch = [this, block] { return use(*block); };
  return made;
}

std::optional<WorkOrder> GraphMemory::free_in(const GraphPlace& node, std::uint64_t at) {
  const auto found = blocks_.find(at);
  const BlockRef block = found == blocks_.end() ? nullptr : found->second.lock();
  if (!block) return std::nullopt;
  WorkOrder order;
  order.work.kind = streams::WorkKind::kernel;
  if (block->kind == node.kind && block->graph == node.graph) {
    if (block->is_freed) return std::nullopt;
    block->is_freed = true;
    freed_[node].push_back(block);
  } else {
    order.before_launch = [this, at] { return free(at); };
  }
  return order;
}

void GraphMemory::close(GraphPlace::Kind kind, std::uint64_t graph) {
  std::erase_if(freed_, [&](const auto& entry) {
    return entry.first.kind == kind && entry.first.graph == graph;
  });
}

CUresult GraphMemory::free(std::uint64_t at) {
  const auto found = blocks_.find(at);
  const BlockRef block = found == blocks_.end() ? nullptr : found->second.lock();
  if (!block || !block->is_left_in_use) return CUDA_ERROR_INVALID_VALUE;
  block->is_left_in_use = false;
  figures_.at(block->range.device).used -= block->range.bytes;
  return CUDA_SUCCESS;
}

void GraphMemory::begin_launch(streams::StreamAt stream, AutoFree auto_free) {
  ++launch_;
  launched_on_ = stream;
  auto_free_ = auto_free;
  needed_.clear();
}

CUresult GraphMemory::use(Block& block) {
  // Several of its nodes may have it, one after another.
  if (block.last_launch == launch_) return CUDA_SUCCESS;
  block.last_launch = launch_;
  if (block.is_freed) return use_for_launch(block);
  if (block.is_left_in_use && auto_free_ == AutoFree::no) return CUDA_ERROR_INVALID_VALUE;
  if (!reserve(block.own, block.range.device, block.range.bytes)) return CUDA_ERROR_OUT_OF_MEMORY;
  if (block.is_left_in_use) return CUDA_SUCCESS;
  block.is_left_in_use = true;
  GraphMemoryFigures& device = figures_.at(block.range.device);
  device.used += block.range.bytes;
  device.most_used = std::max(device.most_used, device.used);
  return CUDA_SUCCESS;
}

CUresult GraphMemory::use_for_launch(const Block& block) {
  const std::uint32_t on = block.range.device;
  std::uint64_t& needed = needed_[on];
  needed += block.range.bytes;
  GraphMemoryFigures& device = figures_.at(on);
  device.most_used = std::max(device.most_used, device.used + needed);
  return reserve(held_[{on, launched_on_}], on, needed) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

bool GraphMemory::reserve(Held& held, std::uint32_t device, std::uint64_t bytes) {
  if (held.bytes >= bytes) return true;
  const std::uint64_t missing = rounded_up(bytes - held.bytes, memory_.granularity());
  const auto at = memory_.take(device, missing);
  if (!at) return false;
  held.pieces[*at] = missing;
  held.bytes += missing;
  GraphMemoryFigures& figures = figures_.at(device);
  figures.reserved += missing;
  figures.most_reserved = std::max(figures.most_reserved, figures.reserved);
  return true;
}

void GraphMemory::release(Held& held, std::uint32_t device) {
  for (const auto& [at, bytes] : held.pieces) memory_.give_back(device, at);
  figures_.at(device).reserved -= held.bytes;
  held = {};
}

void GraphMemory::trim(std::uint32_t device) {
  for (auto& [held_for, held] : held_)
    if (held_for.first == device) release(held, device);
  for (const auto& [at, known] : blocks_)
    if (const BlockRef block = known.lock();
        block && block->range.device == device && !block->is_left_in_use)
      release(block->own, device);
}

}  // namespace vramlab::dry_run
