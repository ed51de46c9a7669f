// CaptureGate: keeps a context's stream captures apart from the calls that the shim makes on its
// own account. A fence, a wait or a release inside a capture would break the capture, so they are
// made only while none is open, and a capture begins only when none of them is under way. The two
// most frequent ones, a fence of the context's own arena and a question about an event, are made
// or begun under the arena's lock instead, which costs nothing more (Arena::let_calls_finish).
#pragma once

#include <atomic>

namespace vramlab::shim {

class CaptureGate {
 public:
  /// Whether the shim may call the driver now; if so, until leave().
  [[nodiscard]] bool try_enter() {
    inside_.fetch_add(1);
    if (captures_.load() == 0) [[likely]]
      return true;
    leave();
    return false;
  }
  void leave() {
    if (inside_.fetch_sub(1) == 1 && captures_.load() != 0) inside_.notify_all();
  }

  /// From now on try_enter() says no. Waits for those who are inside.
  void open_capture() {
    captures_.fetch_add(1);
    for (int inside = inside_.load(); inside != 0; inside = inside_.load()) inside_.wait(inside);
  }
  void close_capture() { captures_.fetch_sub(1); }
  bool is_capturing() const { return captures_.load() != 0; }

 private:
  std::atomic<int> inside_ = 0;
  std::atomic<int> captures_ = 0;
};

}  // namespace vramlab::shim
