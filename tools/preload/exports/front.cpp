#include "tools/preload/exports/front.h"

#include <pthread.h>

#include <atomic>

#include "tools/preload/exports/behind.h"
#include "tools/preload/ground/preload_mode.h"

namespace vramlab::preload {
namespace {

thread_local int calls_under_way = 0;

pthread_once_t fork_once = PTHREAD_ONCE_INIT;
pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;
std::atomic<MemoryCalls*> behind;

void before_fork() {
  pthread_mutex_lock(&making);
  if (MemoryCalls* const calls = behind.load()) calls->before_fork();
}

void after_fork_in_parent() {
  if (MemoryCalls* const calls = behind.load()) calls->after_fork_in_parent();
  pthread_mutex_unlock(&making);
}

void after_fork_in_child() {
  if (MemoryCalls* const calls = behind.load()) calls->after_fork_in_child();
  making = PTHREAD_MUTEX_INITIALIZER;
}

void watch_forks() { pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child); }

/// What stands behind the exports; null where there is no driver, now or yet.
MemoryCalls* behind_exports() {
  if (MemoryCalls* const calls = behind.load(std::memory_order_acquire)) return calls;
  if (process_mode() == PreloadMode::off || !driver_is_loaded()) return nullptr;
  pthread_once(&fork_once, watch_forks);
  pthread_mutex_lock(&making);
  if (behind.load(std::memory_order_relaxed) == nullptr)
    behind.store(make_behind(process_mode()), std::memory_order_release);
  pthread_mutex_unlock(&making);
  return behind.load(std::memory_order_acquire);
}

/// Last of all that runs at exit; a program that ends otherwise does without.
[[gnu::destructor]] void at_exit() {
  if (MemoryCalls* const calls = behind.load(std::memory_order_acquire)) calls->at_exit();
}

}  // namespace

ProgramCall::ProgramCall() {
  if (++calls_under_way == 1) calls_ = behind_exports();
}

ProgramCall::~ProgramCall() { --calls_under_way; }

}  // namespace vramlab::preload
