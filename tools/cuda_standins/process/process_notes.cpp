#include "tools/cuda_standins/process/process_notes.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <string_view>

#include "tools/cuda_standins/model/stand_in_driver.h"
#include "tools/cuda_standins/notes/note_book.h"

namespace vramlab::dry_run {
namespace {

struct ProcessNotes {
  StandInDriver* driver = nullptr;
  pid_t process = 0;
  std::string folder;
};

/// Null until they began. Also looked at in the child of a vfork, where nothing may be made.
constinit std::atomic<ProcessNotes*> the_process = nullptr;

std::string gpus_text(StandInDriver& driver) {
  std::string text;
  for (std::uint32_t device = 0; device < driver.options().device_count; ++device) {
    text += text.empty() ? "" : ", ";
    text += "{\"index\": " + std::to_string(driver.options().machine_number(device)) +
            ", \"peak_used_bytes\": " + std::to_string(driver.memory().peak_used(device)) + "}";
  }
  return "[" + text + "]";
}

/// Each call as its name and its bytes.
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
  if (!process->driver->is_initialised()) process->process = getpid();
}

void write_process_notes() {
  if (the_process == nullptr) return;
  const ProcessNotes& process = *the_process;
  if (process.folder.empty() || process.process != getpid()) return;
  // A linked runtime may give up before it initialises the driver.
  if (!process.driver->is_initialised() && !the_notes().has_kind("linked_runtime")) return;
  const std::string name = process.folder + "/" + std::to_string(process.process) + ".json";
  // Whole, or not at all, under the name that readers look for.
  const std::string unfinished = name + ".part";
  const int file = open(unfinished.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) return;
  const bool is_written = write_all(file, text_of(process));
  close(file);
  if (!is_written || rename(unfinished.c_str(), name.c_str()) != 0) unlink(unfinished.c_str());
}

}  // namespace vramlab::dry_run
