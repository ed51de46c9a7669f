#include "tools/cli/kit/interrupts.h"

#include <unistd.h>
#include <filesystem>
#include <utility>

#include "allocator/types/check.h"

namespace vramlab::tools {
namespace {

constexpr int end_of_waiting = SIGUSR1;

bool is_ignored(int signal) {
  struct sigaction action{};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

HeldInterrupts::HeldInterrupts() {
  sigemptyset(&signals_);
  sigaddset(&signals_, end_of_waiting);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    if (!is_ignored(signal)) sigaddset(&signals_, signal);
  // Threads inherit this, so no other one is interrupted first.
  pthread_sigmask(SIG_BLOCK, &signals_, &signals_before_);
}

void HeldInterrupts::answer_with(std::function<void(int signal)> answer) {
  check(!waiting_.joinable(), "signals are answered in one way");
  answer_ = std::move(answer);
  waiting_ = std::thread([this] { wait_for_signal(); });
}

HeldInterrupts::~HeldInterrupts() {
  if (waiting_.joinable()) {
    pthread_kill(waiting_.native_handle(), end_of_waiting);
    waiting_.join();
  }
  pthread_sigmask(SIG_SETMASK, &signals_before_, nullptr);
}

void HeldInterrupts::wait_for_signal() {
  int signal = 0;
  if (sigwait(&signals_, &signal) != 0 || signal == end_of_waiting) return;
  answer_(signal);
  sigset_t only_the_end;
  sigemptyset(&only_the_end);
  sigaddset(&only_the_end, end_of_waiting);
  sigset_t interrupts = signals_;
  sigdelset(&interrupts, end_of_waiting);
  // This thread alone lets them through.
  pthread_sigmask(SIG_UNBLOCK, &interrupts, nullptr);
  sigwait(&only_the_end, &signal);
}

void RemovalOnInterrupt::begin(std::vector<std::string> paths) {
  interrupts_.answer_with([paths = std::move(paths)](int signal) {
    std::error_code ignored;
    for (const std::string& path : paths) std::filesystem::remove_all(path, ignored);
    ::kill(getpid(), signal);
  });
}

Ticker::Ticker(std::chrono::milliseconds between, std::function<void()> tick) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  // The new thread inherits this.
  pthread_sigmask(SIG_SETMASK, &all, &before);
  ticking_ = std::thread([this, between, tick = std::move(tick)] {
    std::unique_lock<std::mutex> lock(lock_);
    // By the clock of the wall: waiting by another asks for a later C library.
    while (!ends_.wait_until(lock, std::chrono::system_clock::now() + between,
                             [this] { return has_ended_; }))
      tick();
  });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Ticker::~Ticker() {
  {
    const std::lock_guard<std::mutex> lock(lock_);
    has_ended_ = true;
  }
  ends_.notify_one();
  ticking_.join();
}

StopOnInterrupt::StopOnInterrupt() {
  interrupts_.answer_with([this](int) { has_come_ = true; });
}

}  // namespace vramlab::tools
