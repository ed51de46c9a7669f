#include "tools/cuda_standins/driver/device_attributes.h"

#include <algorithm>
#include <array>

namespace vramlab::dry_run {
namespace {

/// An attribute that all GPUs here answer alike. Those that are not named are 0: what is not there.
struct SameForAll {
  int attribute;
  int value;
};

constexpr int last_attribute = 161;
constexpr int largest = 0x7fffffff;

// The numbers are CUdevice_attribute's.
// clang-format off
constexpr SameForAll same_for_all[] = {
    // A block: threads, and the size of each dimension; the grid's dimensions.
    {1, 1024}, {2, 1024}, {3, 1024}, {4, 64}, {5, largest}, {6, 65535}, {7, 65535},
    // Shared memory and constants, a warp, the pitch of copies, registers of a block.
    {8, 48 << 10}, {9, 64 << 10}, {10, 32}, {11, largest}, {12, 65536},
    // Alignment of textures, copies beside kernels, mapped host memory.
    {14, 512}, {15, 1}, {19, 1},
    // Textures, by dimensions and layers.
    {21, 131072}, {22, 131072}, {23, 65536}, {24, 16384}, {25, 16384}, {26, 16384}, {27, 32768},
    {28, 32768}, {29, 2048}, {30, 512}, {31, 1}, {42, 32768}, {43, 2048}, {44, 1}, {45, 32768},
    {46, 32768}, {47, 8192}, {48, 8192}, {49, 32768}, {51, 32}, {52, 32768}, {53, 32768}, {54, 2046},
    {69, 268435456}, {70, 131072}, {71, 65000}, {72, 2097120}, {73, 32768}, {74, 32768}, {77, 32768},
    // Surfaces.
    {55, 32768}, {56, 131072}, {57, 65536}, {58, 16384}, {59, 16384}, {60, 16384}, {61, 32768},
    {62, 2048}, {63, 32768}, {64, 32768}, {65, 2048}, {66, 32768}, {67, 32768}, {68, 2046},
    // Engines for copies, one address space, priorities of streams, caches.
    {40, 3}, {41, 1}, {78, 1}, {79, 1}, {80, 1}, {82, 65536},
    // Managed memory, and what kernels may do beside each other.
    {83, 1}, {89, 1}, {90, 1}, {91, 1}, {92, 1}, {93, 1}, {94, 1}, {95, 1}, {96, 1}, {98, 1}, {99, 1},
    // Handles of memory, by a file; the bytes of shared memory that the system has of each block.
    {103, 1}, {111, 1024}, {112, 1}, {114, 1},
    // Pools, and the handles that they have.
    {115, 1}, {119, 1}, {121, 1}, {122, 1}, {123, 1}, {125, 1}, {126, 1}, {129, 1}};
// clang-format on

const SameForAll* find_same(int attribute) {
  const auto* const found = std::ranges::find(same_for_all, attribute, &SameForAll::attribute);
  return found == std::end(same_for_all) ? nullptr : found;
}

/// What a GPU's properties say.
std::optional<int> from_properties(const streams::GpuProperties& properties, int attribute) {
  switch (attribute) {
    case 13:
      return properties.clock_khz;
    case 16:
      return properties.sm_count;
    case 36:
      return properties.memory_clock_khz;
    case 37:
      return properties.memory_bus_bits;
    case 38:
      return properties.l2_bytes;
    case 39:
      return properties.threads_per_sm;
    case 75:
      return properties.compute_major;
    case 76:
      return properties.compute_minor;
    case 81:
      return properties.shared_bytes_per_sm;
    case 97:
      return properties.shared_bytes_per_block_optin;
    case 106:
      return properties.blocks_per_sm;
    default:
      return std::nullopt;
  }
}

/// What came with a generation.
std::optional<int> from_generation(const streams::GpuProperties& properties, int attribute) {
  const int capability = properties.compute_capability();
  const bool is_data_centre = capability == 60 || capability == 70 || capability == 80 ||
                              (capability >= 90 && capability < 110);
  switch (attribute) {
    case 32:  // ECC
      return is_data_centre ? 1 : 0;
    case 87:  // How much slower doubles are.
      return is_data_centre ? 2 : capability < 86 ? 32 : 64;
    case 107:  // Compressible memory.
    case 113:  // Host memory registered for reading.
      return capability >= 80 ? 1 : 0;
    case 108:  // L2 that can be set aside, and the window of what goes there.
      return capability >= 80 ? properties.l2_bytes / 4 * 3 : 0;
    case 109:
      return capability >= 80 ? 128 << 20 : 0;
    case 110:  // Direct access by other devices.
    case 116:
      return is_data_centre ? 1 : 0;
    case 117:
      return 1;
    case 118:
      return capability >= 90 ? 200 : capability >= 70 ? 100 : 0;
    case 120:  // Clusters of blocks, and copies by tensor maps.
    case 127:
      return capability >= 90 ? 1 : 0;
    default:
      return std::nullopt;
  }
}

}  // namespace

int pci_bus(const DriverOptions& options, std::uint32_t device) {
  return static_cast<int>(options.machine_number(device)) + 1;
}

std::optional<int> device_attribute(const DriverOptions& options, CUdevice_attribute attribute,
                                    std::uint32_t device) {
  const auto number = static_cast<int>(attribute);
  if (number < 1 || number > last_attribute) return std::nullopt;
  if (number == CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED)
    return options.has_memory_mapping ? 1 : 0;
  constexpr int bus = 33;
  constexpr int board = 85;
  if (number == bus) return pci_bus(options, device);
  if (number == board) return static_cast<int>(options.machine_number(device));
  if (const auto known = from_properties(options.properties, number)) return known;
  if (const auto known = from_generation(options.properties, number)) return known;
  const SameForAll* const same = find_same(number);
  return same == nullptr ? 0 : same->value;
}

}  // namespace vramlab::dry_run
