#include "tests/support/processes/terminal.h"

#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/processes/run_program.h"

namespace vramlab::tests {

std::string printed_on_terminal(const std::vector<std::string>& command, const std::string& until) {
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, nullptr);
  if (child == 0) become_program(command);
  std::string text;
  char part[4096];
  for (ssize_t count = 1; count > 0 && text.find(until) == std::string::npos;) {
    count = read(terminal, part, sizeof part);
    if (count > 0) text.append(part, static_cast<std::size_t>(count));
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  close(terminal);
  return text;
}

}  // namespace vramlab::tests
