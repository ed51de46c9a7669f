// The ends of a process at which nothing else of this library is called: _exit, which Python's
// workers take, and another program in its place. libcuda.so.1 is loaded ahead of the C library, so
// programs call these.
#include <sys/syscall.h>
#include <unistd.h>

#include "tools/cuda_standins/process/process_notes.h"

#define PROCESS_EXPORT extern "C" __attribute__((visibility("default")))

using vramlab::dry_run::write_process_notes;

namespace {

[[noreturn]] void leave(int status) {
  write_process_notes();
  for (;;) syscall(SYS_exit_group, status);
}

int replace(const char* program, char* const arguments[], char* const environment[]) {
  write_process_notes();
  return static_cast<int>(syscall(SYS_execve, program, arguments, environment));
}

__attribute__((destructor)) void write_at_the_end() { write_process_notes(); }

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
