// PtxNames: the functions and variables that a text of PTX, NVIDIA's intermediate language,
// defines, and the memory that its kernels take. Registers are not known before the driver
// compiles it, and a compiler may need less local memory than the text says, or more.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "tools/cuda_standins/code/kernel_facts.h"

namespace vramlab::dry_run {

struct PtxNames {
  std::set<std::string, std::less<>> functions;
  std::set<std::string, std::less<>> variables;
  /// The memory of each kernel with that of the functions that it calls, and the threads that it
  /// promises to have at most.
  FactsByName kernels;
};

/// Empty if the text is no PTX, or has no function.
std::optional<PtxNames> ptx_names_of(std::string_view text);
/// The same for an image that a driver is told to load, which ends at its first zero.
std::optional<PtxNames> ptx_names_at(const void* image);

}  // namespace vramlab::dry_run
