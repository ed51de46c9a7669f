// The driver of this process, made from the environment. It is never destroyed, as calls may come
// until the process is gone.
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <exception>

#include "tools/cuda_standins/model/stand_in_driver.h"
#include "tools/cuda_standins/notes/notes.h"
#include "tools/cuda_standins/process/environment.h"
#include "tools/cuda_standins/process/process_notes.h"

namespace vramlab::dry_run {
namespace {

StandInDriver* make_driver() {
  const DryRunSettings settings = settings_from_environment();
  auto* const driver = new StandInDriver(settings.driver, nullptr);
  for (std::uint32_t device = 0; device < settings.driver.device_count; ++device)
    driver->memory().set_external(device, settings.held_bytes);
  begin_process_notes(*driver, settings.notes_folder);
  return driver;
}

/// What the environment says wrongly ends the process.
template <class Make>
auto make_or_end(const Make& make) {
  try {
    return make();
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "vramlab dry-run: %s\n", failure.what());
    _exit(2);
  }
}

void note_fork() {
  forget_parent_notes();
  the_driver().note_fork();
}

}  // namespace

StandInDriver& the_driver() {
  static StandInDriver* const made = [] {
    StandInDriver* const driver = make_or_end(make_driver);
    pthread_atfork(nullptr, nullptr, note_fork);
    return driver;
  }();
  return *made;
}

}  // namespace vramlab::dry_run

#define NOTES_EXPORT extern "C" __attribute__((visibility("default")))

namespace {
/// A stand-in for a C library: what it remembers belongs to the process.
std::atomic<int> runtime_in_use{0};
}  // namespace

NOTES_EXPORT void vramlab_dry_run_set_runtime(int version) { runtime_in_use = version; }
NOTES_EXPORT int vramlab_dry_run_runtime() { return runtime_in_use; }
NOTES_EXPORT int vramlab_dry_run_gpu_count() {
  using namespace vramlab::dry_run;
  return static_cast<int>(make_or_end(gpu_count_from_environment));
}
