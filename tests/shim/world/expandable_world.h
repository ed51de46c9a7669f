// A shim whose segments expand, and what tests ask of the driver about it.
#pragma once

#include "tests/shim/world/shim_world.h"

namespace vramlab::tests {

inline constexpr const char* expandable_setting = "expandable_segments:True";

inline WorldOptions expandable(std::uint64_t memory = 8ULL << 30, std::uint32_t devices = 1) {
  WorldOptions options = in_mode(preload::PreloadMode::deferred, expandable_setting);
  options.fake.memory_bytes = memory;
  options.fake.device_count = devices;
  return options;
}

/// What nobody holds, in the driver's eyes.
inline std::uint64_t memory_left(ShimWorld& world, std::uint32_t device = 0) {
  return world.fake()->look(
      [device](fake::FakeCuda& cuda) { return cuda.memory().info(device).free.count; });
}

/// What its work came to.
inline CUresult state_of(ShimWorld& world, CUcontext context) {
  world.make_current(context);
  world.advance(10000000);
  return world.driver().context_synchronize();
}

}  // namespace vramlab::tests
