#include "tools/cuda_standins/model/time_mover.h"

#include <pthread.h>

#include <chrono>
#include <csignal>
#include <system_error>

#include "tools/cuda_standins/model/stand_in_driver.h"

namespace vramlab::dry_run {
namespace {

/// A program that calls more often moves time by itself.
constexpr std::chrono::milliseconds patience{2};
constexpr std::chrono::milliseconds patience_without_work{20};
constexpr std::uint64_t first_step_ns = 1'000;
/// Work that does not end by then waits for something that the program has to do.
constexpr std::uint64_t last_step_ns = std::uint64_t{1} << 36;

/// A thread begins with the signals that its maker holds back: the program's handlers are not for
/// this one.
class WithoutSignals {
 public:
  WithoutSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  WithoutSignals(const WithoutSignals&) = delete;
  WithoutSignals& operator=(const WithoutSignals&) = delete;
  ~WithoutSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

}  // namespace

TimeMover::~TimeMover() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard guard(lock_);
    stops_ = true;
  }
  is_stopped_.notify_one();
  thread_.join();
}

bool TimeMover::begin() {
  if (thread_.joinable()) return true;
  const WithoutSignals none;
  try {
    thread_ = std::thread([this] { run(); });
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

void TimeMover::run() {
  auto pause = patience;
  std::unique_lock guard(lock_);
  // By the system's clock: old C libraries wait by no other one.
  while (!is_stopped_.wait_until(guard, std::chrono::system_clock::now() + pause,
                                 [this] { return stops_; }))
    pause = move_if_idle() ? patience : patience_without_work;
}

bool TimeMover::move_if_idle() {
  return driver_.look([this](StandInDriver& driver) {
    const bool is_idle = calls_seen_ == driver.call_count();
    calls_seen_ = driver.call_count();
    if (!driver.timed().has_pending_work()) return false;
    for (std::uint64_t step = first_step_ns;
         is_idle && step <= last_step_ns && driver.timed().has_pending_work(); step *= 2)
      driver.advance(step);
    return true;
  });
}

}  // namespace vramlab::dry_run
