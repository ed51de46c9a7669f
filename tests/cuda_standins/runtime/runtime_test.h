// The parts that the tests of CUDA's runtime share. They are linked to its code, and find the
// tests' driver by LD_LIBRARY_PATH, as other programs do.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tools/cuda_standins/runtime/cudart.h"
#include "tools/cuda_standins/runtime/errors.h"
#include "tools/cuda_standins/runtime/runtime_state.h"

namespace vramlab::dry_run {

/// Said before anything calls the driver.
inline const int two_devices = setenv("FAKE_CUDA_DEVICES", "2", 1);

/// Each test begins with a thread that has called nothing, and a device without a context.
class RuntimeTest : public testing::Test {
 protected:
  void SetUp() override { start_again(); }
  void TearDown() override { start_again(); }

  static bool has_context(int device) {
    unsigned flags = 0;
    int is_active = 0;
    EXPECT_EQ(runtime_driver().primary_state(device, &flags, &is_active), error::success);
    return is_active != 0;
  }

 private:
  static void start_again() {
    cudaSetDevice(0);
    cudaDeviceReset();
    runtime_driver().set_current(nullptr);
    runtime_thread() = {};
  }
};

}  // namespace vramlab::dry_run
