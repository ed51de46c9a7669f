#include "tools/preload/segments/fence.h"

#include <utility>

namespace vramlab::shim {
namespace {

enum class Answer { over, under_way, unknown };

Answer ask_about(ContextRecord& context, CUevent event) {
  // With its context all its work is gone.
  if (context.is_gone()) return Answer::over;
  if (context.gate().forbids()) return Answer::under_way;
  const CUresult result = context.driver().event_query(event);
  if (result == CUDA_SUCCESS) return Answer::over;
  if (result == CUDA_ERROR_NOT_READY || is_passing_error(result)) return Answer::under_way;
  context.note_error(result);
  return Answer::unknown;
}

void give_back(const ContextEvent& over) {
  if (over.owner == EventOwner::spares) over.context->give_event(over.event);
}

void forget_awaited(Fence& fence) {
  fence.awaits_own = false;
  for (const ContextEvent& awaited : fence.awaited) give_back(awaited);
  fence.awaited.clear();
}

/// Nobody can say any more when its work is over.
Progress put_off(Fence& fence) {
  forget_awaited(fence);
  fence.home->note_doubt();
  fence.state.store(FenceState::put_off, std::memory_order_relaxed);
  return Progress::under_way;
}

}  // namespace

Progress poll_own(Fence& fence) {
  const Answer answer = ask_about(*fence.home, fence.own);
  if (answer == Answer::unknown) return put_off(fence);
  if (answer == Answer::under_way) return Progress::under_way;
  fence.awaits_own = false;
  return Progress::complete;
}

Progress poll_others(Fence& fence) {
  const bool is_fresh = std::exchange(fence.is_fresh, false);
  while (!fence.awaited.empty()) {
    const ContextEvent last = fence.awaited.back();
    const Answer answer = ask_about(*last.context, last.event);
    if (answer == Answer::unknown) return put_off(fence);
    if (answer == Answer::under_way) {
      if (is_fresh) last.context->note_work();
      return Progress::under_way;
    }
    if (is_fresh && last.stream != nullptr) last.context->note_idle(last.stream);
    give_back(last);
    fence.awaited.pop_back();
  }
  return Progress::complete;
}

Progress poll_behind(const Fence& fence) {
  if (fence.behind == nullptr) return Progress::under_way;
  Fence* last = fence.behind;
  while (last->behind != nullptr) last = last->behind;
  return poll(*last);
}

Fence& FencePool::make() {
  all_.push_back(std::make_unique<Fence>());
  all_.back()->home = &home_;
  return *all_.back();
}

void FencePool::empty(Fence& fence) {
  for (Fence* over = &fence; over != nullptr;) {
    Fence* const next = std::exchange(over->behind, nullptr);
    forget_awaited(*over);
    over->peers.clear();
    over->order = 0;
    over->state.store(FenceState::open, std::memory_order_relaxed);
    unused_.push_back(over);
    over = next != nullptr && --next->uses == 0 ? next : nullptr;
  }
}

std::vector<ContextEvent> FencePool::awaited() const {
  std::vector<ContextEvent> events;
  for_each_recorded([&](const Fence& fence) { add_awaited(fence, events); });
  return events;
}

std::size_t FencePool::event_count() const {
  std::size_t count = 0;
  for (const std::unique_ptr<Fence>& fence : all_) {
    if (fence->own != nullptr && !home_.is_gone()) ++count;
    for (const ContextEvent& awaited : fence->awaited)
      if (awaited.owner == EventOwner::spares && !awaited.context->is_gone()) ++count;
  }
  return count;
}

void FencePool::give_back_others() {
  for (const std::unique_ptr<Fence>& fence : all_)
    if (fence->state.load(std::memory_order_acquire) == FenceState::recorded)
      forget_awaited(*fence);
}

void add_awaited(const Fence& fence, std::vector<ContextEvent>& into) {
  if (fence.awaits_own) into.push_back({fence.home, fence.own, EventOwner::context});
  into.insert(into.end(), fence.awaited.begin(), fence.awaited.end());
}

}  // namespace vramlab::shim
