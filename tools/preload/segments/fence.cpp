#include "tools/preload/segments/fence.h"

namespace vramlab::shim {
namespace {

void give_back(const ContextEvent& over) {
  if (over.owner == EventOwner::spares) over.context->give_event(over.event);
}

}  // namespace

Progress progress_of(ContextRecord& context, CUevent event) {
  // With its context all its work is gone.
  if (context.is_gone()) return Progress::complete;
  if (context.gate().is_capturing()) return Progress::under_way;
  const CUresult result = context.driver().event_query(event);
  if (result == CUDA_SUCCESS) return Progress::complete;
  if (result == CUDA_ERROR_NOT_READY) return Progress::under_way;
  context.keep_error(result);
  return Progress::unknown;
}

Progress poll_others(Fence& fence) {
  while (!fence.awaited.empty()) {
    const ContextEvent& last = fence.awaited.back();
    const Progress progress = progress_of(*last.context, last.event);
    if (progress != Progress::complete) return progress;
    give_back(last);
    fence.awaited.pop_back();
  }
  return Progress::complete;
}

Fence& FencePool::make() {
  all_.push_back(std::make_unique<Fence>());
  all_.back()->home = &home_;
  return *all_.back();
}

void FencePool::empty(Fence& fence) {
  for (const ContextEvent& awaited : fence.awaited) give_back(awaited);
  fence.awaited.clear();
  fence.more_blocks.clear();
  fence.peers.clear();
}

std::vector<ContextEvent> FencePool::awaited() const {
  std::vector<ContextEvent> events;
  for (const std::unique_ptr<Fence>& fence : all_) {
    if (fence->uses == 0) continue;
    if (fence->awaits_own) events.push_back({fence->home, fence->own, EventOwner::context});
    events.insert(events.end(), fence->awaited.begin(), fence->awaited.end());
  }
  return events;
}

}  // namespace vramlab::shim
