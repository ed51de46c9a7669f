// DriverOptions: the devices, limits and rules of a stand-in driver.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "streams/device/gpu_models.h"
#include "streams/memory/free_gaps.h"
#include "streams/memory/simulated_memory.h"

namespace vramlab::dry_run {

/// The rule of cuMemFree for pending work. The real one may wait; no program may rely on it.
enum class FreeRule : std::uint8_t { waits_for_context, returns_at_once };

/// The backing of device memory: addresses that are not taken, addresses that are taken so that
/// nothing else gets them, or bytes that copies and kernels change (not with sanitizers, which want
/// the addresses for themselves).
enum class Backing : std::uint8_t { none, reserved_addresses, host_memory };

/// The values that copies from a device without bytes bring to the host.
enum class HostValues : std::uint8_t { zeros, ones, random };

/// Addresses of device memory. Allocations of the devices lie side by side in theirs.
struct AddressPlan {
  streams::AddressRange allocations;
  streams::AddressRange reservations;
};

struct DriverOptions {
  std::uint32_t device_count = 1;
  /// The numbers that the devices have in the machine; empty: their own.
  std::vector<std::uint32_t> machine_numbers;
  std::string device_name = "stand-in device";
  streams::GpuProperties properties = {.compute_major = 9,
                                       .sm_count = 64,
                                       .threads_per_sm = 2048,
                                       .blocks_per_sm = 32,
                                       .shared_bytes_per_sm = 228 << 10,
                                       .shared_bytes_per_block_optin = 227 << 10,
                                       .l2_bytes = 50 << 20,
                                       .clock_khz = 1'980'000,
                                       .memory_clock_khz = 2'619'000,
                                       .memory_bus_bits = 5120};
  /// The bytes that can be allocated on each device.
  std::uint64_t memory_bytes = 8ULL << 30;
  /// The bytes that programs are told of; 0: as much as can be allocated.
  std::uint64_t told_bytes = 0;
  /// The part of it that the process itself takes.
  std::uint64_t context_bytes = 0;
  std::uint64_t granularity = 2ULL << 20;
  /// Functions that came later are missing.
  int driver_version = 13000;
  /// Addresses can be reserved and memory mapped there.
  bool has_memory_mapping = true;
  /// Programs have nothing else there, and the address sanitizer lets them.
  AddressPlan addresses = {{{0x200000000000}, {0x300000000000}},
                           {{0x300000000000}, {0x400000000000}}};
  /// Tried in their order where the process has something at those.
  std::vector<AddressPlan> other_addresses;
  streams::UsualPlaces places = streams::UsualPlaces::lowest_gap;
  Backing backing = Backing::none;
  /// For programs that wait for host functions; not for tests that count on repeatable times.
  bool moves_time_by_itself = false;
  HostValues host_values = HostValues::zeros;
  FreeRule free_rule = FreeRule::waits_for_context;
  /// Virtual time of a kernel of which no more is known, and of the host for putting something
  /// on a stream.
  std::uint64_t kernel_ns = 1'000;
  std::uint64_t submit_ns = 0;
  /// The folder in which processes share the memory of the devices; empty: each has its own.
  std::string shared_folder;
  /// The host waits where a driver has so much left to do.
  std::uint64_t most_pending = 1 << 20;

  std::uint32_t machine_number(std::uint32_t device) const {
    return machine_numbers.empty() ? device : machine_numbers.at(device);
  }
};

}  // namespace vramlab::dry_run
