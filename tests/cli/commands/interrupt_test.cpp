// A command that reads for a long time ends at once when it is interrupted, also one that could
// write files and was not asked to.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/kit/command_test.h"
#include "tests/support/processes/places.h"

namespace vramlab::tests {
namespace {

/// Runs while its standard input stays open.
class ReadingCommand {
 public:
  explicit ReadingCommand(const std::string& name) {
    int ends[2] = {-1, -1};
    if (pipe(ends) != 0) return;
    child_ = fork();
    if (child_ == 0) {
      dup2(ends[0], STDIN_FILENO);
      close(ends[0]);
      close(ends[1]);
      become_program({vramlab_path, name, "-"});
    }
    close(ends[0]);
    input_end_ = ends[1];
  }
  ~ReadingCommand() { close(input_end_); }
  ReadingCommand(const ReadingCommand&) = delete;
  ReadingCommand& operator=(const ReadingCommand&) = delete;

  /// Returns when the command has read the text.
  void give(const std::string& bytes) const {
    ASSERT_EQ(::write(input_end_, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    for (int unread = 1; unread > 0; usleep(1000))
      ASSERT_EQ(ioctl(input_end_, FIONREAD, &unread), 0);
  }

  /// The signal that ended the command; empty if it runs for a minute.
  std::optional<int> signal_that_ended_it() const {
    constexpr int attempts = 60'000;
    int status = 0;
    for (int i = 0; i < attempts; ++i, usleep(1000))
      if (waitpid(child_, &status, WNOHANG) == child_)
        return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    ::kill(child_, SIGKILL);
    waitpid(child_, &status, 0);
    return std::nullopt;
  }

  pid_t child() const { return child_; }

 private:
  pid_t child_ = -1;
  int input_end_ = -1;
};

TEST(Interrupt, ends_a_command_that_reads) {
  for (const char* name : {"replay", "snapshot", "top"}) {
    const ReadingCommand command(name);
    ASSERT_GT(command.child(), 0);
    command.give(content_of(leak).substr(0, 1000));
    kill(command.child(), SIGINT);
    EXPECT_EQ(command.signal_that_ended_it(), SIGINT) << name;
  }
}

}  // namespace
}  // namespace vramlab::tests
