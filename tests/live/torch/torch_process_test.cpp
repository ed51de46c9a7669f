// The life of a process around the plug-in: PyTorch makes the allocator before it says how many
// GPUs there are, and frees until the process is over.
#include "tests/live/torch/torch_plugin.h"

#include <gmock/gmock.h>

namespace vramlab::tests {
namespace {

using testing::HasSubstr;

TEST_F(TorchPlugin, init_with_0_devices_opens_none_and_can_come_again) {
  torch_.init(0);
  torch_.init(2);
  EXPECT_FALSE(driver_.is_retained(1));
  EXPECT_NE(torch_.malloc(mib, 1, nullptr), nullptr);
  EXPECT_TRUE(driver_.is_retained(1));
  torch_.init(2);
  EXPECT_EQ(stats(1)["allocation.all.current"], 1);
}

TEST_F(TorchPlugin, a_gpu_that_is_not_there_is_an_error_and_not_the_end) {
  EXPECT_THROW(torch_.malloc(mib, 7, nullptr), std::runtime_error);
  EXPECT_EQ(torch_.stats(7), nullptr);
  EXPECT_THAT(torch_.last_error(), HasSubstr("there is no GPU 7"));
  EXPECT_NE(torch_.malloc(mib, 0, nullptr), nullptr);
}

/// Its destructor frees after the plug-in's own statics would be gone, if it had any.
struct FreedLate {
  ~FreedLate() {
    if (block != nullptr) free(block, mib, 0, nullptr);
  }
  TorchLibrary::Free* free = nullptr;
  void* block = nullptr;
};
FreedLate freed_late;

/// In a process of its own that runs the fixture from the start.
class TorchPluginAtExit : public TorchPlugin {
 protected:
  TorchPluginAtExit() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
  void leave_with_a_block(bool with_driver) {
    freed_late.free = torch_.free;
    freed_late.block = torch_.malloc(mib, 0, nullptr);
    torch_.record_stream(freed_late.block, new_stream());
    torch_.malloc(5 * mib, 1, nullptr);
    if (!with_driver) driver_.find<void (*)()>("fake_cuda_tear_down")();
    std::exit(0);
  }
};

TEST_F(TorchPluginAtExit, frees_come_after_main_and_what_is_left_is_leaked) {
  EXPECT_EXIT(leave_with_a_block(true), testing::ExitedWithCode(0), "^$");
}

TEST_F(TorchPluginAtExit, frees_come_after_the_driver_is_gone) {
  EXPECT_EXIT(leave_with_a_block(false), testing::ExitedWithCode(0), "^$");
}

}  // namespace
}  // namespace vramlab::tests
