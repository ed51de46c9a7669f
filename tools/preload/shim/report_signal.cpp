#include "tools/preload/shim/report_signal.h"

#include <atomic>
#include <csignal>

namespace vramlab::shim {
namespace {

// A signal's handler has nothing but globals to tell by.
std::atomic<bool> is_asked = false;
static_assert(std::atomic<bool>::is_always_lock_free);

void note_request(int) { is_asked.store(true, std::memory_order_relaxed); }

}  // namespace

void listen_for_report_signal(int signal) {
  struct sigaction action {};
  action.sa_handler = note_request;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

bool take_report_request() {
  return is_asked.load(std::memory_order_relaxed) &&
         is_asked.exchange(false, std::memory_order_relaxed);
}

}  // namespace vramlab::shim
