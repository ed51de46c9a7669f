// TimeMover: virtual time goes on while nobody calls the driver. A program may wait for a host
// function on a semaphore, which no call of the driver is. The thread that moves time begins with
// the first host function, so that programs without them stay as repeatable as they are.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

namespace vramlab::dry_run {

class StandInDriver;

class TimeMover {
 public:
  explicit TimeMover(StandInDriver& driver) : driver_(driver) {}
  TimeMover(const TimeMover&) = delete;
  TimeMover& operator=(const TimeMover&) = delete;
  ~TimeMover();

  /// Does nothing after the first time. False where the system gives no thread: calls move time as
  /// ever, and the next host function asks again. Requires: the driver's lock is held.
  bool begin();

 private:
  void run();
  /// Whether there is work that time may have to move for.
  bool move_if_idle();

  StandInDriver& driver_;
  std::uint64_t calls_seen_ = 0;
  std::mutex lock_;
  std::condition_variable is_stopped_;
  bool stops_ = false;
  std::thread thread_;
};

}  // namespace vramlab::dry_run
