// ArenaLock: the one lock of an arena, and the way to step outside of it in the middle of a request
// to call the driver. Whoever comes back finds the call that it is part of as it left it.
#pragma once

#include <mutex>

#include "streams/cuda_interface/types.h"

namespace vramlab::shim {

/// One request on its way through the arena.
struct Call {
  /// What the driver said last when it was asked for memory.
  CUresult refusal = CUDA_SUCCESS;
  /// Held from the first refusal on: one request at a time frees what is cached to go on.
  std::unique_lock<std::mutex> ladder;
  /// The driver may be asked only what the program asked for.
  bool is_for_driver = false;
};

class ArenaLock {
 public:
  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

  /// Requires the lock, and a call that began.
  Call& call() { return *call_; }
  void begin(Call& call) { call_ = &call; }
  /// Somebody is outside who will come back.
  bool is_awaited() const { return away_ > 0; }

  /// Does the work without the lock. Others may change the arena meanwhile.
  template <class Work>
  void step_outside(const Work& work) {
    Call* const own = call_;
    ++away_;
    mutex_.unlock();
    work();
    mutex_.lock();
    --away_;
    call_ = own;
  }

 private:
  std::mutex mutex_;
  Call* call_ = nullptr;
  int away_ = 0;
};

}  // namespace vramlab::shim
