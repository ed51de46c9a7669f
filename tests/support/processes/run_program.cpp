#include "tests/support/processes/run_program.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "allocator/types/check.h"
#include "tests/support/processes/places.h"

namespace vramlab::tests {
namespace {

/// A file that is gone when the test is over.
class TemporaryFile {
 public:
  TemporaryFile() : descriptor_(mkstemp(path_.data())) {
    check(descriptor_ >= 0, "a temporary file can be made");
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    close(descriptor_);
    unlink(path_.c_str());
  }

  int descriptor() const { return descriptor_; }
  std::string text() const { return support::content_of(path_); }

 private:
  std::string path_ = "/tmp/vramlab-test-XXXXXX";
  int descriptor_;
};

}  // namespace

void become_program(const std::vector<std::string>& command) {
  for (int number = 1; number < NSIG; ++number) std::signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execv(arguments.front(), arguments.data());
  _exit(127);
}

ProgramResult run_program(const std::vector<std::string>& command, const std::string& input) {
  const TemporaryFile in;
  const TemporaryFile out;
  const TemporaryFile err;
  check(write(in.descriptor(), input.data(), input.size()) == static_cast<ssize_t>(input.size()),
        "the input can be written");
  lseek(in.descriptor(), 0, SEEK_SET);
  const pid_t child = fork();
  check(child >= 0, "a process can be made");
  if (child == 0) {
    dup2(in.descriptor(), STDIN_FILENO);
    dup2(out.descriptor(), STDOUT_FILENO);
    dup2(err.descriptor(), STDERR_FILENO);
    become_program(command);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, out.text(), err.text()};
}

}  // namespace vramlab::tests
