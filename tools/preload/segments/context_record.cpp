#include "tools/preload/segments/context_record.h"

#include <algorithm>

namespace vramlab::shim {

bool is_lasting(CUresult error) {
  switch (error) {
    case CUDA_ERROR_DEINITIALIZED:
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED:
      return true;
    default:
      return false;
  }
}

thread_local bool CaptureGate::this_thread_passes = false;

CaptureGate::Passing::Passing(const streams::CudaDriver& driver) : driver_(driver) {
  // In this mode the driver refuses nothing that merely could disturb a capture.
  is_exchanged_ = driver_.exchange_capture_mode(&mode_) == CUDA_SUCCESS;
  this_thread_passes = is_exchanged_;
}

CaptureGate::Passing::~Passing() {
  this_thread_passes = false;
  if (is_exchanged_) driver_.exchange_capture_mode(&mode_);
}

void ContextRecord::keep_error(CUresult error) {
  if (is_passing_error(error)) return;
  CUresult none = CUDA_SUCCESS;
  error_.compare_exchange_strong(none, error);
}

void ContextRecord::note_error(CUresult error) {
  if (error == CUDA_SUCCESS || is_passing_error(error)) return;
  CUresult none = CUDA_SUCCESS;
  (is_lasting(error) ? error_ : refusal_).compare_exchange_strong(none, error);
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

std::size_t ContextRecord::event_count() {
  const std::scoped_lock lock(events_mutex_, streams_mutex_);
  return spare_events_.size() + last_works_.size();
}

void ContextRecord::add_stream(CUstream stream) {
  const std::lock_guard lock(streams_mutex_);
  streams_.push_back({stream});
}

CUresult ContextRecord::record_on(CUstream stream, std::vector<ContextEvent>& into) {
  const CUresult result = ask_for_captures(driver_, stream);
  return result == CUDA_SUCCESS ? record_outside_of_captures(stream, into) : result;
}

CUresult ContextRecord::record_outside_of_captures(CUstream stream,
                                                   std::vector<ContextEvent>& into) {
  ContextEvent taken{this, nullptr, EventOwner::spares, stream};
  CUresult result = take_event(taken.event);
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
  const auto is_it = [stream](const KnownStream& known) { return known.stream == stream; };
  if (std::erase_if(streams_, is_it) == 0) return CUDA_SUCCESS;
  forget_finished_works();
  const CUresult result = record_on(stream, last_works_);
  if (result != CUDA_SUCCESS) has_lost_work_.store(true);
  return result;
}

void ContextRecord::lose_stream(CUstream stream) {
  const std::lock_guard lock(streams_mutex_);
  const auto is_it = [stream](const KnownStream& known) { return known.stream == stream; };
  if (std::erase_if(streams_, is_it) > 0) has_lost_work_.store(true);
}

CUresult ContextRecord::wait_for_all() {
  const bool had_lost_work = has_lost_work_.exchange(false);
  const CUresult result = driver_.context_synchronize();
  if (result != CUDA_SUCCESS && had_lost_work) has_lost_work_.store(true);
  return result;
}

void ContextRecord::note_idle(CUstream stream) {
  const std::lock_guard lock(streams_mutex_);
  for (KnownStream& known : streams_)
    if (known.stream == stream) ++known.idle_fences;
}

void ContextRecord::note_work() {
  const std::lock_guard lock(streams_mutex_);
  for (KnownStream& known : streams_)
    if (known.idle_fences == 1) known.idle_fences = 0;
}

CUresult ContextRecord::record_known(KnownStream& known, std::vector<ContextEvent>& into) {
  const CUresult captures = ask_for_captures(driver_, known.stream);
  if (captures != CUDA_SUCCESS) return captures;
  if (known.idle_fences > 1) {
    if (driver_.stream_query(known.stream) == CUDA_SUCCESS) return CUDA_SUCCESS;
    known.idle_fences = 0;
  }
  return record_outside_of_captures(known.stream, into);
}

CUresult ContextRecord::record_streams(std::vector<ContextEvent>& into) {
  // Held so that none of them is destroyed in between: a thread that destroys one takes this lock
  // first.
  const std::lock_guard lock(streams_mutex_);
  for (KnownStream& known : streams_)
    if (const CUresult result = record_known(known, into); result != CUDA_SUCCESS) return result;
  forget_finished_works();
  // Every fence waits for them until they are over. An event that becomes a spare too early makes a
  // fence wait longer, never shorter.
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
