// Reactions of a command to Ctrl-C and to a request to end, and the thread that shows progress
// meanwhile. A thread waits for the signals, so no handler and no global state is needed. Signals
// that the program was started to ignore stay ignored.
#pragma once

#include <signal.h>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace vramlab::tools {

/// Holds back Ctrl-C and requests to end while it lives.
class HeldInterrupts {
 public:
  HeldInterrupts();
  HeldInterrupts(const HeldInterrupts&) = delete;
  HeldInterrupts& operator=(const HeldInterrupts&) = delete;
  ~HeldInterrupts();

  /// Called once. From now on `answer` is called for the first signal, also for one that was held
  /// back. The next signal ends the program.
  void answer_with(std::function<void(int signal)> answer);

 private:
  void wait_for_signal();

  std::function<void(int signal)> answer_;
  /// The signals waited for, and one that only ends the waiting.
  sigset_t signals_{};
  sigset_t signals_before_{};
  std::thread waiting_;
};

/// Removes unfinished files if somebody stops the program.
class RemovalOnInterrupt {
 public:
  /// Called once, when the files are open. From now on a signal removes them, folders with their
  /// contents, and then ends the program as usual. Until this call interrupts are held back, so
  /// that none falls between the opening of a file and this.
  void begin(std::vector<std::string> paths);

 private:
  HeldInterrupts interrupts_;
};

/// The first interrupt ends a search with its best result so far; the second ends the program.
class StopOnInterrupt {
 public:
  StopOnInterrupt();

  bool has_come() const { return has_come_; }

 private:
  std::atomic<bool> has_come_ = false;
  HeldInterrupts interrupts_;
};

/// Calls a function again and again on a thread of its own, which no signal interrupts.
class Ticker {
 public:
  Ticker(std::chrono::milliseconds between, std::function<void()> tick);
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;
  /// The last call has ended then.
  ~Ticker();

 private:
  std::mutex lock_;
  std::condition_variable ends_;
  bool has_ended_ = false;
  std::thread ticking_;
};

}  // namespace vramlab::tools
