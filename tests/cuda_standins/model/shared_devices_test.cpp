// Processes that share the memory of the same devices.
#include "tools/cuda_standins/model/shared_devices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include "tests/support/kit/own_folder.h"

namespace vramlab::dry_run {
namespace {

using testing::HasSubstr;

/// A process that does something, says so and waits.
class OtherProcess {
 public:
  explicit OtherProcess(const std::function<void()>& work) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    process_ = fork();
    if (process_ == 0) {
      work();
      [[maybe_unused]] const ssize_t told = write(ends[1], "x", 1);
      for (;;) pause();
    }
    char letter = 0;
    EXPECT_EQ(read(ends[0], &letter, 1), 1);
    close(ends[0]);
    close(ends[1]);
  }
  OtherProcess(const OtherProcess&) = delete;
  OtherProcess& operator=(const OtherProcess&) = delete;
  ~OtherProcess() { end(); }
  void end() {
    if (process_ == 0) return;
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
    process_ = 0;
  }
  pid_t process() const { return process_; }

 private:
  pid_t process_ = 0;
};

class SharedDevicesTest : public testing::Test {
 protected:
  SharedDevicesTest() : folder_(support::own_folder() + "shared_devices") {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~SharedDevicesTest() override { std::filesystem::remove_all(folder_); }

  std::string log() const {
    std::ostringstream text;
    text << std::ifstream(folder_ + "/shared_devices.log").rdbuf();
    return text.str();
  }

  std::string folder_;
};

void take(SharedDevices& devices, std::uint32_t device, std::uint64_t bytes) {
  devices.in_turn(device, [&](std::uint64_t) -> SharedDevices::Change {
    return {SharedUse::took, bytes, bytes};
  });
}

TEST_F(SharedDevicesTest, one_process_sees_what_another_holds) {
  SharedDevices own(folder_);
  take(own, 0, 100);
  EXPECT_EQ(own.held_by_others(0), 0U);
  const OtherProcess other([&] {
    SharedDevices* const its = new SharedDevices(folder_);
    take(*its, 0, 1000);
    take(*its, 3, 7);
  });
  EXPECT_EQ(own.held_by_others(0), 1000U);
  EXPECT_EQ(own.held_by_others(3), 7U);
  std::uint64_t seen = 0;
  own.in_turn(0, [&](std::uint64_t others) -> SharedDevices::Change {
    seen = others;
    return {SharedUse::refused, 5000, 100};
  });
  EXPECT_EQ(seen, 1000U);
  EXPECT_THAT(log(), HasSubstr(" " + std::to_string(getpid()) + " 0 refused 5000 100 "));
}

TEST_F(SharedDevicesTest, memory_of_a_killed_process_is_given_back) {
  SharedDevices own(folder_);
  OtherProcess other([&] { take(*new SharedDevices(folder_), 0, 1000); });
  const std::string number = std::to_string(other.process());
  EXPECT_EQ(own.held_by_others(0), 1000U);
  other.end();
  EXPECT_EQ(own.held_by_others(0), 0U);
  EXPECT_THAT(log(), HasSubstr(" " + number + " 0 ended 1000 0 "));
}

TEST_F(SharedDevicesTest, process_that_leaves_holds_nothing) {
  SharedDevices own(folder_);
  const OtherProcess other([&] {
    SharedDevices* const its = new SharedDevices(folder_);
    take(*its, 0, 1000);
    its->leave();
    take(*its, 0, 2000);
  });
  EXPECT_EQ(own.held_by_others(0), 0U);
}

/// The child of a fork has memory of its own from its first call on.
TEST_F(SharedDevicesTest, forked_process_is_another_one) {
  SharedDevices devices(folder_);
  take(devices, 0, 100);
  const OtherProcess other([&] { take(devices, 0, 30); });
  EXPECT_EQ(devices.held_by_others(0), 30U);
  take(devices, 0, 200);
  const OtherProcess looker([&] {
    const std::uint64_t others = devices.held_by_others(0);
    take(devices, 1, others);
  });
  EXPECT_EQ(devices.held_by_others(1), 230U);
}

}  // namespace
}  // namespace vramlab::dry_run
