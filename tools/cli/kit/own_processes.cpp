#include "tools/cli/kit/own_processes.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace vramlab::tools {

void stand_alone(pid_t parent, int signal) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, signal);
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_UNBLOCK, &all, nullptr);
  if (getppid() != parent) _exit(1);
}

void take_standard_streams(int output, int told) {
  const int input = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (input >= 0) dup2(input, STDIN_FILENO);
  if (output >= 0) dup2(output, STDOUT_FILENO);
  if (told >= 0) dup2(told, STDERR_FILENO);
}

void take_standard_streams(const std::string& log) {
  const int output = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  take_standard_streams(output, output);
}

}  // namespace vramlab::tools
