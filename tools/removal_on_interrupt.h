// RemovalOnInterrupt: while it lives, Ctrl-C (or being asked to end) removes a file before the
// program ends. A thread waits for the signals, so no handler and nothing global is needed, and a
// read that hangs is no obstacle.
#pragma once

#include <signal.h>

#include <string>
#include <thread>

namespace vramlab::tools {

class RemovalOnInterrupt {
 public:
  /// Signals that the program was started to ignore stay ignored.
  explicit RemovalOnInterrupt(std::string path);
  RemovalOnInterrupt(const RemovalOnInterrupt&) = delete;
  RemovalOnInterrupt& operator=(const RemovalOnInterrupt&) = delete;
  ~RemovalOnInterrupt();

 private:
  void wait_for_signal() const;

  std::string path_;
  /// Those waited for, and one that only ends the waiting.
  sigset_t signals_{};
  sigset_t signals_before_{};
  std::thread waiting_;
};

}  // namespace vramlab::tools
