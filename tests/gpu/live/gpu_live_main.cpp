// Says which GPU and driver give the answers, then runs the tests; without a GPU it says so and
// runs none.
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/gpu/live/real_gpu.h"

namespace vramlab::tests {
namespace {

std::variant<streams::CudaDriver, streams::NoCudaDriver>& found_driver() {
  static auto found = streams::open_cuda_driver();
  return found;
}

/// Why there is none; empty where there is one.
std::string tell_gpu() {
  if (const auto* missing = std::get_if<streams::NoCudaDriver>(&found_driver()))
    return missing->reason;
  const auto gpu = streams::find_gpu(real_driver(), 0);
  if (const auto* missing = std::get_if<streams::NoCudaDriver>(&gpu)) return missing->reason;
  const auto& facts = std::get<streams::GpuFacts>(gpu);
  std::printf("GPU: %s, compute capability %d.%d, CUDA driver %d, %.1f GiB\n", facts.name.c_str(),
              facts.compute_major, facts.compute_minor, facts.driver_version,
              static_cast<double>(facts.memory.count) / double{1ULL << 30});
  return {};
}

}  // namespace

const streams::CudaDriver& real_driver() { return std::get<streams::CudaDriver>(found_driver()); }

}  // namespace vramlab::tests

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const std::string reason = vramlab::tests::tell_gpu();
  if (!reason.empty()) {
    std::printf("SKIPPED: %s. NOTHING IS TESTED ON A GPU.\n", reason.c_str());
    return 0;
  }
  std::fflush(stdout);
  return RUN_ALL_TESTS();
}
