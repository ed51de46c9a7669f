#include "tools/preload/shim/signal_handlers.h"

#include <pthread.h>

#include <array>
#include <cerrno>
#include <csignal>

#include "tools/preload/segments/segment_supply.h"

namespace vramlab::shim {
namespace {

/// One for each use: two may be of the same signal, and each calls what was there before it.
enum Slot : std::size_t { trim, report, terminate, interrupt, hang_up, slot_count };

struct Listener {
  Worker* worker = nullptr;
  struct sigaction before {};
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
  struct sigaction action {};
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

/// With what the program wants of its own handler: its mask, its stack, which calls go on.
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
  struct sigaction now {};
  return sigaction(signal, nullptr, &now) == 0 && is_default(now);
}

}  // namespace

bool ask_at_signal(AskedBySignal what, int signal, Worker& worker) {
  return install(what == AskedBySignal::to_trim ? trim : report, signal, worker);
}

bool ask_before_end(Worker& worker, int other_use, int another_use) {
  struct sigaction now {};
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
