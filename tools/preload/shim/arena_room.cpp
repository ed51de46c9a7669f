// How an arena makes room: for its own requests in captures and by the program's callbacks, and for
// whatever else the driver has no memory for.
#include "tools/preload/ground/memory_calls.h"
#include "tools/preload/shim/arena.h"

namespace vramlab::shim {

void Arena::set_make_room(MakeRoom make_room) {
  make_room_ = std::move(make_room);
  supply_.set_make_room([this] { return make_room_(device_, this); });
}

CUresult Arena::take_from_driver(CUdeviceptr* at, std::size_t bytes) {
  const streams::CudaDriver& driver = context_.driver();
  CUdevice device = 0;
  CUresult result = driver.mem_alloc(at, bytes);
  if (result != CUDA_ERROR_OUT_OF_MEMORY || driver.context_device(&device) != CUDA_SUCCESS)
    return result;
  const CaptureGate::Passing passing(driver);
  for (int tries = 0; result == CUDA_ERROR_OUT_OF_MEMORY; ++tries) {
    if (tries == preload::most_tries_with_room || !make_room_(device, nullptr)) return result;
    result = driver.mem_alloc(at, bytes);
  }
  return result;
}

CUresult Arena::allocate_in_capture(CUdeviceptr* at, std::size_t bytes) {
  const CUresult result = take_from_driver(at, bytes);
  return result == CUDA_ERROR_OUT_OF_MEMORY ? take_cached(at, {bytes}) : result;
}

CUresult Arena::take_cached(CUdeviceptr* at, Bytes size) {
  Call call;
  call.is_for_cache = true;
  call.may_wait_first = false;
  const StackNumber stack = stacks_.take();
  const std::lock_guard lock(lock_);
  if (cache_ == nullptr || context_.is_gone()) return CUDA_ERROR_OUT_OF_MEMORY;
  settle();
  lock_.begin(call);
  go_on_with(stack);
  try {
    const std::optional<Address> got = cache_->allocate(size);
    if (!got) return CUDA_ERROR_OUT_OF_MEMORY;
    *at = got->value;
    return CUDA_SUCCESS;
  } catch (const DeviceError&) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
}

bool Arena::ask_program() {
  Call& call = lock_.call();
  if (call.is_for_cache || call.has_asked_program || !may_fence()) return false;
  call.has_asked_program = true;
  bool has_freed = false;
  lock_.step_outside([&] { has_freed = callbacks_.ask(device_); });
  if (!has_freed || context_.is_gone()) return false;
  settle();
  if (has_to_fence() && may_fence()) fence_gathered(FencedBy::request);
  return true;
}

bool Arena::release_retired(Address at) {
  std::vector<Address> going;
  const bool is_released = cache_->release_segment(supply_.segment_of(at), [&](Address block) {
    going.push_back(block);
    return retired_and_freed_.contains(block.value);
  });
  if (!is_released) return false;
  for (const Address block : going) retired_and_freed_.erase(block.value);
  return true;
}

void Arena::release_all_retired() {
  const std::vector<std::uint64_t> all(retired_and_freed_.begin(), retired_and_freed_.end());
  for (const std::uint64_t at : all)
    if (retired_and_freed_.contains(at)) release_retired({at});
}

bool Arena::has_retired() {
  const std::lock_guard lock(lock_);
  return !retired_and_freed_.empty();
}

bool Arena::give_back_idle(Patience patience) {
  if (context_.is_gone()) return false;
  // The thread may have another context, or none, and events are asked about here.
  const CurrentContext current(context_);
  if (current.result() != CUDA_SUCCESS) return false;
  const StackNumber stack = stacks_.take();
  {
    const std::lock_guard lock(lock_);
    if (cache_ == nullptr || context_.is_gone() || context_.error() != CUDA_SUCCESS) return false;
    settle();
    if (has_to_fence() && may_fence())
      fence_gathered(patience == Patience::waits ? FencedBy::refused_request : FencedBy::request);
    if (patience == Patience::waits) supply_.wait_for_frees();
    if (context_.is_gone()) return false;
    settle();
    go_on_with(stack);
    cache_->release_idle(Bytes{0});
    release_all_retired();
    if (!supply_.has_pending()) return false;
  }
  return supply_.flush();
}

}  // namespace vramlab::shim
