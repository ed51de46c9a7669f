#include "tests/gpu/watchdog.h"

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace vramlab::tests {

Watchdog::Watchdog(std::chrono::seconds limit, std::string what_is_watched)
    : limit_(limit), what_is_watched_(std::move(what_is_watched)), thread_([this] { watch(); }) {}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(mutex_);
    is_done_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Watchdog::watch() {
  std::unique_lock lock(mutex_);
  if (changed_.wait_for(lock, limit_, [this] { return is_done_; })) return;
  std::fprintf(stderr, "\n[  FAILED  ] not done after %lld s, the process ends here: %s\n",
               static_cast<long long>(limit_.count()), what_is_watched_.c_str());
  std::fflush(stderr);
  std::_Exit(1);
}

}  // namespace vramlab::tests
