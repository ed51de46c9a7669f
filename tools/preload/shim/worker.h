// Worker: a thread of the library's own that does one piece of work whenever it is asked to, for
// those who may not do it themselves: a signal's handler, and whoever ends the process in the
// middle of anything.
#pragma once

#include <semaphore.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <ctime>
#include <functional>

namespace vramlab::shim {

class Worker {
 public:
  explicit Worker(std::chrono::nanoseconds patience = std::chrono::seconds(10))
      : patience_(patience) {}
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// False: there is no thread for it. Requires: this is never destroyed, and is_here() is false.
  bool begin(std::function<void()> work);
  /// No thread survives a fork: false in a child until it begins again.
  bool is_here() const { return process_.load(std::memory_order_acquire) == getpid(); }

  // From any thread, and from a signal's handler. Requires: is_here().
  void ask();
  /// Returns when the work is done. False: the thread did nothing for so long that it surely waits
  /// for something that the caller holds.
  bool ask_and_wait();

 private:
  static void* work_for_ever(void* worker);
  bool begin_thread();
  unsigned next_ticket();
  std::chrono::nanoseconds time_worked() const;

  const std::chrono::nanoseconds patience_;
  std::function<void()> work_;
  sem_t asked_for_work_{};
  clockid_t clock_{};
  std::atomic<pid_t> process_ = 0;
  std::atomic<unsigned> asked_ = 0;
  std::atomic<unsigned> done_ = 0;
};

}  // namespace vramlab::shim
