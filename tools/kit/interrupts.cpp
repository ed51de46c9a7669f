#include "tools/kit/interrupts.h"

#include <unistd.h>
#include <filesystem>
#include <utility>

#include "allocator/words/check.h"

namespace vramlab::tools {
namespace {

constexpr int end_of_waiting = SIGUSR1;

bool is_ignored(int signal) {
  struct sigaction action {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

RemovalOnInterrupt::RemovalOnInterrupt() {
  sigemptyset(&signals_);
  sigaddset(&signals_, end_of_waiting);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    if (!is_ignored(signal)) sigaddset(&signals_, signal);
  // Threads inherit this, so no other one is interrupted first.
  pthread_sigmask(SIG_BLOCK, &signals_, &signals_before_);
}

void RemovalOnInterrupt::begin(std::vector<std::string> paths) {
  check(!waiting_.joinable(), "files to remove are named once");
  paths_ = std::move(paths);
  waiting_ = std::thread([this] { wait_for_signal(); });
}

RemovalOnInterrupt::~RemovalOnInterrupt() {
  if (waiting_.joinable()) {
    pthread_kill(waiting_.native_handle(), end_of_waiting);
    waiting_.join();
  }
  pthread_sigmask(SIG_SETMASK, &signals_before_, nullptr);
}

/// The program then ends as if nobody had waited: by the signal itself.
void RemovalOnInterrupt::wait_for_signal() const {
  int signal = 0;
  if (sigwait(&signals_, &signal) != 0 || signal == end_of_waiting) return;
  std::error_code ignored;
  for (const std::string& path : paths_) std::filesystem::remove_all(path, ignored);
  sigset_t only_this;
  sigemptyset(&only_this);
  sigaddset(&only_this, signal);
  ::kill(getpid(), signal);
  pthread_sigmask(SIG_UNBLOCK, &only_this, nullptr);
}

}  // namespace vramlab::tools
