#include "tools/preload/shim/arena.h"

#include <algorithm>
#include <ctime>

#include "allocator/options/size_rules.h"
#include "tools/preload/ground/memory_calls.h"

namespace vramlab::shim {
namespace {

/// Tables of addresses may take memory of the device, which others give back in vain at times.
constexpr int most_tries_for_peers = 3;

}  // namespace

CUresult Arena::make_cache() {
  const streams::CudaDriver& driver = context_.driver();
  CUdevice device = 0;
  std::size_t total = 0;
  CUresult result = driver.context_device(&device);
  if (result == CUDA_SUCCESS) result = driver.device_total_memory(&total, device);
  if (result != CUDA_SUCCESS) return result;
  const Settings settings = settings_on(device);
  const std::lock_guard lock(lock_);
  if (cache_ != nullptr) return CUDA_SUCCESS;
  device_ = device;
  has_cache_.store(true, std::memory_order_release);
  idle_limit_ = options_.idle_limit.on({total});
  supply_.set_total({total});
  supply_.set_fence_all([this] { fence_all(); });
  supply_.set_ask_program([this] { return ask_program(); });
  supply_.set_waits_first([this](Bytes request) { return waits_first(request); });
  cache_ = options_.mode == preload::PreloadMode::nosplit
               ? make_whole_cache(supply_, frees_.pool(), options_.history_entries)
               : make_engine_cache(supply_, frees_.pool(), settings, options_);
  return CUDA_SUCCESS;
}

Settings Arena::settings_on(CUdevice device) {
  Settings settings = options_.settings;
  if (!settings.expandable_segments || options_.mode == preload::PreloadMode::nosplit)
    return settings;
  if (const auto reason = why_not_expandable(context_.driver(), device, settings)) {
    settings.expandable_segments = false;
    options_.say("expandable_segments is not used: " + *reason);
  } else {
    supply_.mapped().set_device(device);
  }
  return settings;
}

CUresult Arena::allocate(CUdeviceptr* at, std::size_t bytes) {
  if (!has_cache_.load(std::memory_order_acquire))
    if (const CUresult result = make_cache(); result != CUDA_SUCCESS) return result;
  const CUresult result = take(at, {bytes});
  if (result == CUDA_SUCCESS && options_.fill) return fill(*at, bytes);
  return result;
}

CUresult Arena::take(CUdeviceptr* at, Bytes size) {
  Call call;
  call.request = size;
  const StackNumber stack = stacks_.take();
  std::optional<Address> got;
  bool has_pending = false;
  {
    const std::lock_guard lock(lock_);
    if (context_.is_gone()) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    if (context_.error() != CUDA_SUCCESS) return context_.error();
    settle();
    if (has_to_fence() && may_fence()) fence_gathered(FencedBy::request);
    lock_.begin(call);
    got = allocate_in_cache(call, stack);
    supply_.end_ladder(call);
    if (idle_limit_ && !context_.is_gone()) cache_->release_idle(*idle_limit_);
    has_pending = supply_.has_pending();
  }
  if (has_pending) supply_.flush();
  if (context_.is_gone()) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  if (context_.error() != CUDA_SUCCESS) return context_.error();
  if (const CUresult refusal = context_.take_refusal(); refusal != CUDA_SUCCESS)
    say_refusal(refusal);
  if (got) {
    *at = got->value;
    return CUDA_SUCCESS;
  }
  return refuse(at, size, call);
}

std::optional<Address> Arena::allocate_in_cache(Call& call, StackNumber stack) {
  for (;;) {
    go_on_with(stack);
    try {
      return cache_->allocate(call.request);
    } catch (const WaitFirst&) {
      call.may_wait_first = wait_for_oldest_free();
    } catch (const DeviceError&) {
      return std::nullopt;
    }
  }
}

CUresult Arena::refuse(CUdeviceptr* at, Bytes size, const Call& call) {
  if (call.is_for_driver) return take_from_driver(at, size.count);
  // A limit of the settings refused it, not the driver.
  if (call.refusal == CUDA_SUCCESS) return CUDA_ERROR_OUT_OF_MEMORY;
  if (is_lasting(call.refusal)) context_.keep_error(call.refusal);
  if (call.refusal != CUDA_ERROR_OUT_OF_MEMORY || options_.last_resort == LastResort::none)
    return call.refusal;
  if (has_retired()) give_back_idle(Patience::none);
  // Segments are larger than requests: the request alone may still fit. The block is the driver's.
  return take_from_driver(at, size.count);
}

CUresult Arena::fill(CUdeviceptr at, std::size_t bytes) {
  const streams::CudaDriver& driver = context_.driver();
  if (driver.mem_set_bytes == nullptr || !context_.gate().try_enter()) return CUDA_SUCCESS;
  CUresult result = driver.mem_set_bytes(at, *options_.fill, bytes);
  if (result == CUDA_SUCCESS) result = driver.context_synchronize();
  context_.gate().leave();
  if (result != CUDA_SUCCESS) context_.note_error(result);
  return result;
}

void Arena::say_refusal(CUresult refusal) {
  options_.say("the driver answered " + streams::driver_error_name(context_.driver(), refusal) +
               " when it was asked about freed memory; it is used again later");
}

void Arena::say_long_capture() {
  if (context_.gate().open_for() < options_.long_capture) return;
  options_.say(
      "a capture of a stream has been open for a long time, and memory that is freed "
      "waits for its end; the statistics say how much");
}

auto Arena::standing_of(Address at) const -> Standing {
  if (context_.is_gone() || cache_ == nullptr) return Standing::not_ours;
  if (cache_->is_held(at))
    return frees_.contains(at) || was_retired(at) ? Standing::not_held : Standing::held;
  if (!supply_.owns(at)) return Standing::not_ours;
  return supply_.is_leaving(at) ? Standing::leaving : Standing::not_held;
}

auto Arena::standing_after_leaving(Address at) -> Standing {
  Standing standing = Standing::leaving;
  while (standing == Standing::leaving) {
    lock_.step_outside([this] { supply_.wait_for_leaving(); });
    standing = standing_of(at);
  }
  return standing;
}

bool Arena::owns(CUdeviceptr at) {
  const std::lock_guard lock(lock_);
  return standing_of({at}) != Standing::not_ours;
}

bool Arena::holds(CUdeviceptr at) { return block_around(at).has_value(); }

std::optional<HeldBlock> Arena::block_around(CUdeviceptr at) {
  const std::lock_guard lock(lock_);
  if (standing_of({at}) == Standing::not_ours) return std::nullopt;
  std::optional<HeldBlock> block = cache_->held_around({at});
  if (block && standing_of(block->address) != Standing::held) block.reset();
  return block;
}

auto Arena::begin_free(Address at) -> Free {
  Standing standing = standing_of(at);
  if (standing != Standing::not_ours && context_.is_ending()) [[unlikely]] {
    lock_.step_outside([this] { context_.wait_for_ending(); });
    standing = standing_of(at);
  }
  if (standing == Standing::leaving) standing = standing_after_leaving(at);
  if (standing == Standing::not_ours) return Free::not_ours;
  if (context_.error() != CUDA_SUCCESS || standing == Standing::not_held) return Free::refused;
  if (!retired_.empty() && retired_.contains(at.value)) return Free::retired;
  settle();
  return Free::held;
}

CUresult Arena::error_of_refused() const {
  return context_.error() != CUDA_SUCCESS ? context_.error() : CUDA_ERROR_INVALID_VALUE;
}

std::optional<CUresult> Arena::free(CUdeviceptr at) {
  Free begun{};
  Fence* fence = nullptr;
  bool has_to_wait = false;
  const StackNumber stack = stacks_.take();
  {
    const std::lock_guard lock(lock_);
    begun = begin_free({at});
    if (begun == Free::held) {
      if (recorder_.time() == FenceTime::at_once && may_fence()) {
        fence = &frees_.begin({at}, stack);
        if (!peers_.empty()) note_peers(*fence);
      } else if (frees_.is_held_back()) {
        frees_.hold({at}, stack);
      } else {
        has_to_wait = gather_free({at}, stack);
      }
    }
  }
  if (begun == Free::held && !may_fence()) [[unlikely]]
    say_long_capture();
  if (has_to_wait) [[unlikely]]
    wait_in_free();
  if (begun == Free::held && fence == nullptr) return context_.error();
  if (begun == Free::not_ours) return std::nullopt;
  if (begun == Free::refused) return error_of_refused();
  if (begun == Free::retired) return free_retired({at});
  recorder_.record(*fence, context_, MayWait::yes);
  return context_.error();
}

std::optional<CUresult> Arena::free_on(CUdeviceptr at, CUstream stream,
                                       ContextRecord& stream_context) {
  if (!owns(at)) return std::nullopt;
  // A capture may only free what it allocated.
  const CUresult asked = ask_for_captures(context_.driver(), stream);
  if (asked != CUDA_SUCCESS) return is_capture_error(asked) ? CUDA_ERROR_INVALID_VALUE : asked;
  const StackNumber stack = stacks_.take();
  Free begun{};
  Fence* fence = nullptr;
  {
    const std::lock_guard lock(lock_);
    begun = begin_free({at});
    if (begun == Free::held) {
      fence = &frees_.begin({at}, stack);
      fence->add_peer(&stream_context);
      if (!may_fence()) {
        fence->state.store(FenceState::put_off, std::memory_order_relaxed);
        fence = nullptr;
      }
    }
  }
  if (begun == Free::held && fence == nullptr) {
    say_long_capture();
    return CUDA_SUCCESS;
  }
  if (begun == Free::not_ours) return std::nullopt;
  if (begun == Free::refused) return error_of_refused();
  if (begun == Free::retired) return free_retired({at});
  recorder_.record_on(stream, stream_context, *fence);
  return context_.error();
}

CUresult Arena::free_retired(Address at) {
  const StackNumber stack = stacks_.take();
  {
    const std::lock_guard lock(lock_);
    if (standing_of(at) != Standing::held) return CUDA_ERROR_INVALID_VALUE;
    go_on_with(stack);
    retired_.erase(at.value);
    retired_and_freed_.insert(at.value);
    if (!release_retired(at)) return CUDA_SUCCESS;
  }
  supply_.flush();
  return context_.error();
}

bool Arena::may_export(CUdeviceptr at) {
  const std::lock_guard lock(lock_);
  if (standing_of({at}) == Standing::not_ours) return false;
  const std::optional<HeldBlock> block = cache_->held_around({at});
  if (!block || standing_of(block->address) != Standing::held) return false;
  // The driver's answer is the truth about mapped memory.
  if (block->is_expandable) return true;
  return block->address == block->segment &&
         (block->is_whole_segment() || Address{at} == block->address);
}

void Arena::retire(CUdeviceptr from, std::size_t bytes) {
  const std::lock_guard lock(lock_);
  if (cache_ == nullptr) return;
  const Address end = Address{from} + Bytes{bytes};
  for (Address at{from}; at < end;) {
    const std::optional<HeldBlock> block = cache_->held_around(at);
    if (block && standing_of(block->address) == Standing::held)
      retired_.insert(block->address.value);
    at = block ? block->address + block->size : at + allocator::minimum_block;
  }
}

std::size_t Arena::idle_bytes() {
  const std::lock_guard lock(lock_);
  if (cache_ == nullptr || context_.is_gone()) return 0;
  settle();
  std::vector<Address> freed;
  frees_.for_each([&](Address at) { freed.push_back(at); });
  std::sort(freed.begin(), freed.end());
  return (cache_->idle(freed) + supply_.pending_release()).count;
}

Bytes Arena::waiting_bytes() {
  const std::lock_guard lock(lock_);
  if (cache_ == nullptr || context_.is_gone()) return Bytes{0};
  settle();
  return cache_->waiting().now;
}

std::size_t Arena::event_count() {
  const std::lock_guard lock(lock_);
  return context_.event_count() + frees_.pool().event_count();
}

void Arena::set_peer(ContextRecord& from, bool may_use) {
  {
    const std::lock_guard lock(lock_);
    std::erase(peers_, &from);
    if (may_use) peers_.push_back(&from);
  }
  if (!options_.settings.expandable_segments) return;
  CUresult result = supply_.mapped().set_peer(from, may_use);
  for (int tries = 1; result == CUDA_ERROR_OUT_OF_MEMORY && tries < most_tries_for_peers; ++tries) {
    make_room_(device_, nullptr);
    result = supply_.mapped().set_peer(from, may_use);
  }
  if (result != CUDA_SUCCESS && !context_.is_gone()) context_.keep_error(result);
}

void Arena::fence_before_capture() {
  const std::lock_guard lock(lock_);
  if (cache_ == nullptr || context_.is_gone() || context_.error() != CUDA_SUCCESS) return;
  settle();
  if (has_to_fence() && may_fence()) fence_gathered(FencedBy::request);
}

void Arena::let_calls_finish() {
  // A fence takes microseconds; its recording begins under the lock, and from now on none does.
  constexpr timespec a_moment{0, 20000};
  for (bool is_over = false; !is_over;) {
    {
      const std::lock_guard lock(lock_);
      is_over = !frees_.is_recording();
    }
    if (!is_over) nanosleep(&a_moment, nullptr);
  }
}

void Arena::drop() {
  {
    const std::lock_guard lock(lock_);
    context_.set_gone();
    // A thread in the middle of a request still needs its cache.
    if (!lock_.is_awaited()) {
      cache_.reset();
      frees_.pool().give_back_others();
    }
  }
  static_cast<void>(give_up_rest());
}

// Room: for the arena's own requests in captures and by the program's callbacks, and for all else
// that the driver has no memory for.

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

// Fences: the blocks behind each, the time of their recording, and how much may wait for them.

void Arena::settle() {
  frees_.settle([this](Address at, Fence& fence) { hand_in(at, fence); },
                [this](Address at, StackNumber stack) {
                  go_on_with(stack);
                  gather(at);
                });
}

void Arena::hand_in(Address at, Fence& fence) {
  go_on_with(fence.stack);
  if (fence.is_over()) {
    cache_->free_now(at);
    frees_.pool().give(fence);
    return;
  }
  ++fence.uses;
  cache_->free(at, fence);
}

void Arena::gather(Address at) {
  Fence& fence = frees_.gathering();
  ++fence.uses;
  cache_->free(at, fence);
}

bool Arena::has_to_fence() {
  if (context_.has_new_doubt() && context_.take_new_doubt()) [[unlikely]]
    frees_.put_off_doubtful();
  return frees_.has_gathered();
}

void Arena::fence_gathered(FencedBy by) {
  const MayWait may_wait = by == FencedBy::request ? MayWait::no : MayWait::yes;
  Fence& fence = frees_.close();
  if (!peers_.empty() || !fence.peers.empty()) note_peers(fence);
  if (by == FencedBy::free) {
    frees_.note_free_of_this_thread(fence);
    freed_since_fence_ = Bytes{0};
  }
  lock_.step_outside([&] { recorder_.record(fence, context_, may_wait); });
  frees_.end_recording(fence);
}

void Arena::fence_all() {
  constexpr timespec a_moment{0, 20000};
  settle();
  frees_.hold_back();
  if (has_to_fence() && may_fence()) fence_gathered(FencedBy::refused_request);
  // Other calls may be recording what the cache has already.
  while (frees_.is_recording_gathered()) lock_.step_outside([&] { nanosleep(&a_moment, nullptr); });
}

Bytes Arena::waiting_limit(const WaitingBytes& waiting) const {
  constexpr Bytes least{256ULL << 20};
  if (options_.waiting_limit) return *options_.waiting_limit;
  return std::max(least, Bytes{waiting.peak_in_use.count / 4});
}

bool Arena::is_far_ahead(Bytes freed) {
  freed_since_fence_ += freed;
  const WaitingBytes waiting = cache_->waiting();
  const Bytes half{waiting_limit(waiting).count / 2};
  return (waiting.now > half && freed_since_fence_ > half) || frees_.needs_wait();
}

bool Arena::gather_free(Address at, StackNumber stack) {
  go_on_with(stack);
  const Bytes waiting = cache_->waiting().now;
  gather(at);
  if (is_far_ahead(cache_->waiting().now - waiting) && may_fence()) fence_gathered(FencedBy::free);
  return has_run_ahead_ && frees_have_to_wait();
}

bool Arena::frees_have_to_wait() {
  if (context_.is_gone() || !may_fence()) return false;
  const WaitingBytes waiting = cache_->waiting();
  return waiting.now > waiting_limit(waiting) && frees_.oldest_of_this_thread() != nullptr;
}

void Arena::wait_in_free() {
  // The thread may have another context, or none, and an event is asked about here.
  const CurrentContext current(context_);
  if (current.result() != CUDA_SUCCESS) return;
  const std::lock_guard lock(lock_);
  if (frees_.oldest_of_this_thread() != nullptr) wait_for_oldest_free();
}

bool Arena::waits_first(Bytes request) {
  const WaitingBytes waiting = cache_->waiting();
  if (waiting.now <= waiting_limit(waiting) || !may_fence() || !cache_->has_waiting_for(request))
    return false;
  if (frees_.oldest_of_this_thread() != nullptr) return true;
  has_run_ahead_ = true;
  return false;
}

bool Arena::wait_for_oldest_free() {
  Fence& fence = *frees_.oldest_of_this_thread();
  ++fence.uses;
  std::vector<ContextEvent> events;
  add_awaited(fence, events);
  lock_.step_outside([&] { supply_.wait_for(events); });
  const bool is_over = poll(fence) == Progress::complete;
  frees_.pool().release(fence);
  return is_over;
}

void Arena::note_peers(Fence& fence) {
  const auto is_gone = [](const ContextRecord* peer) { return peer->is_gone(); };
  std::erase_if(peers_, is_gone);
  std::erase_if(fence.peers, is_gone);
  for (ContextRecord* peer : peers_) fence.add_peer(peer);
}

// The callbacks of the program.

namespace {

constinit thread_local bool is_asking = false;

}  // namespace

void FreeMemoryCallbacks::add(CUdevice device, std::function<bool()> callback) {
  const std::lock_guard lock(mutex_);
  callbacks_.emplace_back(device, std::move(callback));
}

bool FreeMemoryCallbacks::ask(CUdevice device) const {
  if (is_asking) return false;
  std::vector<std::function<bool()>> to_ask;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [of, callback] : callbacks_)
      if (of == device) to_ask.push_back(callback);
  }
  is_asking = true;
  bool has_freed = false;
  for (const auto& callback : to_ask) has_freed = callback() || has_freed;
  is_asking = false;
  return has_freed;
}

}  // namespace vramlab::shim
