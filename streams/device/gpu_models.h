// GPUs by name, with the memory that an allocator can get on each; every figure says where it is
// from. With them stand the facts about a real GPU.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "allocator/types/bytes_and_ids.h"

namespace vramlab::streams {

/// Facts about a real GPU, for reports. They need no CUDA.
struct GpuFacts {
  int index = 0;
  std::string name;
  int compute_major = 0;
  int compute_minor = 0;
  /// Such as 13000 for CUDA 13.0.
  int driver_version = 0;
  Bytes memory;
};

/// Properties that programs ask about beside memory; some size their scratch memory by them.
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
  /// Whether code that is compiled for one of these runs there: `sm_86` runs on the later minor
  /// versions of its major one, `compute_86` on all later ones, `sm_90a` on 9.0 alone. True if
  /// there are none.
  bool runs_any_of(std::span<const std::string> code) const;

 private:
  bool runs(std::string_view code) const;
};

struct GpuModel {
  std::string_view name;
  /// The name that CUDA gives it.
  std::string_view full_name;
  /// The memory that a program is told of (cudaMemGetInfo). Drivers keep a little for themselves,
  /// not all the same, so it is right to about one part in a hundred. A nominal figure is the
  /// memory that is built in; a program is told a few parts in a hundred less.
  Bytes total;
  /// Memory that the process itself takes before the allocator does: context, code of libraries.
  Bytes context;
  /// Device memory comes in whole multiples of this.
  Bytes granularity;
  GpuProperties properties;
  std::string_view total_source;
  std::string_view context_source;
  std::string_view granularity_source;
  std::string_view properties_source;

  /// The memory that is left for the allocator.
  Bytes available() const { return total - context; }
};

/// All models by ascending memory.
std::span<const GpuModel> gpu_models();

/// The model of that name, in upper or lower case; null where no model has it.
const GpuModel* find_gpu(std::string_view name);

}  // namespace vramlab::streams
