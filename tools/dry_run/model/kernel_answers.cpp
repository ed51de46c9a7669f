#include "tools/dry_run/model/kernel_answers.h"

#include <array>
#include <bit>
#include <compare>
#include <cstring>

namespace vramlab::dry_run {
namespace {

using Kind = KernelQuestion::Kind;
using Operand = KernelQuestion::Operand;

/// The numbers that the first word of the kernel's functor has.
enum class Order : std::uint32_t { greater_or_equal, greater, less_or_equal, less };
enum class Equality : std::uint32_t { equal, not_equal };

struct NumberType {
  std::string_view mangled;
  Operand operand;
  std::uint8_t bytes;
};
constexpr std::array<NumberType, 9> number_types = {{
    {"f", Operand::floating_point, 4},
    {"d", Operand::floating_point, 8},
    {"N3c104HalfE", Operand::floating_point, 2},
    {"N3c108BFloat16E", Operand::floating_point, 2},
    {"l", Operand::integer, 8},
    {"i", Operand::integer, 4},
    {"s", Operand::integer, 2},
    {"a", Operand::integer, 1},
    {"b", Operand::integer, 1},
}};

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// Compares with a number that stands in the functor, of the type after `function`.
KernelQuestion with_number(std::string_view name, Kind kind, std::string_view function) {
  const std::string_view rest = name.substr(name.find(function) + function.size());
  for (const NumberType& type : number_types)
    if (rest.substr(0, type.mangled.size()) == type.mangled)
      return {kind, type.operand, type.bytes};
  return {};
}

/// What 0 is compared with what stands at `at`. Bits of a floating-point number order as those of
/// an integer do, but for -0 and what is no number.
std::partial_ordering zero_compared(const KernelQuestion& question, const char* at) {
  if (question.operand == Operand::zero) return std::partial_ordering::equivalent;
  const unsigned unused_bits = 64 - 8U * question.operand_bytes;
  std::uint64_t bits = 0;
  std::memcpy(&bits, at, question.operand_bytes);
  bits <<= unused_bits;
  if (question.operand == Operand::floating_point && bits << 1 == 0)
    return std::partial_ordering::equivalent;
  return 0 <=> std::bit_cast<std::int64_t>(bits);
}

bool holds(Order order, std::partial_ordering compared) {
  switch (order) {
    case Order::greater_or_equal:
      return compared >= 0;
    case Order::greater:
      return compared > 0;
    case Order::less_or_equal:
      return compared <= 0;
    case Order::less:
      return compared < 0;
  }
  return false;
}

}  // namespace

KernelQuestion question_of(std::string_view name) {
  if (has(name, "reduce_kernel") && has(name, "and_kernel_cuda")) return {.kind = Kind::always_yes};
  if (!has(name, "vectorized_elementwise_kernel")) return {};
  // The last kernel of isfinite(): a product of truths.
  if (has(name, "MulFunctorIbE")) return {.kind = Kind::always_yes};
  // A value that is checked is in a range: at least this and at most that.
  if (has(name, "BitwiseAndFunctorIbE") || has(name, "logical_and_kernel_cuda"))
    return {.kind = Kind::both};
  if (has(name, "FillFunctorIbE")) return {.kind = Kind::fill};
  if (has(name, "compare_scalar_kernelI"))
    return with_number(name, Kind::order, "compare_scalar_kernelI");
  if (has(name, "CompareEqFunctorI"))
    return has(name, "AUnaryFunctor") ? with_number(name, Kind::equality, "CompareEqFunctorI")
                                      : KernelQuestion{.kind = Kind::equality};
  return has(name, "CompareFunctorI") ? KernelQuestion{.kind = Kind::order} : KernelQuestion{};
}

bool says_yes_of_zeros(const KernelQuestion& question, void* const* arguments, bool before) {
  if (question.kind == Kind::always_yes) return true;
  if (question.kind == Kind::both) return before;
  if (question.kind == Kind::none || arguments == nullptr) return false;
  // The arguments are a count, the functor and the addresses; the functor begins with what is
  // asked, and then has the number.
  const char* const functor = static_cast<const char*>(arguments[1]);
  if (question.kind == Kind::fill) return *functor != 0;
  std::uint32_t asked = 0;
  std::memcpy(&asked, functor, sizeof asked);
  const std::partial_ordering compared =
      zero_compared(question, functor + (question.operand_bytes == 8 ? 8 : 4));
  if (question.kind == Kind::order) return holds(static_cast<Order>(asked), compared);
  return (compared == 0) == (static_cast<Equality>(asked) == Equality::equal);
}

}  // namespace vramlab::dry_run
