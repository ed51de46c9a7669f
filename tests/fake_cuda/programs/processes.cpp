// How a process may go on or end. Argument: `fork-before` or `fork-after` CUDA is first used,
// `exec`, `_exit`, `kill` or `leave`: memory is left in all of these.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>

#include "tests/fake_cuda/programs/program.h"

using namespace vramlab::fake_programs;

namespace {

void use_memory() {
  const CUdeviceptr at = take_memory(1 << 20);
  MUST(launch(find_kernel("fake_fill"), {at, 1000, 3}, nullptr));
  must(holds(at, 1000, 3), "the kernel's words are there");
  give_back_memory(at);
}

/// The exit status of the child.
int run_in_child(int (*child)()) {
  const pid_t pid = fork();
  must(pid >= 0, "fork");
  if (pid == 0) _exit(child());
  int status = 0;
  must(waitpid(pid, &status, 0) == pid, "waitpid");
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int use_as_a_new_process() {
  open_device();
  use_memory();
  return end_of_program();
}

/// CUDA can't be used in the child of a process that used it; nothing hangs or crashes.
int use_what_is_the_parents() {
  CUdeviceptr at = 0;
  std::size_t free = 0;
  std::size_t total = 0;
  if (cuMemAlloc_v2(&at, 4096) != CUDA_ERROR_NOT_INITIALIZED) return 1;
  if (cuMemGetInfo_v2(&free, &total) != CUDA_ERROR_NOT_INITIALIZED) return 1;
  return cuInit(0) == CUDA_ERROR_NOT_INITIALIZED ? 0 : 1;
}

int fork_before() {
  must(run_in_child(use_as_a_new_process) == 0, "the child has CUDA of its own");
  return use_as_a_new_process();
}

int fork_after() {
  open_device();
  use_memory();
  const CUdeviceptr at = take_memory(1 << 20);
  must(run_in_child(use_what_is_the_parents) == 0, "the child is told that it has no CUDA");
  give_back_memory(at);
  use_memory();
  return end_of_program();
}

}  // namespace

int main(int count, char** arguments) {
  const std::string how = count > 1 ? arguments[1] : "";
  if (how == "fork-before") return fork_before();
  if (how == "fork-after") return fork_after();
  open_device();
  use_memory();
  take_memory(1 << 20);
  if (how == "exec") {
    char* next[] = {arguments[0], const_cast<char*>("fork-before"), nullptr};
    execv("/proc/self/exe", next);
    return 1;
  }
  if (how == "_exit") _exit(0);
  if (how == "kill") std::raise(SIGKILL);
  must(how == "leave", "one of the ways that there are");
  return 0;
}
