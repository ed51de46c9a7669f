#include "tools/preload/shim/known_streams.h"

#include <algorithm>

namespace vramlab::shim {

void KnownStreams::created(CUstream stream, ContextRecord& context) {
  const std::lock_guard lock(mutex_);
  contexts_[stream] = &context;
}

ContextRecord* KnownStreams::destroyed(CUstream stream) {
  const std::lock_guard lock(mutex_);
  const auto found = contexts_.find(stream);
  if (found == contexts_.end()) return nullptr;
  ContextRecord* const context = found->second;
  contexts_.erase(found);
  return context;
}

ContextRecord* KnownStreams::context_of(CUstream stream) const {
  const std::lock_guard lock(mutex_);
  const auto found = contexts_.find(stream);
  return found == contexts_.end() ? nullptr : found->second;
}

void KnownStreams::capture_begins(CUstream stream, ContextRecord* context) {
  const std::lock_guard lock(mutex_);
  captures_.push_back({stream, pthread_self(), context});
}

bool KnownStreams::capture_over(CUstream stream) {
  const std::lock_guard lock(mutex_);
  const auto is_it = [&](const Capture& capture) {
    return capture.stream == stream &&
           (stream != CU_STREAM_PER_THREAD || pthread_equal(capture.thread, pthread_self()) != 0);
  };
  const auto newest = std::find_if(captures_.rbegin(), captures_.rend(), is_it);
  if (newest == captures_.rend()) return false;
  captures_.erase(std::next(newest).base());
  return true;
}

std::size_t KnownStreams::forget(const ContextRecord& context) {
  const std::lock_guard lock(mutex_);
  std::erase_if(contexts_, [&](const auto& known) { return known.second == &context; });
  return std::erase_if(captures_,
                       [&](const Capture& capture) { return capture.context == &context; });
}

}  // namespace vramlab::shim
