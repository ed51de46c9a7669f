#include "tools/preload/segments/context_record.h"

#include <algorithm>

namespace vramlab::shim {

void ContextRecord::keep_error(CUresult error) {
  if (is_capture_error(error)) return;
  CUresult none = CUDA_SUCCESS;
  error_.compare_exchange_strong(none, error);
}

CUresult ContextRecord::take_event(CUevent& event) {
  {
    const std::lock_guard lock(events_mutex_);
    if (!spare_events_.empty()) {
      event = spare_events_.back();
      spare_events_.pop_back();
      return CUDA_SUCCESS;
    }
  }
  const CurrentContext current(*this);
  if (current.result() != CUDA_SUCCESS) return current.result();
  return driver_.event_create(&event, CU_EVENT_DISABLE_TIMING);
}

void ContextRecord::give_event(CUevent event) {
  const std::lock_guard lock(events_mutex_);
  spare_events_.push_back(event);
}

void ContextRecord::add_stream(CUstream stream) {
  const std::lock_guard lock(streams_mutex_);
  streams_.push_back(stream);
}

CUresult ContextRecord::record_on(CUstream stream, std::vector<ContextEvent>& into) {
  CUresult result = ask_for_captures(driver_, stream);
  if (result != CUDA_SUCCESS) return result;
  ContextEvent taken{this, nullptr};
  result = take_event(taken.event);
  if (result != CUDA_SUCCESS) return result;
  result = driver_.event_record(taken.event, stream);
  if (result == CUDA_SUCCESS)
    into.push_back(taken);
  else
    give_event(taken.event);
  return result;
}

void ContextRecord::forget_finished_works() {
  std::erase_if(last_works_, [this](const ContextEvent& last) {
    if (driver_.event_query(last.event) != CUDA_SUCCESS) return false;
    give_event(last.event);
    return true;
  });
}

CUresult ContextRecord::remove_stream(CUstream stream) {
  const std::lock_guard lock(streams_mutex_);
  const auto found = std::find(streams_.begin(), streams_.end(), stream);
  if (found == streams_.end()) return CUDA_SUCCESS;
  streams_.erase(found);
  forget_finished_works();
  const CUresult result = record_on(stream, last_works_);
  has_lost_work_ |= result != CUDA_SUCCESS;
  return result;
}

void ContextRecord::lose_stream(CUstream stream) {
  const std::lock_guard lock(streams_mutex_);
  if (std::erase(streams_, stream) > 0) has_lost_work_ = true;
}

CUresult ContextRecord::record_streams(std::vector<ContextEvent>& into) {
  // Held so that none of them is destroyed in between: whoever destroys one comes by first.
  const std::lock_guard lock(streams_mutex_);
  if (has_lost_work_) {
    const CUresult result = driver_.context_synchronize();
    if (result != CUDA_SUCCESS) return result;
    has_lost_work_ = false;
  }
  for (const CUstream stream : streams_)
    if (const CUresult result = record_on(stream, into); result != CUDA_SUCCESS) return result;
  forget_finished_works();
  // Every fence waits for them until they are over. One that is a spare again too early for a fence
  // makes that fence wait longer, never shorter.
  for (const ContextEvent& last : last_works_)
    into.push_back({this, last.event, EventOwner::context});
  return CUDA_SUCCESS;
}

void CurrentContext::push(CUcontext context) {
  result_ = driver_.context_push(context);
  is_pushed_ = result_ == CUDA_SUCCESS;
}

void CurrentContext::pop() {
  CUcontext popped = nullptr;
  driver_.context_pop(&popped);
}

}  // namespace vramlab::shim
