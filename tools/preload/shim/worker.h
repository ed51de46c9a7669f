// Worker: a thread of the library's own that does one piece of work whenever it is asked to, for
// callers that must not do it themselves: a signal's handler, and a thread that ends the process in
// the middle of a call.
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

  /// False: the thread could not be made. Requires: this is never destroyed, and is_here() is
  /// false.
  bool begin(std::function<void()> work);
  /// No thread survives a fork: false in a child until it begins again.
  bool is_here() const { return process_.load(std::memory_order_acquire) == getpid(); }

  // May be called from any thread, and from a signal's handler. Requires: is_here().
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

// Signals that ask a worker for something. The handler before ours is called as well, and a program
// that installs one later replaces ours.

enum class AskedBySignal { to_trim, to_report };

/// From now on the signal asks the worker. Only the first call of a process does something: a child
/// has what its parent installed. Requires: the worker is never destroyed.
bool ask_at_signal(AskedBySignal what, int signal, Worker& worker);

/// The same for the signals that end a process: the worker does its work first. SIGTERM, and of
/// SIGINT and SIGHUP those that end this process by default, but for the given ones.
bool ask_before_end(Worker& worker, int other_use, int another_use);

/// The worker calls it after its work: the process ends if a signal asked for that.
void end_if_asked();

}  // namespace vramlab::shim
