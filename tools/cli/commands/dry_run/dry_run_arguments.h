// What `vramlab dry-run` is asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "allocator/types/bytes_and_ids.h"

namespace vramlab::tools {

/// The GPU whose properties a program sees if none is named.
inline constexpr const char* usual_gpu = "a100-80gb";

struct DryRunArguments {
  /// Empty: the properties of the usual one, and no limit of memory.
  std::string gpu;
  unsigned gpu_count = 1;
  std::optional<std::string> conf;
  /// `none`, or bytes; empty: as the GPU has.
  std::string device_memory;
  std::optional<std::uint64_t> held_by_others;
  std::string values = "zeros";
  /// A file of Python; empty without one.
  std::string values_from;
  /// One rank of a job that runs alone, or a list of them; the job's size.
  std::optional<unsigned> rank;
  std::string ranks;
  unsigned world_size = 0;
  std::uint64_t kernel_time_ns = 10'000;
  std::uint64_t steps = 0;
  std::uint64_t mark_every = 0;
  std::string report_signal;

  /// May hold %p and %q{NAME}.
  std::string output;
  std::string report;
  std::string json;
  bool may_overwrite = false;

  bool fails_on_out_of_memory = false;
  std::vector<std::string> fail_if;
  bool explains = false;
  bool lists_gpus = false;
  bool is_quiet = false;
  std::vector<std::string> program;

  /// For the allocator of each device; empty without a limit.
  std::optional<Bytes> memory() const;
};

}  // namespace vramlab::tools
