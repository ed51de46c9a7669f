#include "tools/dry_run/model/kernel_answers.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace vramlab::dry_run {
namespace {

// Names as PyTorch 2.6.0 has them, without their middles.
constexpr auto all =
    "_ZN2at6native13reduce_kernelILi512ELi1ENS0_8ReduceOpIbNS0_14func_wrapper_tIb"
    "ZZZNS0_15and_kernel_cudaERNS_14TensorIteratorE";
constexpr auto any = "_ZN2at6native13reduce_kernelILi512ELi1EZZZNS0_14or_kernel_cudaERNS_14Tensor";
constexpr auto product_of_truths =
    "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_13BinaryFunctorIbbbNS0_15"
    "binary_internal10MulFunctorIbEEEESt5arrayIPcLm3EE";
constexpr auto order_of_floats =
    "_ZN2at6native29vectorized_elementwise_kernelILi4EZNS0_21compare_scalar_kernelIfEEvRNS_18Tens";
constexpr auto order_of_longs =
    "_ZN2at6native29vectorized_elementwise_kernelILi4EZNS0_21compare_scalar_kernelIlEEvRNS_18Tens";
constexpr auto equality_with_half =
    "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_13AUnaryFunctorIN3c104HalfES4_bNS0_51_"
    "GLOBAL__N__16CompareEqFunctorIN3c104HalfEEEEESt5arrayIPcLm2EE";
constexpr auto equality_of_tensors =
    "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_13BinaryFunctorIffbNS0_51_"
    "GLOBAL__N__16CompareEqFunctorIfEEEESt5arrayIPcLm3EE";

constexpr auto fill_with_truth =
    "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_11FillFunctorIbEESt5arrayIPcLm1EE";

constexpr auto both =
    "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_13BinaryFunctorIbbbNS0_17"
    "BitwiseAndFunctorIbEEEESt5arrayIPcLm3EE";

/// As a functor of the kernel has it.
template <class Number>
struct Asked {
  std::uint32_t what;
  Number number;
};

template <class Number>
bool says_yes(const char* kernel, Asked<Number> asked) {
  int count = 1;
  void* const arguments[] = {&count, &asked};
  return says_yes_of_zeros(question_of(kernel), arguments, false);
}

bool says_yes(const char* kernel, bool before = false) {
  return says_yes_of_zeros(question_of(kernel), nullptr, before);
}

constexpr std::uint32_t greater_or_equal = 0;
constexpr std::uint32_t greater = 1;
constexpr std::uint32_t less_or_equal = 2;
constexpr std::uint32_t less = 3;
constexpr std::uint32_t equal = 0;
constexpr std::uint32_t not_equal = 1;

TEST(KernelAnswers, checks_hold) {
  EXPECT_TRUE(says_yes(all));
  EXPECT_TRUE(says_yes(product_of_truths)) << "isfinite() ends with it";
  EXPECT_FALSE(says_yes(any));
  EXPECT_FALSE(says_yes("gemm"));
}

TEST(KernelAnswers, an_order_is_that_of_zero_and_the_number) {
  EXPECT_TRUE(says_yes(order_of_floats, Asked<float>{greater_or_equal, 0}));
  EXPECT_TRUE(says_yes(order_of_floats, Asked<float>{greater_or_equal, -0.0F}));
  EXPECT_FALSE(says_yes(order_of_floats, Asked<float>{greater_or_equal, 0.5F}));
  EXPECT_TRUE(says_yes(order_of_floats, Asked<float>{greater, -0.5F}));
  EXPECT_TRUE(says_yes(order_of_longs, Asked<std::int64_t>{less, 7}));
  EXPECT_FALSE(says_yes(order_of_longs, Asked<std::int64_t>{less_or_equal, -7}));
}

TEST(KernelAnswers, zeros_are_equal) {
  EXPECT_TRUE(says_yes(equality_with_half, Asked<std::uint16_t>{equal, 0x8000})) << "-0";
  EXPECT_FALSE(says_yes(equality_with_half, Asked<std::uint16_t>{equal, 0x3c00}));
  EXPECT_TRUE(says_yes(equality_with_half, Asked<std::uint16_t>{not_equal, 0x3c00}));
  EXPECT_TRUE(says_yes(equality_of_tensors, Asked<float>{equal, 9}));
  EXPECT_FALSE(says_yes(equality_of_tensors, Asked<float>{not_equal, 9}));
}

TEST(KernelAnswers, a_fill_says_what_it_fills_with) {
  EXPECT_TRUE(says_yes(fill_with_truth, Asked<bool>{1, false}));
  EXPECT_FALSE(says_yes(fill_with_truth, Asked<bool>{0, true}));
}

TEST(KernelAnswers, two_checks_together_say_what_the_last_one_said) {
  EXPECT_TRUE(says_yes(both, true));
  EXPECT_FALSE(says_yes(both, false));
  EXPECT_FALSE(says_yes("gemm", true));
}

TEST(KernelAnswers, nothing_is_known_without_arguments) { EXPECT_FALSE(says_yes(order_of_floats)); }

}  // namespace
}  // namespace vramlab::dry_run
