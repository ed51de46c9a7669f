#include "tools/preload/segments/fence_recorder.h"

namespace vramlab::shim {
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

class ContextEvents : public FenceRecorder {
 private:
  CUresult record_in(ContextRecord& context, Fence& fence) override {
    if (&context != fence.home) return record_in_peer(context, fence);
    if (fence.own == nullptr)
      if (const CUresult result = context.take_event(fence.own); result != CUDA_SUCCESS)
        return result;
    const CUresult result = context.driver().context_record_event(context.handle(), fence.own);
    fence.awaits_own = result == CUDA_SUCCESS;
    return result;
  }
  [[gnu::noinline]] static CUresult record_in_peer(ContextRecord& peer, Fence& fence) {
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
};

class StreamEvents : public FenceRecorder {
 private:
  CUresult record_in(ContextRecord& context, Fence& fence) override {
    const CUresult result = context.record_on(CU_STREAM_LEGACY, fence.awaited);
    return result == CUDA_SUCCESS ? context.record_streams(fence.awaited) : result;
  }
};

CUresult synchronise(ContextRecord& context) { return context.driver().context_synchronize(); }

class Waits : public FenceRecorder {
 private:
  CUresult record_in(ContextRecord& context, Fence&) override { return synchronise(context); }
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
  if (is_capture_error(result)) return FenceState::put_off;
  owner.keep_error(result);
  return FenceState::failed;
}

/// Calls it for each context of the fence, until one says no.
template <class Call>
CUresult in_each(Fence& fence, ContextRecord& owner, const Call& call) {
  CUresult result = in_current(owner, call);
  for (ContextRecord* peer : fence.peers) {
    if (result != CUDA_SUCCESS) return result;
    if (!peer->is_gone()) result = in_current(*peer, call);
  }
  return result;
}

}  // namespace

FenceState FenceRecorder::record(Fence& fence, ContextRecord& owner) {
  const FenceState state = fence.peers.empty() ? state_for(record_everywhere(fence, owner), owner)
                                               : record_with_peers(fence, owner);
  fence.state.store(state, std::memory_order_release);
  return state;
}

FenceState FenceRecorder::record_with_peers(Fence& fence, ContextRecord& owner) {
  const EnteredPeers entered(fence);
  if (!entered.is_inside()) return FenceState::put_off;
  return state_for(record_everywhere(fence, owner), owner);
}

FenceState FenceRecorder::record_on(CUstream stream, Fence& fence, ContextRecord& owner) {
  FenceState state = FenceState::put_off;
  if (const EnteredPeers entered(fence); entered.is_inside()) {
    CUresult result = owner.record_on(stream, fence.awaited);
    // A stream of another context cannot have this context's event.
    if (result != CUDA_SUCCESS && !is_capture_error(result))
      result = record_everywhere(fence, owner);
    state = state_for(result, owner);
  }
  fence.state.store(state, std::memory_order_release);
  return state;
}

CUresult FenceRecorder::record_everywhere(Fence& fence, ContextRecord& owner) {
  const CUresult result =
      in_each(fence, owner, [&](ContextRecord& context) { return record_in(context, fence); });
  // There may be no memory for one more event.
  return result == CUDA_ERROR_OUT_OF_MEMORY ? in_each(fence, owner, synchronise) : result;
}

std::unique_ptr<FenceRecorder> make_fence_recorder(FenceKind kind,
                                                   const streams::CudaDriver& driver) {
  if (kind == FenceKind::wait) return std::make_unique<Waits>();
  const bool has_context_events = driver.context_record_event != nullptr;
  if (has_context_events && kind != FenceKind::stream_events)
    return std::make_unique<ContextEvents>();
  return std::make_unique<StreamEvents>();
}

}  // namespace vramlab::shim
