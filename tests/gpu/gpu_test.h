// GpuTest: a test that needs a GPU. Where none answers it is skipped, and says so.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/gpu/gpu_executor.h"

namespace vramlab::tests {

class GpuTest : public testing::Test {
 protected:
  void SetUp() override;
};

/// Some of them, one a line, and how many there are.
std::string lines_of(const std::vector<std::string>& sentences);

}  // namespace vramlab::tests
