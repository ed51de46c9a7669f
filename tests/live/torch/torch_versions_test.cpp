// The plug-in follows the rules of the PyTorch that it was loaded into.
#include "tests/live/torch/torch_plugin.h"

namespace vramlab::tests {
namespace {

/// Frees a block at a low address that was made after a free block of its size higher up. True if
/// the next request gets the low one.
bool takes_the_lower_of_two_equal_blocks(const TorchLibrary& torch) {
  const auto get = [&](std::size_t mibs) { return torch.malloc(mibs * mib, 0, nullptr); };
  void* const six = get(6);
  get(2);
  void* const old_three = get(3);
  get(2);
  torch.free(six, 0, 0, nullptr);
  void* const new_three = get(3);
  get(3);
  EXPECT_EQ(new_three, six);
  torch.free(new_three, 0, 0, nullptr);
  torch.free(old_three, 0, 0, nullptr);
  return get(3) == new_three;
}

TEST_F(TorchPlugin, follows_the_usual_rules_without_pytorch) {
  EXPECT_STREQ(torch_.reference(), "2.6");
  EXPECT_TRUE(takes_the_lower_of_two_equal_blocks(torch_));
}

class TorchPluginInNewerPyTorch : public TorchPlugin {
 protected:
  void SetUp() override {
    TorchLibrary::open(support::binary_dir() + "/fake_torch_2.12.1/lib/libc10.so");
    TorchPlugin::SetUp();
  }
};

TEST_F(TorchPluginInNewerPyTorch, follows_the_rules_of_its_version) {
  EXPECT_STREQ(torch_.reference(), "2.12.1");
  EXPECT_FALSE(takes_the_lower_of_two_equal_blocks(torch_));
}

// Versions with a single pass refuse a separator of the wrong kind.
constexpr const char* wrong_separator = "max_split_size_mb,64";

TEST_F(TorchPlugin, refuses_options_that_the_usual_version_refuses) {
  EXPECT_EQ(torch_.set_options(0, wrong_separator), 1);
}

TEST_F(TorchPluginInNewerPyTorch, reads_options_in_the_grammar_of_its_version) {
  EXPECT_EQ(torch_.set_options(0, wrong_separator), 0) << torch_.last_error();
}

}  // namespace
}  // namespace vramlab::tests
