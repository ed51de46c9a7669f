#include "tools/preload/shim/fence.h"

namespace vramlab::shim {
namespace {

Progress progress_of(const ContextEvent& awaited) {
  // With its context all its work is gone.
  if (awaited.context->is_gone()) return Progress::complete;
  if (awaited.context->gate().is_capturing()) return Progress::under_way;
  const CUresult result = awaited.context->driver().event_query(awaited.event);
  if (result == CUDA_SUCCESS) return Progress::complete;
  if (result == CUDA_ERROR_NOT_READY) return Progress::under_way;
  awaited.context->keep_error(result);
  return Progress::unknown;
}

void give_back(const ContextEvent& over) {
  if (over.owner == EventOwner::spares) over.context->give_event(over.event);
}

}  // namespace

Progress poll(Fence& fence) {
  while (!fence.awaited.empty()) {
    const Progress progress = progress_of(fence.awaited.back());
    if (progress != Progress::complete) return progress;
    give_back(fence.awaited.back());
    fence.awaited.pop_back();
  }
  return Progress::complete;
}

Fence& FencePool::take() {
  if (unused_.empty()) {
    all_.push_back(std::make_unique<Fence>());
    all_.back()->home = &home_;
    return *all_.back();
  }
  Fence& fence = *unused_.back();
  unused_.pop_back();
  return fence;
}

void FencePool::give(Fence& fence) {
  for (const ContextEvent& awaited : fence.awaited) give_back(awaited);
  fence.awaited.clear();
  fence.blocks.clear();
  fence.peers.clear();
  fence.state.store(FenceState::being_recorded, std::memory_order_relaxed);
  unused_.push_back(&fence);
}

std::vector<ContextEvent> FencePool::awaited() const {
  std::vector<ContextEvent> events;
  for (const std::unique_ptr<Fence>& fence : all_)
    if (fence->uses > 0) events.insert(events.end(), fence->awaited.begin(), fence->awaited.end());
  return events;
}

}  // namespace vramlab::shim
