// DriverOptions: what the stand-in driver is like.
#pragma once

#include <cstdint>

namespace vramlab::dry_run {

/// What cuMemFree does about pending work. The real one may wait; nobody may rely on it.
enum class FreeRule : std::uint8_t { waits_for_context, returns_at_once };

/// Whether device memory has bytes behind it that copies and kernels change. Not with sanitizers
/// that want its addresses for themselves.
enum class Backing : std::uint8_t { none, host_memory };

struct DriverOptions {
  std::uint32_t device_count = 1;
  /// The memory of each device.
  std::uint64_t memory_bytes = 8ULL << 30;
  std::uint64_t granularity = 2ULL << 20;
  /// Functions that came later are missing.
  int driver_version = 13000;
  /// Addresses can be reserved and memory mapped there.
  bool has_memory_mapping = true;
  Backing backing = Backing::none;
  FreeRule free_rule = FreeRule::waits_for_context;
  /// Virtual time of a kernel that nobody knows more about.
  std::uint64_t kernel_ns = 1'000;
};

}  // namespace vramlab::dry_run
