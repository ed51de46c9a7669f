// What is known of GPUs: of a real one, and of named ones how much memory an allocator can get on
// one. Each figure says where it is from.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "allocator/types/bytes_and_ids.h"

namespace vramlab::streams {

/// What is told of a real GPU, for reports. No CUDA is needed to know of it.
struct GpuFacts {
  int index = 0;
  std::string name;
  int compute_major = 0;
  int compute_minor = 0;
  /// Such as 13000 for CUDA 13.0.
  int driver_version = 0;
  Bytes memory;
};

/// What programs ask about a GPU beside its memory; some size their scratch memory by it.
struct GpuProperties {
  int compute_major = 0;
  int compute_minor = 0;
  int sm_count = 0;
  int threads_per_sm = 0;
  int blocks_per_sm = 0;
  int shared_bytes_per_sm = 0;
  /// For a block that asks for more than the 48 KiB that each can have.
  int shared_bytes_per_block_optin = 0;
  int l2_bytes = 0;
  int clock_khz = 0;
  int memory_clock_khz = 0;
  int memory_bus_bits = 0;

  int compute_capability() const { return 10 * compute_major + compute_minor; }
};

struct GpuModel {
  std::string_view name;
  /// As CUDA calls it.
  std::string_view full_name;
  /// What a program is told the device has (cudaMemGetInfo). Drivers keep a little for themselves,
  /// not all the same, so it is right to about one part in a hundred; a nominal figure is what is
  /// built in, of which a program is told a few parts in a hundred less.
  Bytes total;
  /// What the process itself takes before the allocator does: context, code of libraries.
  Bytes context;
  /// Device memory comes in whole multiples of this.
  Bytes granularity;
  GpuProperties properties;
  std::string_view total_source;
  std::string_view context_source;
  std::string_view granularity_source;
  std::string_view properties_source;

  /// What is left for the allocator.
  Bytes available() const { return total - context; }
};

/// By ascending memory.
std::span<const GpuModel> gpu_models();

/// Upper and lower case are one.
const GpuModel* find_gpu(std::string_view name);

}  // namespace vramlab::streams
