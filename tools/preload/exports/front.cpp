#include "tools/preload/exports/front.h"

#include <pthread.h>
#include <algorithm>

#include <array>
#include <atomic>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include "tools/preload/driver/driver_library.h"
#include "tools/preload/ground/call_stacks.h"
#include "tools/preload/ground/preload_mode.h"
#include "tools/preload/recorder/recorder.h"
#include "tools/preload/shim/caching_shim.h"

namespace vramlab::preload {
namespace {

MemoryCalls* make_recorder() {
  const char* const file = secure_getenv("VRAMLAB_RECORD");
  const char* const stacks = secure_getenv("VRAMLAB_RECORD_STACKS");
  const bool has_file = file != nullptr && *file != '\0';
  const bool has_stacks = stacks != nullptr && std::string_view(stacks) == "1";
  return new Recorder(
      {has_file ? file : "vramlab-recording", has_stacks ? RecordStacks::yes : RecordStacks::no});
}

/// From any thread.
std::function<void(const std::string&)> say_each_once() {
  struct Messages {
    std::mutex mutex;
    std::set<std::string> sentences;
  };
  return [messages = std::make_shared<Messages>()](const std::string& sentence) {
    const std::lock_guard lock(messages->mutex);
    if (messages->sentences.insert(sentence).second) say({sentence});
  };
}

MemoryCalls* make_caching_shim(PreloadMode mode) {
  const auto driver =
      streams::find_cuda_driver(driver_symbol, streams::DriverNeeds::all_but_mapping);
  if (const auto* const none = std::get_if<streams::NoCudaDriver>(&driver)) {
    say({none->reason, ": nothing is replaced"});
    return nullptr;
  }
  shim::ShimOptions options =
      shim::read_shim_options(mode, [](const char* name) { return secure_getenv(name); });
  for (const std::string& complaint : options.complaints) say({complaint});
  options.say = say_each_once();
  options.has_hooked = has_hooked;
  options.hooked = hooked_text;
  if (options.has_stacks) options.stacks = {take_call_stack, find_places};
  auto* const made =
      new shim::CachingShim(std::get<streams::CudaDriver>(driver), std::move(options));
  made->listen_for_signals();
  return made;
}

/// It is never destroyed. Null if everything goes to the driver. Requires: the driver is loaded,
/// and the mode is not `off`.
MemoryCalls* make_implementation(PreloadMode mode) {
  return mode == PreloadMode::record ? make_recorder() : make_caching_shim(mode);
}

thread_local int calls_under_way = 0;

pthread_once_t process_once = PTHREAD_ONCE_INIT;
pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;
std::atomic<MemoryCalls*> implementation;
/// Set after it.
std::atomic<bool> is_made;

void before_fork() {
  pthread_mutex_lock(&making);
  if (MemoryCalls* const calls = implementation.load()) calls->before_fork();
}

void after_fork_in_parent() {
  if (MemoryCalls* const calls = implementation.load()) calls->after_fork_in_parent();
  pthread_mutex_unlock(&making);
}

void after_fork_in_child() {
  if (MemoryCalls* const calls = implementation.load()) calls->after_fork_in_child();
  making = PTHREAD_MUTEX_INITIALIZER;
}

void exit_begins() {
  if (MemoryCalls* const calls = implementation.load()) calls->exit_begins();
}

std::atomic<void*> exit_at_once;

void watch_process() {
  exit_at_once.store(symbol_after_us("_exit"));
  pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
  std::atexit(exit_begins);
  std::at_quick_exit(tell_end_at_once);
}

/// The implementation that the exports call; null as long as no driver is loaded.
MemoryCalls* implementation_of_exports() {
  if (MemoryCalls* const calls = implementation.load(std::memory_order_acquire)) return calls;
  if (process_mode() == PreloadMode::off || !driver_is_loaded()) return nullptr;
  if (!is_made.load(std::memory_order_acquire)) {
    pthread_once(&process_once, watch_process);
    pthread_mutex_lock(&making);
    if (!is_made.load(std::memory_order_relaxed))
      implementation.store(make_implementation(process_mode()), std::memory_order_release);
    is_made.store(true, std::memory_order_release);
    pthread_mutex_unlock(&making);
  }
  return implementation.load(std::memory_order_acquire);
}

bool wants_statistics() {
  const char* const where = secure_getenv("VRAMLAB_STATS");
  return where != nullptr && *where != '\0';
}

/// It runs last of all at exit. Statistics also tell of a program that has a driver and went past
/// us.
[[gnu::destructor]] void at_exit() {
  MemoryCalls* const calls = wants_statistics() ? implementation_of_exports()
                                                : implementation.load(std::memory_order_acquire);
  if (calls != nullptr) calls->at_exit();
}

}  // namespace

void tell_end_at_once() {
  if (MemoryCalls* const calls = implementation.load(std::memory_order_acquire))
    calls->ends_at_once();
}

void* next_exit_at_once() { return exit_at_once.load(); }

ProgramCall::ProgramCall() {
  if (++calls_under_way == 1) calls_ = implementation_of_exports();
}

ProgramCall::~ProgramCall() { --calls_under_way; }

ProgramsTurn::ProgramsTurn() : calls_before_(std::exchange(calls_under_way, 0)) {}

ProgramsTurn::~ProgramsTurn() { calls_under_way = calls_before_; }

namespace {

using HookFlags = std::array<std::atomic<bool>, hook_count>;

constinit HookFlags functions_given{};
constinit HookFlags functions_called{};

/// Written once, so that calls from many threads do not take it from each other.
void note(HookFlags& flags, Hook hook) {
  std::atomic<bool>& flag = flags[static_cast<std::size_t>(hook)];
  if (!flag.load(std::memory_order_relaxed)) [[unlikely]]
    flag.store(true, std::memory_order_relaxed);
}

}  // namespace

void note_given(Hook hook) { note(functions_given, hook); }
void note_called(Hook hook) { note(functions_called, hook); }

bool has_hooked() {
  const auto is_set = [](const std::atomic<bool>& flag) { return flag.load(); };
  return std::ranges::any_of(functions_given, is_set) ||
         std::ranges::any_of(functions_called, is_set);
}

std::string hooked_text() {
  int count = 0;
  std::string names;
  for (const HookRow& row : hook_rows()) {
    const auto index = static_cast<std::size_t>(row.hook);
    if (functions_given[index].load() || functions_called[index].load()) ++count;
    if (functions_called[index].load()) names.append(" ").append(row.symbol);
  }
  if (count == 0)
    return "nothing was hooked: none of the driver's functions that are replaced was asked for "
           "here, or the program went past the library, as one does that loads itself with "
           "RTLD_DEEPBIND";
  return "hooked " + std::to_string(count) + " functions of the driver, called" +
         (names.empty() ? " none" : ":" + names);
}

}  // namespace vramlab::preload
