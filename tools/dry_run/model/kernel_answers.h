// What kernels of PyTorch answer that end in a yes or no, told by their names and arguments.
// Programs and PyTorch itself ask the device whether all values are right before they go on: no
// would end them with an error. So all() and isfinite() say yes, a comparison says what it says of
// zeros, and what was filled with a truth is that truth.
#pragma once

#include <cstdint>
#include <string_view>

namespace vramlab::dry_run {

/// What a kernel does, as far as its answer depends on it.
struct KernelQuestion {
  enum class Kind : std::uint8_t { none, always_yes, fill, both, order, equality };
  enum class Operand : std::uint8_t { zero, integer, floating_point };

  Kind kind = Kind::none;
  Operand operand = Operand::zero;
  std::uint8_t operand_bytes = 0;
};

KernelQuestion question_of(std::string_view kernel_name);

/// `arguments`: those of the launch; may be null. `before`: what the kernel before this one said.
bool says_yes_of_zeros(const KernelQuestion& question, void* const* arguments, bool before);

}  // namespace vramlab::dry_run
