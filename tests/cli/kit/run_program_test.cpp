// Programs that tests run do not depend on how the tests themselves were started.
#include "tests/support/processes/run_program.h"

#include <gtest/gtest.h>

#include <csignal>

namespace vramlab::tests {
namespace {

/// Starts the program as a shell starts one in the background.
class InBackground : public testing::Test {
 protected:
  InBackground() : before_(std::signal(SIGINT, SIG_IGN)) {}
  ~InBackground() override { std::signal(SIGINT, before_); }

 private:
  void (*before_)(int);
};

TEST_F(InBackground, programs_can_be_interrupted) {
  const ProgramResult result =
      run_program({"/usr/bin/env", "sh", "-c", "kill -INT $$; echo still here"});
  EXPECT_EQ(result.output, "");
  EXPECT_EQ(result.exit_status, -1);
}

TEST_F(InBackground, blocked_signals_are_let_through) {
  sigset_t blocked;
  sigset_t before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  ASSERT_EQ(sigprocmask(SIG_BLOCK, &blocked, &before), 0);
  const ProgramResult result =
      run_program({"/usr/bin/env", "sh", "-c", "kill -TERM $$; echo still here"});
  ASSERT_EQ(sigprocmask(SIG_SETMASK, &before, nullptr), 0);
  EXPECT_EQ(result.output, "");
}

}  // namespace
}  // namespace vramlab::tests
