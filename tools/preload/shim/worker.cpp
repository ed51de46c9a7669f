#include "tools/preload/shim/worker.h"

#include <pthread.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

#include "tools/preload/segments/segment_supply.h"

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
    // One round serves all callers that asked before it began.
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

/// Looks again and again, as a handler must not wait for a lock. The thread's own time counts: a
/// long history may take long, while a thread that waits takes none.
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

namespace {

/// One slot for each use: two may be of the same signal, and each calls the handler before it.
enum Slot : std::size_t { trim, report, terminate, interrupt, hang_up, slot_count };

struct Listener {
  Worker* worker = nullptr;
  struct sigaction before{};
  bool is_installed = false;
};

// A signal's handler has nothing but globals to tell by.
constinit std::array<Listener, slot_count> listeners{};
constinit std::atomic<int> ending = 0;

bool is_default(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) == 0 && action.sa_handler == SIG_DFL;
}

bool is_ignored(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) == 0 && action.sa_handler == SIG_IGN;
}

void restore_default(int signal) {
  struct sigaction action{};
  action.sa_handler = SIG_DFL;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

/// A thread that holds an arena's lock must not wait for a report, which needs that lock.
void ask_for_last_words(const Listener& listener, int signal) {
  if (is_default(listener.before)) ending.store(signal);
  if (ArenaLock::this_thread_holds_one())
    listener.worker->ask();
  else
    listener.worker->ask_and_wait();
}

void end_unless_worker_does(const Listener& listener, int signal) {
  if (listener.worker->is_here() && ArenaLock::this_thread_holds_one()) return;
  restore_default(signal);
  // It is blocked until the handler returns.
  raise(signal);
}

void call_handler(const struct sigaction& action, int signal, siginfo_t* about, void* where) {
  if ((action.sa_flags & SA_SIGINFO) != 0)
    action.sa_sigaction(signal, about, where);
  else if (!is_default(action) && !is_ignored(action))
    action.sa_handler(signal);
}

template <Slot slot>
void handle(int signal, siginfo_t* about, void* where) {
  const int error = errno;
  const Listener& listener = listeners[slot];
  const bool is_end = slot >= terminate;
  if (listener.worker->is_here()) {
    if (is_end)
      ask_for_last_words(listener, signal);
    else
      listener.worker->ask();
  }
  if (is_end && is_default(listener.before))
    end_unless_worker_does(listener, signal);
  else
    call_handler(listener.before, signal, about, where);
  errno = error;
}

constexpr std::array<void (*)(int, siginfo_t*, void*), slot_count> handlers = {
    handle<trim>, handle<report>, handle<terminate>, handle<interrupt>, handle<hang_up>};

/// Installs ours with the settings of the program's handler: its mask, its stack, the calls that go
/// on.
bool install(Slot slot, int signal, Worker& worker) {
  Listener& listener = listeners[slot];
  if (listener.is_installed) return true;
  if (sigaction(signal, nullptr, &listener.before) != 0) return false;
  listener.worker = &worker;
  struct sigaction action = listener.before;
  if (is_default(action) || is_ignored(action)) {
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
  }
  action.sa_flags |= SA_SIGINFO;
  action.sa_sigaction = handlers[slot];
  listener.is_installed = sigaction(signal, &action, nullptr) == 0;
  return listener.is_installed;
}

bool ends_by_default(int signal) {
  struct sigaction now{};
  return sigaction(signal, nullptr, &now) == 0 && is_default(now);
}

}  // namespace

bool ask_at_signal(AskedBySignal what, int signal, Worker& worker) {
  return install(what == AskedBySignal::to_trim ? trim : report, signal, worker);
}

bool ask_before_end(Worker& worker, int other_use, int another_use) {
  struct sigaction now{};
  bool succeeded = true;
  if (sigaction(SIGTERM, nullptr, &now) == 0 && !is_ignored(now))
    succeeded = install(terminate, SIGTERM, worker);
  // Programs that catch these mean something else by them, such as to go on with the next task.
  if (ends_by_default(SIGINT)) succeeded = install(interrupt, SIGINT, worker) && succeeded;
  const bool is_free = other_use != SIGHUP && another_use != SIGHUP;
  if (is_free && ends_by_default(SIGHUP)) succeeded = install(hang_up, SIGHUP, worker) && succeeded;
  return succeeded;
}

void end_if_asked() {
  const int signal = ending.load();
  if (signal == 0) return;
  restore_default(signal);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  pthread_kill(pthread_self(), signal);
}

}  // namespace vramlab::shim
