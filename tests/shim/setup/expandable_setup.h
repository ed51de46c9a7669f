// A shim whose segments expand, and what tests ask of the driver about it.
#pragma once

#include "tests/shim/setup/shim_setup.h"

namespace vramlab::tests {

inline constexpr const char* expandable_setting = "expandable_segments:True";

inline ShimSetupOptions expandable(std::uint64_t memory = 8ULL << 30, std::uint32_t devices = 1) {
  ShimSetupOptions options = in_mode(preload::PreloadMode::deferred, expandable_setting);
  options.fake.memory_bytes = memory;
  options.fake.device_count = devices;
  return options;
}

/// The bytes that are free, in the driver's eyes.
inline std::uint64_t memory_left(ShimSetup& setup, std::uint32_t device = 0) {
  return setup.fake()->look(
      [device](fake::FakeCuda& cuda) { return cuda.memory().info(device).free.count; });
}

/// The result of its work.
inline CUresult state_of(ShimSetup& setup, CUcontext context) {
  setup.make_current(context);
  setup.advance(10000000);
  return setup.driver().context_synchronize();
}

}  // namespace vramlab::tests
