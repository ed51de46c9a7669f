// `vramlab advise`, run as a program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/kit/command_test.h"

namespace vramlab::tests {
namespace {

using testing::HasSubstr;

TEST(AdviseCommand, names_the_variable_of_the_version) {
  const std::string training = samples + "gpt_training.pickle.gz";
  EXPECT_THAT(run_vramlab({"advise", training, "--reference", "2.6"}).output,
              HasSubstr("export PYTORCH_CUDA_ALLOC_CONF="));
  EXPECT_THAT(run_vramlab({"advise", training, "--reference", "2.12"}).output,
              HasSubstr("export PYTORCH_ALLOC_CONF="));
}

}  // namespace
}  // namespace vramlab::tests
