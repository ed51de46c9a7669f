#include "tests/gpu/host_threads.h"

#include <exception>
#include <utility>

namespace vramlab::tests {

void HostThreads::make_call(streams::ThreadId thread, const std::function<void()>& call) {
  std::unique_ptr<Worker>& worker = workers_[thread];
  if (worker == nullptr) worker = std::make_unique<Worker>();
  worker->run(call);
}

HostThreads::Worker::Worker() : thread_([this] { work(); }) {}

HostThreads::Worker::~Worker() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void HostThreads::Worker::run(const std::function<void()>& call) {
  std::unique_lock lock(mutex_);
  call_ = &call;
  changed_.notify_all();
  changed_.wait(lock, [this] { return call_ == nullptr; });
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
}

void HostThreads::Worker::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return call_ != nullptr || is_over_; });
    if (call_ == nullptr) return;
    try {
      (*call_)();
    } catch (...) {
      thrown_ = std::current_exception();
    }
    call_ = nullptr;
    changed_.notify_all();
  }
}

}  // namespace vramlab::tests
