// What kernels of PyTorch answer that a program reads right after them, told by their names and
// arguments. Programs and PyTorch itself ask the device whether all values are right before they go
// on: no would end them with an error. So all() and isfinite() say yes, a comparison says what it
// says of zeros, and what was filled with a truth is that truth. Counts are those of zeros, too:
// equal values are one run, the first is found at once, and as many truths are yes as there are.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "tools/cuda_standins/model/remembered_truths.h"

namespace vramlab::dry_run {

/// What a kernel does, as far as its answer depends on it.
struct KernelQuestion {
  enum class Kind : std::uint8_t {
    none,
    always_yes,
    fill,
    both,
    opposite,
    order,
    equality,
    one_run,
    first_place,
    count_of_truths,
    /// A part of what another kernel answers.
    passes_on
  };
  enum class Operand : std::uint8_t { zero, integer, floating_point };

  Kind kind = Kind::none;
  Operand operand = Operand::zero;
  std::uint8_t operand_bytes = 0;
  /// The word of its first argument in which the address is that it reads.
  std::uint8_t address_word = 0;
};

KernelQuestion question_of(std::string_view kernel_name);

struct KernelAnswer {
  enum class Form : std::uint8_t { truth, count, place };

  Form form = Form::truth;
  /// What the bytes that are read begin with.
  std::uint64_t number = 0;

  bool is_yes() const { return form == Form::truth && number != 0; }
  /// Whether so many bytes are the answer.
  bool fits(std::uint64_t bytes) const;
};

/// What was said before this kernel.
struct SaidBefore {
  const KernelAnswer& last;
  const RememberedTruths& truths;
};

/// `arguments`: those of the launch; may be null.
KernelAnswer answer_of_zeros(const KernelQuestion& question, void* const* arguments,
                             const SaidBefore& before);
/// The place to which a kernel writes truths that are all the same; empty where it does something
/// else.
std::optional<RememberedTruths::Place> place_of_truths(const KernelQuestion& question,
                                                       void* const* arguments);

}  // namespace vramlab::dry_run
