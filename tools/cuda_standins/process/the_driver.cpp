// The driver of this process, made from the environment by the first call, and its notes: PID.json
// in the folder for notes, if the process used the driver. Both are never destroyed, as calls may
// come until the process is gone.
#include <fcntl.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>

#include "tools/cuda_standins/model/stand_in_driver.h"
#include "tools/cuda_standins/notes/note_book.h"
#include "tools/cuda_standins/notes/notes.h"
#include "tools/cuda_standins/process/environment.h"

namespace vramlab::dry_run {

class StandInDriver;

/// Notes of this driver go into this folder; an empty name is for none.
void begin_process_notes(StandInDriver& driver, const std::string& folder);
/// Called in the child of a fork, whose notes begin anew when it uses the driver.
void forget_parent_notes();
/// Writes them again if need be. Does nothing if this process did not use the driver.
void write_process_notes();

namespace {

struct ProcessNotes {
  StandInDriver* driver = nullptr;
  pid_t process = 0;
  std::string folder;
};

/// Null until notes begin. The child of a vfork looks at it too, and must not make anything.
constinit std::atomic<ProcessNotes*> the_process = nullptr;

std::string gpus_text(StandInDriver& driver) {
  std::string text;
  for (std::uint32_t device = 0; device < driver.options().device_count; ++device) {
    text += text.empty() ? "" : ", ";
    const ManagedMemory& managed = driver.memory().managed(device);
    text += "{\"index\": " + std::to_string(driver.options().machine_number(device)) +
            ", \"peak_used_bytes\": " + std::to_string(driver.memory().peak_used(device)) +
            ", \"peak_managed_bytes\": " + std::to_string(managed.peak) +
            ", \"managed_at_peak_bytes\": " + std::to_string(managed.at_peak_used) +
            ", \"peak_with_managed_bytes\": " + std::to_string(managed.peak_with_used) + "}";
  }
  return "[" + text + "]";
}

/// JSON: each call as its name and its bytes.
std::string pinned_text(const PinnedCalls& pinned) {
  constexpr const char* names[] = {"host_alloc", "host_free", "host_register", "host_unregister"};
  std::string calls;
  for (const PinnedCall& call : pinned.first_calls()) {
    calls += calls.empty() ? "[\"" : ", [\"";
    calls += names[static_cast<std::size_t>(call.kind)];
    calls += "\", " + std::to_string(call.bytes) + "]";
  }
  return "{\"peak_bytes\": " + std::to_string(pinned.peak_bytes()) +
         ", \"count\": " + std::to_string(pinned.count()) + ", \"calls\": [" + calls + "]}";
}

std::string text_of(const ProcessNotes& process) {
  return "{\"pid\": " + std::to_string(process.process) +
         ",\n \"program\": " + json_text(program_invocation_name) +
         ",\n \"notes\": " + the_notes().text() + ",\n \"gpus\": " + gpus_text(*process.driver) +
         ",\n \"pinned\": " + pinned_text(process.driver->pinned()) + "}\n";
}

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

void begin_process_notes(StandInDriver& driver, const std::string& folder) {
  the_process = new ProcessNotes{&driver, getpid(), folder};
}

void forget_parent_notes() {
  ProcessNotes* const process = the_process;
  if (process == nullptr) return;
  the_notes().begin_anew();
  if (!process->driver->is_used()) process->process = getpid();
}

void write_process_notes() {
  if (the_process == nullptr) return;
  const ProcessNotes& process = *the_process;
  if (process.folder.empty() || process.process != getpid()) return;
  // A linked runtime may give up before it initialises the driver.
  if (!process.driver->is_initialised() && !the_notes().has_kind("linked_runtime")) return;
  const std::string name = process.folder + "/" + std::to_string(process.process) + ".json";
  // The file appears whole under the name that readers look for, or not at all.
  const std::string unfinished = name + ".part";
  const int file = open(unfinished.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) return;
  const bool is_written = write_all(file, text_of(process));
  close(file);
  if (!is_written || rename(unfinished.c_str(), name.c_str()) != 0) unlink(unfinished.c_str());
}

/// Writes the notes, and gives back what the process holds of shared devices.
void end_process() {
  write_process_notes();
  ProcessNotes* const process = the_process;
  if (process == nullptr || process->process != getpid()) return;
  if (SharedDevices* const shared = process->driver->memory().shared()) shared->leave();
}

}  // namespace vramlab::dry_run

// The ends of a process at which nothing else of this library is called: _exit, which Python's
// workers take, and another program in its place. libcuda.so.1 is loaded ahead of the C library, so
// programs call these.

#define PROCESS_EXPORT extern "C" __attribute__((visibility("default")))

using vramlab::dry_run::end_process;
using vramlab::dry_run::write_process_notes;

namespace {

[[noreturn]] void leave(int status) {
  end_process();
  for (;;) syscall(SYS_exit_group, status);
}

int replace(const char* program, char* const arguments[], char* const environment[]) {
  write_process_notes();
  return static_cast<int>(syscall(SYS_execve, program, arguments, environment));
}

__attribute__((destructor)) void end_at_the_end() { end_process(); }

}  // namespace

PROCESS_EXPORT void _exit(int status) { leave(status); }
PROCESS_EXPORT void _Exit(int status) { leave(status); }
PROCESS_EXPORT int execve(const char* program, char* const arguments[],
                          char* const environment[]) noexcept {
  return replace(program, arguments, environment);
}
PROCESS_EXPORT int execv(const char* program, char* const arguments[]) noexcept {
  return replace(program, arguments, environ);
}

// The driver itself.

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

/// A wrong variable of the environment ends the process.
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
/// The stand-in for a C library remembers this for the whole process.
std::atomic<int> runtime_in_use{0};
}  // namespace

NOTES_EXPORT void vramlab_dry_run_set_runtime(int version) { runtime_in_use = version; }
NOTES_EXPORT int vramlab_dry_run_runtime() { return runtime_in_use; }
NOTES_EXPORT void vramlab_dry_run_write_notes() {
  vramlab::dry_run::the_driver().look([](const vramlab::dry_run::StandInDriver&) {
    vramlab::dry_run::write_process_notes();
    return 0;
  });
}
NOTES_EXPORT void vramlab_dry_run_answer_nvml() {
  vramlab::dry_run::the_driver().look([](vramlab::dry_run::StandInDriver& driver) {
    driver.answer_nvml();
    return 0;
  });
}
NOTES_EXPORT int vramlab_dry_run_gpu_count() {
  using namespace vramlab::dry_run;
  return static_cast<int>(make_or_end(gpu_count_from_environment));
}
