#include "tools/preload/segments/fence.h"

#include <algorithm>
#include <atomic>
#include <utility>

namespace vramlab::shim {
namespace {

enum class Answer { over, under_way, unknown };

Answer ask_about(ContextRecord& context, CUevent event) {
  // The work of a context is gone with it.
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

/// The end of its work cannot be known any more.
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

namespace {

/// Keeps the shim's calls and captures apart in the peers.
class EnteredPeers {
 public:
  explicit EnteredPeers(Fence& fence) : fence_(fence) {
    for (; peers_ < fence_.peers.size(); ++peers_)
      if (!fence_.peers[peers_]->gate().try_enter()) break;
    is_inside_ = peers_ == fence_.peers.size();
    if (!is_inside_) leave();
  }
  EnteredPeers(const EnteredPeers&) = delete;
  EnteredPeers& operator=(const EnteredPeers&) = delete;
  ~EnteredPeers() {
    if (is_inside_) leave();
  }
  bool is_inside() const { return is_inside_; }

 private:
  void leave() {
    for (std::size_t i = 0; i < peers_; ++i) fence_.peers[i]->gate().leave();
  }

  Fence& fence_;
  std::size_t peers_ = 0;
  bool is_inside_ = false;
};

CUresult record_own_event(Fence& fence) {
  ContextRecord& home = *fence.home;
  if (fence.own == nullptr)
    if (const CUresult result = home.take_event(fence.own); result != CUDA_SUCCESS) return result;
  const CUresult result = home.driver().context_record_event(home.handle(), fence.own);
  fence.awaits_own = result == CUDA_SUCCESS;
  return result;
}

[[gnu::noinline]] CUresult record_event_of(ContextRecord& peer, Fence& fence) {
  ContextEvent taken{&peer};
  CUresult result = peer.take_event(taken.event);
  if (result != CUDA_SUCCESS) return result;
  result = peer.driver().context_record_event(peer.handle(), taken.event);
  if (result == CUDA_SUCCESS)
    fence.awaited.push_back(taken);
  else
    peer.give_event(taken.event);
  return result;
}

/// The way is of no use here; another one may be.
bool is_refusal(CUresult result) {
  return result != CUDA_SUCCESS && !is_passing_error(result) && !is_lasting(result);
}

CUresult wait_in(ContextRecord& context, const Fence& fence) {
  return fence.may_wait == MayWait::yes ? context.wait_for_all() : CUDA_ERROR_NOT_READY;
}

class Events : public FenceRecorder {
 public:
  explicit Events(FenceKind best) : has_context_events_(best == FenceKind::context_event) {}

 protected:
  CUresult record_in(ContextRecord& context, Fence& fence) override {
    if (!context.trusts_events()) return wait_in(context, fence);
    if (has_context_events_.load(std::memory_order_relaxed)) {
      const CUresult result =
          &context == fence.home ? record_own_event(fence) : record_event_of(context, fence);
      if (!is_refusal(result)) [[likely]]
        return result;
      if (result == CUDA_ERROR_NOT_SUPPORTED) has_context_events_.store(false);
      if (result != CUDA_ERROR_OUT_OF_MEMORY) context.note_error(result);
    }
    return record_in_streams(context, fence);
  }

 private:
  [[gnu::noinline]] static CUresult record_in_streams(ContextRecord& context, Fence& fence) {
    if (context.has_lost_work()) return wait_in(context, fence);
    CUresult result = context.record_on(CU_STREAM_LEGACY, fence.awaited);
    if (result == CUDA_SUCCESS) result = context.record_streams(fence.awaited);
    if (!is_refusal(result)) return result;
    // There may be no memory for one more event.
    if (result != CUDA_ERROR_OUT_OF_MEMORY) context.note_error(result);
    return wait_in(context, fence);
  }

  std::atomic<bool> has_context_events_;
};

/// Lets a free wait. Work that a capture kept it from waiting for gets events later.
class Waits final : public Events {
 public:
  explicit Waits(FenceKind best) : Events(best) { set_time(FenceTime::at_once); }

 private:
  CUresult record_in(ContextRecord& context, Fence& fence) override {
    return fence.may_wait == MayWait::yes ? context.wait_for_all()
                                          : Events::record_in(context, fence);
  }
};

template <class Call>
CUresult in_current(ContextRecord& context, const Call& call) {
  const CurrentContext current(context);
  if (current.result() != CUDA_SUCCESS) return current.result();
  const CUresult captures = ask_for_captures(context.driver(), CU_STREAM_LEGACY);
  return captures == CUDA_SUCCESS ? call(context) : captures;
}

FenceState state_for(CUresult result, ContextRecord& owner) {
  if (result == CUDA_SUCCESS) [[likely]]
    return FenceState::recorded;
  if (result == CUDA_ERROR_NOT_READY) return FenceState::needs_wait;
  owner.note_error(result);
  return FenceState::put_off;
}

/// The peers are left before the fence is finished: from then on it is used again by others.
template <class Call>
FenceState inside_peers(Fence& fence, const Call& call) {
  const EnteredPeers entered(fence);
  return entered.is_inside() ? call() : FenceState::put_off;
}

FenceState finish(Fence& fence, FenceState state) {
  fence.is_fresh = true;
  fence.state.store(state, std::memory_order_release);
  return state;
}

}  // namespace

FenceState FenceRecorder::record(Fence& fence, ContextRecord& owner, MayWait may_wait) {
  fence.may_wait = may_wait;
  const auto record = [&] { return state_for(record_everywhere(fence, owner), owner); };
  return finish(fence, fence.peers.empty() ? record() : inside_peers(fence, record));
}

FenceState FenceRecorder::record_on(CUstream stream, ContextRecord& context, Fence& fence) {
  return finish(fence, inside_peers(fence, [&] {
                  return state_for(context.record_on(stream, fence.awaited), context);
                }));
}

CUresult FenceRecorder::record_everywhere(Fence& fence, ContextRecord& owner) {
  const auto record_here = [&](ContextRecord& context) { return record_in(context, fence); };
  CUresult result = in_current(owner, record_here);
  for (ContextRecord* peer : fence.peers) {
    if (result != CUDA_SUCCESS) return result;
    if (!peer->is_gone()) result = in_current(*peer, record_here);
    // Another thread destroys it right now, and its work is over: that is no error of the owner's.
    if (result == CUDA_ERROR_CONTEXT_IS_DESTROYED) result = CUDA_SUCCESS;
  }
  return result;
}

std::unique_ptr<FenceRecorder> make_fence_recorder(FenceKind kind,
                                                   const streams::CudaDriver& driver) {
  const bool has_context_events = driver.context_record_event != nullptr;
  const FenceKind best = has_context_events && kind != FenceKind::stream_events
                             ? FenceKind::context_event
                             : FenceKind::stream_events;
  if (kind == FenceKind::wait) return std::make_unique<Waits>(best);
  return std::make_unique<Events>(best);
}

std::uint64_t FencedFrees::number_of_this_thread() {
  constinit static std::atomic<std::uint64_t> last = 0;
  constinit thread_local std::uint64_t number = 0;
  if (number == 0) number = ++last;
  return number;
}

bool FencedFrees::is_among(Address at) const {
  return std::any_of(on_their_way_.begin(), on_their_way_.end(),
                     [at](const Fence* fence) { return fence->block == at; }) ||
         held_addresses_.contains(at.value);
}

Fence* FencedFrees::oldest_of_this_thread() const {
  Fence* oldest = nullptr;
  pool_.for_each_recorded([&](Fence& fence) {
    if (fence.order == 0 || fence.is_over() || fence.recorded_by != number_of_this_thread()) return;
    if (oldest == nullptr || fence.order < oldest->order) oldest = &fence;
  });
  return oldest;
}

void FencedFrees::put_off(Fence& fence) {
  if (gathering_ == nullptr) {
    fence.state.store(FenceState::open, std::memory_order_relaxed);
    gathering_ = &fence;
    return;
  }
  for (ContextRecord* peer : fence.peers) gathering_->add_peer(peer);
  fence.behind = gathering_;
  ++gathering_->uses;
}

void FencedFrees::put_off_doubtful() {
  std::vector<Fence*> doubtful;
  pool_.for_each_put_off([&](Fence& fence) { doubtful.push_back(&fence); });
  for (Fence* fence : doubtful)
    if (std::find(recording_.begin(), recording_.end(), fence) == recording_.end()) put_off(*fence);
}

bool FencedFrees::is_recording() const {
  return !recording_.empty() ||
         std::any_of(on_their_way_.begin(), on_their_way_.end(), [](const Fence* fence) {
           return fence->state.load(std::memory_order_acquire) == FenceState::open;
         });
}

}  // namespace vramlab::shim
