#include "tools/cuda_standins/model/kernels.h"

#include <algorithm>
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

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// The kernels of all(): PyTorch's, and CuPy's with and without CUB.
bool says_whether_all(std::string_view name) {
  if (has(name, "reduce_kernel") && has(name, "and_kernel_cuda")) return true;
  return name == "cupy_all" || name.starts_with("cupy_cub_all");
}

/// Compares with a number that stands in the functor, of the type after `function`.
KernelQuestion with_number(std::string_view name, Kind kind, std::string_view function) {
  const std::string_view rest = name.substr(name.find(function) + function.size());
  const NumberType* const type = number_type_at(rest);
  if (type == nullptr) return {};
  return {kind, type->is_floating_point ? Operand::floating_point : Operand::integer, type->bytes};
}

/// Compares 0 with the number at `at`. Bits of a floating-point number order as those of an integer
/// do, except for -0 and NaN.
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

/// Counts and places that the libraries of templates below PyTorch find.
KernelQuestion library_question_of(std::string_view name) {
  if (has(name, "__find_if")) return {.kind = Kind::first_place};
  // The iterator of CUDA 12's library begins with what it does, that of 13 with the address.
  if (has(name, "DeviceReduce") && has(name, "NonZeroOpIbE"))
    return {
        .kind = Kind::count_of_truths,
        .address_word = has(name, "TransformInputIterator") ? std::uint8_t{1} : std::uint8_t{0}};
  if (has(name, "DeviceReduceSingleTileKernel")) return {.kind = Kind::passes_on};
  // Kernels between a result of Thrust and its copy to the host.
  if (has(name, "__uninitialized_copy") || has(name, "10for_each_f"))
    return {.kind = Kind::passes_on};
  for (const std::string_view counts_runs : {"ReduceByKeyAgent", "DeviceReduceByKeyKernel",
                                             "UniqueByKeyAgent", "DeviceUniqueByKeySweepKernel"})
    if (has(name, counts_runs)) return {.kind = Kind::one_run};
  if (has(name, "DeviceSelectSweepKernel") && has(name, "equal_to")) return {.kind = Kind::one_run};
  return {};
}

KernelQuestion comparison_of(std::string_view name) {
  if (has(name, "compare_scalar_kernelI"))
    return with_number(name, Kind::order, "compare_scalar_kernelI");
  // The name of a longer type stands there only once, at its first place.
  if (has(name, "CompareEqFunctorI"))
    return has(name, "AUnaryFunctorI") ? with_number(name, Kind::equality, "AUnaryFunctorI")
                                       : KernelQuestion{.kind = Kind::equality};
  return has(name, "CompareFunctorI") ? KernelQuestion{.kind = Kind::order} : KernelQuestion{};
}

KernelQuestion question_on_each(std::string_view name) {
  // A value that is checked is in a range: at least this and at most that. The last kernel of
  // isfinite() is a product of truths.
  if (has(name, "MulFunctorIbE") || has(name, "BitwiseAndFunctorIbE") ||
      has(name, "logical_and_kernel_cuda"))
    return {.kind = Kind::both};
  if (has(name, "BitwiseOrFunctorIbE") || has(name, "logical_or_kernel_cuda"))
    return {.kind = Kind::either};
  if (has(name, "BitwiseXorFunctorIbE") || has(name, "logical_xor_kernel_cuda"))
    return {.kind = Kind::one_of_two};
  if (has(name, "bitwise_not_kernel_cuda") && has(name, "UlbE")) return {.kind = Kind::opposite};
  // Numbers are zeros, so it says yes of them.
  if (has(name, "logical_not_kernel_cuda")) return {.kind = Kind::opposite};
  if (has(name, "FillFunctorIbE")) return {.kind = Kind::fill};
  if (has(name, "direct_copy_kernel_cuda") && has(name, "UlbE")) return {.kind = Kind::same};
  return comparison_of(name);
}

/// The result and what the kernel reads.
std::uint8_t tensors_of(const KernelQuestion& question) {
  switch (question.kind) {
    case Kind::fill:
      return 1;
    case Kind::opposite:
    case Kind::same:
      return 2;
    case Kind::order:
    case Kind::equality:
      return question.operand == Operand::zero ? 3 : 2;
    default:
      return 3;
  }
}

/// The functor begins with what is asked, and then has the number.
bool comparison_holds(const KernelQuestion& question, const char* functor) {
  std::uint32_t asked = 0;
  std::memcpy(&asked, functor, sizeof asked);
  const std::partial_ordering compared =
      zero_compared(question, functor + (question.operand_bytes == 8 ? 8 : 4));
  if (question.kind == Kind::order) return holds(static_cast<Order>(asked), compared);
  return (compared == 0) == (static_cast<Equality>(asked) == Equality::equal);
}

// OperandsWithStrides: the second argument of a kernel for tensors that do not lie alike. It begins
// with how many dimensions there are, then come the size of each, as a number by which is divided,
// and its strides in bytes, one for each tensor; there is room for the most dimensions. The
// addresses and the functor follow.

class OperandsWithStrides {
 public:
  OperandsWithStrides(const void* argument, std::size_t tensors)
      : words_(static_cast<const char*>(argument)), tensors_(tensors) {}

  /// A dimension along which the tensor is the same has one.
  RememberedTruths::Place operand(std::size_t number) const {
    std::uint64_t count = 1;
    for (std::size_t dimension = 0; dimension < dimensions(); ++dimension)
      if (stride(dimension, number) != 0) count *= size(dimension);
    return {value_at<std::uint64_t>(words_ + addresses_at(), number), count};
  }
  /// Whether its truths, of a byte each, have no gaps.
  bool is_without_gaps(std::size_t number) const {
    std::uint64_t last = 0;
    for (std::size_t dimension = 0; dimension < dimensions(); ++dimension)
      last += std::uint64_t{size(dimension) - 1} * stride(dimension, number);
    return operand(number).count == last + 1;
  }
  const char* functor() const { return words_ + addresses_at() + 8 * tensors_; }

 private:
  static constexpr std::size_t most_dimensions = 25;
  static constexpr std::size_t divisors_at = 4;
  static constexpr std::size_t divisor_bytes = 12;
  static constexpr std::size_t strides_at = divisors_at + most_dimensions * divisor_bytes;

  std::size_t dimensions() const {
    return std::min<std::size_t>(value_at<std::uint32_t>(words_), most_dimensions);
  }
  std::uint32_t size(std::size_t dimension) const {
    return value_at<std::uint32_t>(words_ + divisors_at + dimension * divisor_bytes);
  }
  std::uint32_t stride(std::size_t dimension, std::size_t number) const {
    return value_at<std::uint32_t>(words_ + strides_at, dimension * tensors_ + number);
  }
  std::size_t addresses_at() const {
    return (strides_at + most_dimensions * tensors_ * 4 + 7) / 8 * 8;
  }

  const char* words_;
  std::size_t tensors_;
};

OperandsWithStrides with_strides(const KernelQuestion& question, void* const* arguments) {
  return {arguments[1], question.tensors_with_strides};
}

/// The arguments of work on each value are a count, the functor and the addresses, of which the
/// first is the result's.
RememberedTruths::Place operand_of(const KernelQuestion& question, void* const* arguments,
                                   std::size_t number) {
  if (question.tensors_with_strides > 0) return with_strides(question, arguments).operand(number);
  return {value_at<std::uint64_t>(arguments[2], number), value_at<std::uint32_t>(arguments[0])};
}

/// The arguments of a sum are where it reads, where it writes, and how many there are; PyTorch asks
/// for less than 2^31 at once.
RememberedTruths::Place counted_truths(const KernelQuestion& question, void* const* arguments) {
  return {value_at<std::uint64_t>(arguments[0], question.address_word),
          value_at<std::uint32_t>(arguments[2])};
}

/// Requires: the arguments are there.
bool is_truth(const KernelQuestion& question, void* const* arguments,
              const RememberedTruths& truths) {
  const char* const functor = question.tensors_with_strides > 0
                                  ? with_strides(question, arguments).functor()
                                  : static_cast<const char*>(arguments[1]);
  const auto is_yes = [&](std::size_t operand) {
    return truths.is_yes(operand_of(question, arguments, operand));
  };
  switch (question.kind) {
    case Kind::fill:
      return *functor != 0;
    case Kind::both:
      return is_yes(1) && is_yes(2);
    case Kind::either:
      return is_yes(1) || is_yes(2);
    case Kind::one_of_two:
      return is_yes(1) != is_yes(2);
    case Kind::opposite:
      return !is_yes(1);
    case Kind::same:
      return is_yes(1);
    default:
      return comparison_holds(question, functor);
  }
}

}  // namespace

RememberedTruths::YesCount RememberedTruths::count_yes(const Place& place) const {
  const auto found = told_at(place.at);
  if (found == told_.end()) return {is_yes(place) ? place.count : 0};
  const std::vector<char>& truths = found->second.truths;
  const std::uint64_t begin = place.at - found->first;
  if (place.count > truths.size() - begin) return {};
  const auto first = truths.begin() + static_cast<std::ptrdiff_t>(begin);
  const auto none = std::count(first, first + static_cast<std::ptrdiff_t>(place.count), 0);
  return {place.count - static_cast<std::uint64_t>(none), found->second.origin};
}

KernelQuestion question_of(std::string_view name) {
  if (says_whether_all(name)) return {.kind = Kind::always_yes};
  if (has(name, "vectorized_elementwise_kernel") || has(name, "unrolled_elementwise_kernel"))
    return question_on_each(name);
  // Types of numbers that are converted on the way lie otherwise.
  if (!has(name, "18elementwise_kernelI") || !has(name, "gpu_kernel_impl_nocastI"))
    return library_question_of(name);
  KernelQuestion question = question_on_each(name);
  if (question.kind != Kind::none) question.tensors_with_strides = tensors_of(question);
  return question;
}

bool KernelAnswer::fits(std::uint64_t bytes) const {
  // Whether it was found, and where.
  constexpr std::uint64_t bytes_of_place = 16;
  switch (form) {
    case Form::truth:
      return bytes == 1;
    case Form::count:
      return bytes == 4 || bytes == 8;
    case Form::place:
      return bytes == bytes_of_place;
  }
  return false;
}

KernelAnswer answer_of_zeros(const KernelQuestion& question, void* const* arguments,
                             const SaidBefore& before) {
  using Form = KernelAnswer::Form;
  switch (question.kind) {
    case Kind::none:
      return {};
    case Kind::always_yes:
      return {Form::truth, 1};
    case Kind::one_run:
      return {Form::count, 1};
    case Kind::first_place:
      return {Form::place, 1};
    case Kind::passes_on:
      return before.last.form == Form::truth ? KernelAnswer{} : before.last;
    case Kind::count_of_truths: {
      if (arguments == nullptr) return {Form::count, 0};
      const auto yes = before.truths.count_yes(counted_truths(question, arguments));
      return {Form::count, yes.count, yes.origin};
    }
    case Kind::fill:
    case Kind::both:
    case Kind::either:
    case Kind::one_of_two:
    case Kind::opposite:
    case Kind::same:
    case Kind::order:
    case Kind::equality:
      return {Form::truth,
              arguments != nullptr && is_truth(question, arguments, before.truths) ? 1U : 0U};
  }
  return {};
}

std::optional<RememberedTruths::Place> place_of_truths(const KernelQuestion& question,
                                                       void* const* arguments) {
  const auto kinds = {Kind::fill,     Kind::both, Kind::either, Kind::one_of_two,
                      Kind::opposite, Kind::same, Kind::order,  Kind::equality};
  if (arguments == nullptr || std::find(kinds.begin(), kinds.end(), question.kind) == kinds.end())
    return std::nullopt;
  if (question.tensors_with_strides > 0 && !with_strides(question, arguments).is_without_gaps(0))
    return std::nullopt;
  return operand_of(question, arguments, 0);
}

KernelWriter writer_of(std::string_view name) {
  constexpr std::string_view fills = "11FillFunctorI";
  constexpr std::string_view counted_functor_and_addresses = "viT0_T1_";
  if (has(name, "CatArrayBatchedCopy")) return {.begins_at_first_argument = true};
  if (name.find("vectorized_elementwise_kernelI") == name.npos) return {};
  if (!name.ends_with(counted_functor_and_addresses)) return {};
  const std::size_t found = name.find(fills);
  const NumberType* const type =
      found == name.npos ? nullptr : number_type_at(name.substr(found + fills.size()));
  return {true, type == nullptr ? std::uint8_t{0} : type->bytes};
}

std::optional<KernelWrite> write_of(const KernelWriter& writer, void* const* arguments) {
  constexpr std::uint64_t widest_value = 16;
  if (!writer.has_known_place || arguments == nullptr) return std::nullopt;
  // How many values, the functor, and the addresses.
  const auto count = static_cast<std::uint64_t>(value_at<std::uint32_t>(arguments[0]));
  const auto at = value_at<std::uint64_t>(arguments[2]);
  if (writer.filled_bytes == 0) return KernelWrite{at, count * widest_value, {}, count};
  const auto* const value = static_cast<const char*>(arguments[1]);
  const std::uint64_t bytes = count * writer.filled_bytes;
  return KernelWrite{at, bytes, {value, value + writer.filled_bytes}, bytes};
}

MultiprocessorLimits limits_of(const streams::GpuProperties& gpu) {
  constexpr int registers_per_sm = 65536;
  // The system has some shared memory of each block on these.
  const std::size_t reserved = gpu.compute_major >= 8 ? 1024 : 0;
  return {gpu.compute_capability(),
          gpu.threads_per_sm,
          gpu.blocks_per_sm,
          registers_per_sm,
          static_cast<std::size_t>(gpu.shared_bytes_per_sm),
          static_cast<std::size_t>(gpu.shared_bytes_per_block_optin),
          reserved};
}

KernelFacts known_facts(const NamedKernel& kernel) {
  constexpr int usual_registers = 32;
  KernelFacts facts = kernel.facts.value_or(KernelFacts{});
  if (facts.registers == 0) facts.registers = usual_registers;
  return facts;
}

}  // namespace vramlab::dry_run
