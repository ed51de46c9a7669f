// RemovalOnInterrupt: no unfinished file is left behind where somebody stops the program.
#pragma once

#include <signal.h>
#include <string>
#include <thread>
#include <vector>

namespace vramlab::tools {

/// While it lives, Ctrl-C (or being asked to end) removes unfinished files before the program ends.
/// A thread waits for the signals, so no handler and nothing global is needed.
class RemovalOnInterrupt {
 public:
  /// From here on interrupts are held back, so that none falls between the opening of a file and
  /// `begin`. Signals that the program was started to ignore stay ignored.
  RemovalOnInterrupt();
  RemovalOnInterrupt(const RemovalOnInterrupt&) = delete;
  RemovalOnInterrupt& operator=(const RemovalOnInterrupt&) = delete;
  ~RemovalOnInterrupt();

  /// Once, when the files are open: these are removed from now on, folders with what is in them.
  void begin(std::vector<std::string> paths);

 private:
  void wait_for_signal() const;

  std::vector<std::string> paths_;
  /// Those waited for, and one that only ends the waiting.
  sigset_t signals_{};
  sigset_t signals_before_{};
  std::thread waiting_;
};

}  // namespace vramlab::tools
