// What a command does when somebody stops it. A thread waits for the signals, so no handler and
// nothing global is needed. Signals that the program was started to ignore stay ignored.
#pragma once

#include <signal.h>
#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace vramlab::tools {

/// Holds back Ctrl-C, and being asked to end, while it lives.
class HeldInterrupts {
 public:
  HeldInterrupts();
  HeldInterrupts(const HeldInterrupts&) = delete;
  HeldInterrupts& operator=(const HeldInterrupts&) = delete;
  ~HeldInterrupts();

  /// Once. From here on the first signal, also one that was held back, is answered by this, and is
  /// not held back any more: the next one ends the program.
  void answer_with(std::function<void(int signal)> answer);

 private:
  void wait_for_signal();

  std::function<void(int signal)> answer_;
  /// Those waited for, and one that only ends the waiting.
  sigset_t signals_{};
  sigset_t signals_before_{};
  std::thread waiting_;
};

/// No unfinished file is left behind where somebody stops the program.
class RemovalOnInterrupt {
 public:
  /// Once, when the files are open: these are removed from now on, folders with what is in them,
  /// and the program then ends as if nobody had waited: by the signal itself. Before that
  /// interrupts are held back, so that none falls between the opening of a file and this.
  void begin(std::vector<std::string> paths);

 private:
  HeldInterrupts interrupts_;
};

/// A search ends with the best so far where somebody stops it; who does so again ends the program.
class StopOnInterrupt {
 public:
  StopOnInterrupt();

  bool has_come() const { return has_come_; }

 private:
  std::atomic<bool> has_come_ = false;
  HeldInterrupts interrupts_;
};

}  // namespace vramlab::tools
