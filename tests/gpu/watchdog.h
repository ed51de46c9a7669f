// Watchdog: ends the process with a failure where what it watches takes too long. A call of CUDA
// that never returns can't be taken back, so nothing less would do.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace vramlab::tests {

class Watchdog {
 public:
  Watchdog(std::chrono::seconds limit, std::string what_is_watched);
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
  /// In time.
  ~Watchdog();

 private:
  void watch();

  std::chrono::seconds limit_;
  std::string what_is_watched_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_done_ = false;
  std::thread thread_;
};

}  // namespace vramlab::tests
