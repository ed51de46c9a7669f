#include "tools/preload/shim/trim_signal.h"

#include <pthread.h>
#include <semaphore.h>

#include <cerrno>
#include <csignal>
#include <memory>

namespace vramlab::shim {
namespace {

// A signal's handler has nothing but globals to tell by.
sem_t asked;
struct sigaction handler_before;

void note_request(int signal, siginfo_t* about, void* where) {
  const int error = errno;
  sem_post(&asked);
  if ((handler_before.sa_flags & SA_SIGINFO) != 0)
    handler_before.sa_sigaction(signal, about, where);
  else if (handler_before.sa_handler != SIG_DFL && handler_before.sa_handler != SIG_IGN)
    handler_before.sa_handler(signal);
  errno = error;
}

void* trim_for_ever(void* argument) {
  const auto& trim = *static_cast<std::function<void()>*>(argument);
  for (;;)
    if (sem_wait(&asked) == 0) trim();
}

/// The program's handlers are not to run on a thread that it does not know.
bool begin_thread(std::function<void()>& trim) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread{};
  const bool is_made = pthread_create(&thread, nullptr, trim_for_ever, &trim) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (is_made) pthread_detach(thread);
  return is_made;
}

}  // namespace

bool call_at_trim_signal(int signal, std::function<void()> trim) {
  auto kept = std::make_unique<std::function<void()>>(std::move(trim));
  if (sem_init(&asked, 0, 0) != 0 || !begin_thread(*kept)) return false;
  static_cast<void>(kept.release());
  struct sigaction action {};
  action.sa_sigaction = note_request;
  action.sa_flags = SA_RESTART | SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  return sigaction(signal, &action, &handler_before) == 0;
}

}  // namespace vramlab::shim
