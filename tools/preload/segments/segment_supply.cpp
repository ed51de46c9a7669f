#include "tools/preload/segments/segment_supply.h"

#include <algorithm>
#include <string>

#include "allocator/types/check.h"

namespace vramlab::shim {

void SegmentSupply::wait_first_if_asked() {
  const Call& call = lock_.call();
  if (call.may_wait_first && waits_first_ && waits_first_(call.request)) throw WaitFirst();
}

std::optional<Address> SegmentSupply::allocate(Bytes size) {
  wait_first_if_asked();
  CUdeviceptr at = 0;
  Call& call = lock_.call();
  if (call.is_for_cache) return std::nullopt;
  CUresult result = CUDA_SUCCESS;
  lock_.step_outside([&] {
    flush();
    result = context_.driver().mem_alloc(&at, size.count);
    if (result == CUDA_ERROR_OUT_OF_MEMORY && others_made_room(call))
      result = context_.driver().mem_alloc(&at, size.count);
  });
  if (context_.is_gone()) throw DeviceError("the context is gone");
  if (result == CUDA_SUCCESS) {
    note({at}, size);
    return Address{at};
  }
  call.refusal = result;
  if (result != CUDA_ERROR_OUT_OF_MEMORY)
    throw DeviceError(streams::driver_error_name(context_.driver(), result));
  climb();
  return std::nullopt;
}

/// Without the lock; no capture begins meanwhile.
template <class Work>
CUresult SegmentSupply::map_outside_of_captures(const Work& work) {
  CUresult result = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  lock_.step_outside([&] {
    if (!context_.gate().try_enter()) return;
    result = work();
    context_.gate().leave();
  });
  return result;
}

std::optional<Address> SegmentSupply::reserve(Bytes size) {
  wait_first_if_asked();
  if (lock_.call().is_for_cache) return std::nullopt;
  Address at;
  if (!has_mapped(map_outside_of_captures([&] { return mapped_.reserve(&at, size); })))
    return std::nullopt;
  note(at, size);
  return at;
}

bool SegmentSupply::map(const UnitRange& range) {
  wait_first_if_asked();
  // The addresses may still have the memory that the cache gave back.
  const bool is_still_going = is_going(range);
  const Call& call = lock_.call();
  if (call.is_for_cache) return false;
  return has_mapped(map_outside_of_captures([&] {
    // The driver may not be able to take it now, and will be asked again.
    if (is_still_going && !is_gone_when_given_back(range))
      return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    CUresult result = mapped_.map(range);
    if (result != CUDA_ERROR_OUT_OF_MEMORY) return result;
    give_back();
    result = mapped_.map(range);
    if (result != CUDA_ERROR_OUT_OF_MEMORY || !others_made_room(call)) return result;
    return mapped_.map(range);
  }));
}

bool SegmentSupply::has_mapped(CUresult result) {
  if (context_.is_gone()) throw DeviceError("the context is gone");
  if (result == CUDA_SUCCESS) return true;
  Call& call = lock_.call();
  if (is_capture_error(result)) {
    call.is_for_driver = true;
    throw DeviceError("nothing is mapped while a capture is open");
  }
  if (is_lasting(result)) {
    call.refusal = result;
    throw DeviceError(streams::driver_error_name(context_.driver(), result));
  }
  call.refusal = CUDA_ERROR_OUT_OF_MEMORY;
  climb();
  return false;
}

void SegmentSupply::note(Address at, Bytes size) {
  segments_[at] = size;
  lowest_.store(std::min(lowest_.load(), at.value), std::memory_order_release);
  highest_.store(std::max(highest_.load(), (at + size).value), std::memory_order_release);
}

void SegmentSupply::climb() {
  Call& call = lock_.call();
  if (!call.ladder.owns_lock())
    lock_.step_outside([&] { call.ladder = std::unique_lock(ladder_mutex_); });
  // Frees before the refusal count. Later ones are kept out of the cache until this request is
  // through, so that no new work has to be waited for under the lock.
  if (fence_all_) fence_all_();
  const std::vector<ContextEvent> events = frees_.pool().awaited();
  std::size_t free = 0;
  std::size_t total = 0;
  lock_.step_outside([&] {
    wait_for(events);
    context_.driver().mem_get_info(&free, &total);
  });
  free_at_refusal_ = {free};
}

void SegmentSupply::wait_for_frees() {
  const std::vector<ContextEvent> events = frees_.pool().awaited();
  lock_.step_outside([&] { wait_for(events); });
}

void SegmentSupply::wait_for(const std::vector<ContextEvent>& events) {
  if (!context_.gate().try_enter_passing()) return;
  for (const ContextEvent& awaited : events) {
    if (awaited.context->is_gone()) continue;
    const CUresult result = context_.driver().event_synchronize(awaited.event);
    if (result != CUDA_SUCCESS) awaited.context->note_error(result);
  }
  context_.gate().leave();
}

void SegmentSupply::end_ladder(Call& call) {
  if (!call.ladder.owns_lock()) return;
  frees_.let_go();
  call.ladder.unlock();
}

void SegmentSupply::put_on_list(const Range& range) {
  to_release_.push_back(range);
  pending_release_ += range.memory();
}

void SegmentSupply::release(Address at) {
  const auto segment = segments_.find(at);
  check(segment != segments_.end(), "only segments are given back");
  put_on_list({at, segment->second});
  segments_.erase(segment);
}

void SegmentSupply::unmap(const UnitRange& range) {
  put_on_list({range.at, range.size(), RangeKind::units});
}

void SegmentSupply::release_reservation(Address at) {
  const auto reservation = segments_.find(at);
  check(reservation != segments_.end(), "only what was reserved is given back");
  put_on_list({at, reservation->second, RangeKind::reservation});
  segments_.erase(reservation);
}

bool SegmentSupply::owns(Address at) const {
  const auto lies_in = [at](const Range& range) { return range.holds(at); };
  if (std::any_of(to_release_.begin(), to_release_.end(), lies_in) ||
      std::any_of(being_released_.begin(), being_released_.end(), lies_in))
    return true;
  auto above = segments_.upper_bound(at);
  if (above == segments_.begin()) return false;
  --above;
  return at < above->first + above->second;
}

bool SegmentSupply::is_leaving(Address at) const {
  return std::any_of(being_released_.begin(), being_released_.end(),
                     [at](const Range& range) { return range.holds(at); });
}

bool SegmentSupply::is_going(const UnitRange& range) const {
  const auto overlaps = [&range](const Range& other) {
    return other.at < range.at + range.size() && range.at < other.at + other.size;
  };
  return std::any_of(to_release_.begin(), to_release_.end(), overlaps) ||
         std::any_of(being_released_.begin(), being_released_.end(), overlaps);
}

bool SegmentSupply::is_gone_when_given_back(const UnitRange& range) {
  give_back();
  const std::lock_guard lock(lock_);
  return !is_going(range);
}

bool SegmentSupply::flush() {
  if (!context_.gate().try_enter_passing()) return false;
  give_back();
  context_.gate().leave();
  return true;
}

void SegmentSupply::give_back_left_over() {
  if (!mapped_.has_left_over()) return;
  const CurrentContext current(context_);
  if (current.result() != CUDA_SUCCESS) return;
  if (const CUresult result = mapped_.unmap_left_over(); result != CUDA_SUCCESS)
    context_.note_error(result);
}

void SegmentSupply::give_back() {
  const std::lock_guard flushing(flush_mutex_);
  give_back_left_over();
  lock_.lock();
  being_released_ = std::move(to_release_);
  to_release_.clear();
  const std::vector<Range> ranges = being_released_;
  lock_.unlock();
  if (ranges.empty()) return;
  const auto done = ranges.begin() + static_cast<std::ptrdiff_t>(give_back(ranges));
  lock_.lock();
  for (auto range = ranges.begin(); range != done; ++range) pending_release_ -= range->memory();
  to_release_.insert(to_release_.begin(), done, ranges.end());
  being_released_.clear();
  lock_.unlock();
}

std::size_t SegmentSupply::give_back(const std::vector<Range>& ranges) {
  // The freeing thread may have another context, or none.
  const CurrentContext current(context_);
  for (std::size_t i = 0; i < ranges.size() && !context_.is_gone(); ++i) {
    const CUresult result =
        current.result() == CUDA_SUCCESS ? give_back(ranges[i]) : current.result();
    if (is_passing_error(result)) return i;
    if (result != CUDA_SUCCESS) context_.note_error(result);
  }
  return ranges.size();
}

CUresult SegmentSupply::give_back(const Range& range) {
  switch (range.kind) {
    case RangeKind::segment:
      return context_.driver().mem_free(range.at.value);
    case RangeKind::units:
      return mapped_.unmap(range.at, range.size);
    case RangeKind::reservation:
      return mapped_.release_reservation(range.at);
  }
  return CUDA_SUCCESS;
}

bool SegmentSupply::give_up() {
  // A thread that is giving back right now has its part in hand.
  const std::lock_guard flushing(flush_mutex_);
  return mapped_.give_everything_back();
}

}  // namespace vramlab::shim
