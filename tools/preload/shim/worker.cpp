#include "tools/preload/shim/worker.h"

#include <pthread.h>

#include <csignal>
#include <utility>

namespace vramlab::shim {

bool Worker::begin(std::function<void()> work) {
  work_ = std::move(work);
  asked_.store(0);
  done_.store(0);
  if (sem_init(&asked_for_work_, 0, 0) != 0 || !begin_thread()) return false;
  process_.store(getpid(), std::memory_order_release);
  return true;
}

/// The program's handlers are not to run on a thread that it does not know.
bool Worker::begin_thread() {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread{};
  const bool is_made = pthread_create(&thread, nullptr, work_for_ever, this) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (!is_made || pthread_getcpuclockid(thread, &clock_) != 0) return false;
  pthread_detach(thread);
  return true;
}

void* Worker::work_for_ever(void* worker) {
  Worker& self = *static_cast<Worker*>(worker);
  for (;;) {
    if (sem_wait(&self.asked_for_work_) != 0) continue;
    const unsigned ticket = self.asked_.load();
    // Several who asked before it began are served by one.
    if (ticket == self.done_.load()) continue;
    self.work_();
    self.done_.store(ticket);
  }
}

unsigned Worker::next_ticket() {
  const unsigned ticket = asked_.fetch_add(1) + 1;
  sem_post(&asked_for_work_);
  return ticket;
}

void Worker::ask() { static_cast<void>(next_ticket()); }

std::chrono::nanoseconds Worker::time_worked() const {
  timespec worked{};
  clock_gettime(clock_, &worked);
  return std::chrono::seconds(worked.tv_sec) + std::chrono::nanoseconds(worked.tv_nsec);
}

/// Looks again and again, as nothing that can be waited for is safe in a handler. What counts is
/// the thread's own time: a long history may take long, while a thread that waits takes none.
bool Worker::ask_and_wait() {
  constexpr timespec a_moment{0, 1000000};
  const unsigned ticket = next_ticket();
  std::chrono::nanoseconds worked = time_worked();
  std::chrono::nanoseconds still{0};
  while (static_cast<int>(done_.load() - ticket) < 0) {
    if (still >= patience_) return false;
    nanosleep(&a_moment, nullptr);
    still += std::chrono::nanoseconds(a_moment.tv_nsec);
    if (const auto now = time_worked(); now != worked) {
      worked = now;
      still = std::chrono::nanoseconds(0);
    }
  }
  return true;
}

}  // namespace vramlab::shim
