#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

#include "tools/cuda_standins/model/kernels.h"

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
    "GLOBAL__N__16CompareEqFunctorIS4_EEEESt5arrayIPcLm2EE";
constexpr auto equality_with_bfloat16 =
    "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_13AUnaryFunctorIN3c108BFloat16ES4_bNS0_"
    "51_GLOBAL__N__16CompareEqFunctorIS4_EEEESt5arrayIPcLm2EE";
constexpr auto equality_of_tensors =
    "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_13BinaryFunctorIffbNS0_51_"
    "GLOBAL__N__16CompareEqFunctorIfEEEESt5arrayIPcLm3EE";

constexpr auto fill_with_truth =
    "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_11FillFunctorIbEESt5arrayIPcLm1EE";

constexpr auto both =
    "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_13BinaryFunctorIbbbNS0_17"
    "BitwiseAndFunctorIbEEEESt5arrayIPcLm3EE";

constexpr auto opposite =
    "_ZN2at6native29vectorized_elementwise_kernelILi4EZZZNS0_23bitwise_not_kernel_cudaERNS_18"
    "TensorIteratorBaseEENKUlvE_clEvENKUlvE4_clEvEUlbE_St5arrayIPcLm2EEEEviT0_T1_";
constexpr auto not_of_any_type =
    "_ZN2at6native29vectorized_elementwise_kernelILi2EZZZNS0_23logical_not_kernel_cudaERNS_18"
    "TensorIteratorBaseEENKUlvE0_clEvENKUlvE0_clEvEUlaE_St5arrayIPcLm2EELb0EEEviT0_T1_";
constexpr auto joined =
    "_ZN2at6native40_GLOBAL__N__f1f992fe_8_Shape_cu_49f7391c19CatArrayBatchedCopyINS1_10OpaqueTypeI"
    "Lj16EEEjLi1ELi64ELi64EEEvPT_NS1_25CatArrInputTensorMetadataIS5_T0_XT2_EXT3_EEENS1_16";
constexpr auto runs = "_ZN14at_cuda_detail3cub23DeviceReduceByKeyKernelINS0_6detail";
constexpr auto kept_without_repeats =
    "_ZN14at_cuda_detail3cub23DeviceSelectSweepKernelINS0_6detailEPKlPNS0_8NullTypeEPlS9_NS0_13"
    "ScanTileStateIiLb1EEES8_N4cuda3std3__48equal_toIvEEiLb0EEE";
constexpr auto kept_by_flags =
    "_ZN14at_cuda_detail3cub23DeviceSelectSweepKernelINS0_6detailENS0_22TransformInputIteratorIb"
    "N2at6native9NonZeroOpIbEEPKblEEPlPi";
constexpr auto runs_of_thrust =
    "_ZN6thrust8cuda_cub4core13_kernel_agentINS1_15__reduce_by_key16ReduceByKeyAgentIPf";
constexpr auto unique_keys =
    "_ZN6thrust8cuda_cub4core13_kernel_agentINS1_15__unique_by_key16UniqueByKeyAgentIPl";
constexpr auto truths_counted =
    "_ZN14at_cuda_detail3cub28DeviceReduceSingleTileKernelINS0_18DeviceReducePolicyIiy"
    "ENS0_22TransformInputIteratorIbN2at6native9NonZeroOpIbEEPKblEEPi";
constexpr auto truths_counted_later =
    "_ZN14at_cuda_detail3cub6detail6reduce28DeviceReduceSingleTileKernelI"
    "N6thrust18transform_iteratorIN2at6native9NonZeroOpIbEEPKbEEPi";
constexpr auto floats_counted =
    "_ZN14at_cuda_detail3cub28DeviceReduceSingleTileKernelINS0_18DeviceReducePolicyIiy"
    "ENS0_22TransformInputIteratorIbN2at6native9NonZeroOpIfEEPKflEEPi";
constexpr auto truths_counted_in_parts =
    "_ZN14at_cuda_detail3cub18DeviceReduceKernelINS0_18DeviceReducePolicyIiy"
    "ENS0_22TransformInputIteratorIbN2at6native9NonZeroOpIbEEPKblEEy";
constexpr auto sum_of_parts =
    "_ZN14at_cuda_detail3cub28DeviceReduceSingleTileKernelINS0_18DeviceReducePolicyIiyEEPiS9_i";
constexpr auto place_found =
    "_ZN14at_cuda_detail3cub28DeviceReduceSingleTileKernelINS0_18DeviceReducePolicyI"
    "N4cuda3std5tupleIJblEEEjN6thrust8cuda_cub9__find_if7functorI";
constexpr auto copied_by_thrust =
    "_ZN6thrust8cuda_cub4core13_kernel_agentINS1_14__parallel_for16ParallelForAgentINS1_20"
    "__uninitialized_copy7functorIPN4cuda3std5tupleIJblEEE";

constexpr auto order_with_strides =
    "_ZN2at6native18elementwise_kernelILi128ELi4EZNS0_22gpu_kernel_impl_nocastIZNS0_21compare_"
    "scalar_"
    "kernelIfEEvRNS_18TensorIteratorBaseENS0_50_GLOBAL__N__30bf7ff7_17_OpTypeET_EUlfE_EEvS5_RKS8_"
    "EUliE_"
    "EEviT1_";
constexpr auto equality_with_strides =
    "_ZN2at6native18elementwise_kernelILi128ELi4EZNS0_22gpu_kernel_impl_nocastINS0_"
    "13BinaryFunctorIffb"
    "NS0_51_GLOBAL__N__16CompareEqFunctorIfEEEEEEvRNS_18TensorIteratorBaseERKT_EUliE_EEviT1_";
constexpr auto both_with_strides =
    "_ZN2at6native18elementwise_kernelILi128ELi4EZNS0_22gpu_kernel_impl_nocastINS0_"
    "13BinaryFunctorIbbb"
    "NS0_17BitwiseAndFunctorIbEEEEEEvRNS_18TensorIteratorBaseERKT_EUliE_EEviT1_";
constexpr auto fill_with_strides =
    "_ZN2at6native18elementwise_kernelILi128ELi4EZNS0_22gpu_kernel_impl_nocastINS0_"
    "11FillFunctorIbEEEE"
    "vRNS_18TensorIteratorBaseERKT_EUliE_EEviT1_";
constexpr auto copy_with_strides =
    "_ZN2at6native18elementwise_kernelILi128ELi4EZNS0_22gpu_kernel_impl_nocastIZZZNS0_23direct_"
    "copy_"
    "kernel_cudaERNS_18TensorIteratorBaseEENKUlvE1_clEvENKUlvE7_clEvEUlbE_EEvS4_RKT_EUliE_EEviT1_";
constexpr auto opposite_without_vectors =
    "_ZN2at6native27unrolled_elementwise_kernelIZNS0_23bitwise_not_kernel_cudaERNS_"
    "18TensorIteratorBase"
    "EEUlbE_St5arrayIPcLm2EELi8E23TrivialOffsetCalculatorILi1EjES9_NS0_6memory15LoadWithoutCastE";
constexpr auto either =
    "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_13BinaryFunctorIbbbNS0_16"
    "BitwiseOrFunctorIbEEEESt5arrayIPcLm3EE";
constexpr auto one_of_two =
    "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_13BinaryFunctorIbbbNS0_17"
    "BitwiseXorFunctorIbEEEESt5arrayIPcLm3EE";

/// As a functor of the kernel has it.
template <class Number>
struct Asked {
  std::uint32_t what;
  Number number;
};

constexpr std::uint64_t result = 0x600000000000;
constexpr std::uint64_t operand = 0x600000000200;
constexpr std::uint64_t other_operand = 0x600000000400;

/// A launch of a kernel that works on each of some values.
class Launched {
 public:
  KernelAnswer answer(const char* kernel, void* functor, const RememberedTruths& truths = {}) {
    void* const arguments[] = {&count_, functor, addresses_};
    return answer_of_zeros(question_of(kernel), arguments, {{}, truths});
  }

 private:
  int count_ = 3000;
  std::uint64_t addresses_[3] = {result, operand, other_operand};
};

template <class Number>
bool says_yes(const char* kernel, Asked<Number> asked) {
  return Launched().answer(kernel, &asked).is_yes();
}

/// A launch of a kernel for tensors of some rows and 3 columns, each with strides of its own.
class LaunchedWithStrides {
 public:
  struct Tensor {
    std::uint64_t at;
    std::uint32_t row_stride;
    std::uint32_t column_stride;
  };

  LaunchedWithStrides(std::uint32_t rows, const std::vector<Tensor>& tensors) {
    add<std::uint32_t>(2);
    for (const std::uint32_t size : {3U, rows})
      for (const std::uint32_t word : {size, 0x55555556U, 2U}) add(word);
    bytes_.resize(304, 7);
    for (const Tensor& tensor : tensors) add(tensor.column_stride);
    for (const Tensor& tensor : tensors) add(tensor.row_stride);
    bytes_.resize((304 + 25 * 4 * tensors.size() + 7) / 8 * 8, 7);
    for (const Tensor& tensor : tensors) add(tensor.at);
  }

  template <class Functor>
  KernelAnswer answer(const char* kernel, Functor functor, const RememberedTruths& truths = {}) {
    add(functor);
    return answer_of_zeros(question_of(kernel), arguments().data(), {{}, truths});
  }
  std::optional<RememberedTruths::Place> place(const char* kernel) {
    return place_of_truths(question_of(kernel), arguments().data());
  }

 private:
  template <class Value>
  void add(Value value) {
    const char* const first = reinterpret_cast<const char*>(&value);
    bytes_.insert(bytes_.end(), first, first + sizeof value);
  }
  std::array<void*, 2> arguments() { return {&count_, bytes_.data()}; }

  int count_ = 6;
  std::vector<char> bytes_;
};

bool says_yes(const char* kernel) {
  return answer_of_zeros(question_of(kernel), nullptr, {{}, {}}).is_yes();
}

bool says_yes_of(const char* kernel, bool first, bool second) {
  RememberedTruths truths;
  truths.set({operand, 3000}, first);
  truths.set({other_operand, 3000}, second);
  char functor = 0;
  return Launched().answer(kernel, &functor, truths).is_yes();
}

KernelAnswer counted(const char* kernel, const KernelAnswer& last = {}) {
  return answer_of_zeros(question_of(kernel), nullptr, {last, {}});
}

/// A sum of 3000 truths.
KernelAnswer counted_truths(const char* kernel, const RememberedTruths& truths) {
  std::uint64_t in[] = {0, operand}, out = result, count = 3000;
  void* const arguments[] = {+in, &out, &count};
  return answer_of_zeros(question_of(kernel), arguments, {{}, truths});
}

constexpr std::uint32_t greater_or_equal = 0;
constexpr std::uint32_t greater = 1;
constexpr std::uint32_t less_or_equal = 2;
constexpr std::uint32_t less = 3;
constexpr std::uint32_t equal = 0;
constexpr std::uint32_t not_equal = 1;

TEST(KernelAnswers, checks_hold) {
  EXPECT_TRUE(says_yes(all));
  EXPECT_FALSE(says_yes(any));
  EXPECT_FALSE(says_yes("gemm"));
}

TEST(KernelAnswers, product_of_truths_is_yes_where_both_are_as_at_the_end_of_isfinite) {
  EXPECT_TRUE(says_yes_of(product_of_truths, true, true));
  EXPECT_FALSE(says_yes_of(product_of_truths, true, false));
}

TEST(KernelAnswers, checks_of_cupy_hold) {
  // Names as CuPy 14.2.0 has them: its own kernel, and those with CUB, of rows and in two passes.
  for (const char* const name :
       {"cupy_all", "cupy_cub_all", "cupy_cub_all_pass1", "cupy_cub_all_pass2"})
    EXPECT_TRUE(says_yes(name)) << name;
  for (const char* const name :
       {"cupy_any", "cupy_cub_any_pass1", "cupy_allclose__float32_bool", "my_cupy_all"})
    EXPECT_FALSE(says_yes(name)) << name;
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
  EXPECT_TRUE(says_yes(equality_with_bfloat16, Asked<std::uint16_t>{not_equal, 0x7f80})) << "inf";
  EXPECT_TRUE(says_yes(equality_of_tensors, Asked<float>{equal, 9}));
  EXPECT_FALSE(says_yes(equality_of_tensors, Asked<float>{not_equal, 9}));
}

TEST(KernelAnswers, a_fill_says_what_it_fills_with) {
  EXPECT_TRUE(says_yes(fill_with_truth, Asked<bool>{1, false}));
  EXPECT_FALSE(says_yes(fill_with_truth, Asked<bool>{0, true}));
}

TEST(KernelAnswers, two_checks_together_hold_if_both_do) {
  EXPECT_TRUE(says_yes_of(both, true, true));
  EXPECT_FALSE(says_yes_of(both, false, true));
  EXPECT_FALSE(says_yes_of(both, true, false));
  EXPECT_FALSE(says_yes_of("gemm", true, true));
}

TEST(KernelAnswers, one_check_or_another_holds) {
  for (const char* const kernel : {either, one_of_two}) {
    EXPECT_FALSE(says_yes_of(kernel, false, false));
    EXPECT_TRUE(says_yes_of(kernel, true, false));
    EXPECT_TRUE(says_yes_of(kernel, false, true));
    EXPECT_EQ(says_yes_of(kernel, true, true), kernel == either);
  }
}

TEST(KernelAnswers, tensors_with_strides_are_compared_as_others_are) {
  const std::vector<LaunchedWithStrides::Tensor> two = {{result, 3, 1}, {operand, 4, 40}};
  EXPECT_TRUE(
      LaunchedWithStrides(2, two).answer(order_with_strides, Asked<float>{greater, -1}).is_yes());
  EXPECT_FALSE(
      LaunchedWithStrides(2, two).answer(order_with_strides, Asked<float>{greater, 1}).is_yes());
  const std::vector<LaunchedWithStrides::Tensor> three = {
      {result, 3, 1}, {operand, 4, 40}, {operand, 0, 0}};
  EXPECT_TRUE(LaunchedWithStrides(2, three).answer(equality_with_strides, equal).is_yes());
  EXPECT_FALSE(LaunchedWithStrides(2, three).answer(equality_with_strides, not_equal).is_yes());
}

TEST(KernelAnswers, a_mask_that_is_the_same_for_all_rows_has_one_row_of_truths) {
  const std::vector<LaunchedWithStrides::Tensor> tensors = {
      {result, 3, 1}, {operand, 3, 1}, {other_operand, 0, 1}};
  RememberedTruths truths;
  truths.set({operand, 6}, true);
  truths.set({other_operand, 3}, true);
  EXPECT_TRUE(LaunchedWithStrides(2, tensors).answer(both_with_strides, 'f', truths).is_yes());
  truths.set({other_operand, 3}, false);
  EXPECT_FALSE(LaunchedWithStrides(2, tensors).answer(both_with_strides, 'f', truths).is_yes());
}

TEST(KernelAnswers, a_copy_of_truths_is_what_they_are) {
  RememberedTruths truths;
  const std::vector<LaunchedWithStrides::Tensor> tensors = {{result, 3, 1}, {operand, 1, 2}};
  EXPECT_FALSE(LaunchedWithStrides(2, tensors).answer(copy_with_strides, 'f', truths).is_yes());
  truths.set({operand, 6}, true);
  EXPECT_TRUE(LaunchedWithStrides(2, tensors).answer(copy_with_strides, 'f', truths).is_yes());
}

TEST(KernelAnswers, truths_with_gaps_are_no_whole_tensor) {
  const auto whole = LaunchedWithStrides(2, {{result, 1, 2}}).place(fill_with_strides);
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->at, result);
  EXPECT_EQ(whole->count, 6U);
  EXPECT_FALSE(LaunchedWithStrides(2, {{result, 4, 1}}).place(fill_with_strides));
  EXPECT_TRUE(LaunchedWithStrides(2, {{result, 4, 1}}).answer(fill_with_strides, true).is_yes());
}

TEST(KernelAnswers, the_opposite_of_a_truth_is_said) {
  for (const char* const kernel : {opposite, not_of_any_type, opposite_without_vectors}) {
    EXPECT_TRUE(says_yes_of(kernel, false, true));
    EXPECT_FALSE(says_yes_of(kernel, true, false));
  }
}

TEST(KernelAnswers, equal_values_are_one_run) {
  for (const char* const kernel : {runs, kept_without_repeats, runs_of_thrust, unique_keys}) {
    const KernelAnswer answer = counted(kernel);
    EXPECT_EQ(answer.number, 1U) << kernel;
    EXPECT_TRUE(answer.fits(4) && answer.fits(8) && !answer.fits(1)) << kernel;
  }
  EXPECT_EQ(counted(kept_by_flags).number, 0U);
}

TEST(KernelAnswers, as_many_truths_are_yes_as_there_are) {
  RememberedTruths truths;
  EXPECT_EQ(counted_truths(truths_counted, truths).number, 0U);
  truths.set({operand, 3000}, true);
  EXPECT_EQ(counted_truths(truths_counted, truths).number, 3000U);
  EXPECT_EQ(counted_truths(floats_counted, truths).number, 0U) << "zeros";
  const KernelAnswer parts = counted_truths(truths_counted_in_parts, truths);
  EXPECT_EQ(counted(sum_of_parts, parts).number, 3000U);
  EXPECT_EQ(counted(sum_of_parts).number, 0U) << "of something else";
}

TEST(KernelAnswers, truths_that_are_told_are_counted_as_on_a_gpu) {
  RememberedTruths truths;
  std::vector<char> told(4000);
  told[3] = told[1500] = told[3500] = 1;
  truths.tell(operand - 1000, told, ValueOrigin::known);
  const KernelAnswer answer = counted_truths(truths_counted, truths);
  EXPECT_EQ(answer.number, 2U) << "of the 3000 that begin there";
  EXPECT_EQ(answer.origin, ValueOrigin::known);
  EXPECT_EQ(counted(sum_of_parts, answer).origin, ValueOrigin::known);
  truths.forget(operand + 8, 1);
  EXPECT_EQ(counted_truths(truths_counted, truths).origin, ValueOrigin::made_up)
      << "written in part";
  truths.tell(operand, told, ValueOrigin::made_up);
  EXPECT_EQ(counted_truths(truths_counted, truths).origin, ValueOrigin::made_up);
  truths.forget_told();
  EXPECT_EQ(counted_truths(truths_counted, truths).number, 0U);
}

TEST(KernelAnswers, truths_are_counted_where_the_iterator_of_a_later_library_has_its_address) {
  RememberedTruths truths;
  truths.set({operand, 3000}, true);
  std::uint64_t in[] = {operand, 0}, out = result, count = 3000;
  void* const arguments[] = {+in, &out, &count};
  EXPECT_EQ(answer_of_zeros(question_of(truths_counted_later), arguments, {{}, truths}).number,
            3000U);
}

TEST(KernelAnswers, what_is_looked_for_is_found_first_of_all) {
  const KernelAnswer found = counted(place_found);
  EXPECT_TRUE(found.fits(16) && !found.fits(8));
  EXPECT_EQ(found.number, 1U) << "found, at 0";
  EXPECT_EQ(counted(copied_by_thrust, found).number, 1U);
}

TEST(RememberedTruths, are_those_of_the_whole_tensor) {
  RememberedTruths truths;
  truths.set({operand, 64}, true);
  truths.carry(other_operand, operand, 64);
  EXPECT_TRUE(truths.is_yes({operand, 64}) && truths.is_yes({other_operand, 64}));
  EXPECT_FALSE(truths.is_yes({operand, 63}));
  EXPECT_TRUE(truths.is_yes({operand + 8, 56})) << "its last ones";
  EXPECT_FALSE(truths.is_yes({operand + 8, 57})) << "one more";
  truths.forget(operand, 4);
  EXPECT_FALSE(truths.is_yes({operand, 64}));
  truths.carry(other_operand, result, 64);
  EXPECT_FALSE(truths.is_yes({other_operand, 64})) << "covered by what nobody knows";
}

TEST(KernelAnswers, nothing_is_known_without_arguments) { EXPECT_FALSE(says_yes(order_of_floats)); }

// Names as PyTorch 2.6.0 has them.
constexpr auto fill_with_long =
    "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_11FillFunctorIlEESt5arrayIPcLm1EEEE"
    "viT0_T1_";
constexpr auto sum_of_two =
    "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_15CUDAFunctor_addIfEESt5arrayIPcLm3EEEE"
    "viT0_T1_";
constexpr auto with_strides =
    "_ZN2at6native18elementwise_kernelILi128ELi2EZNS0_22gpu_kernel_impl_nocastEEEviT1_";

std::optional<KernelWrite> launched(const char* kernel, int count) {
  std::int64_t functor = 12;
  std::uint64_t addresses[3] = {0x600000000200, 0x600000000400, 0x600000000600};
  void* const arguments[] = {&count, &functor, +addresses};
  return write_of(writer_of(kernel), arguments);
}

TEST(KernelWrites, a_fill_tells_place_and_value) {
  const auto write = launched(fill_with_long, 1 << 20);
  ASSERT_TRUE(write && write->value.size() == 8);
  EXPECT_EQ(write->at, 0x600000000200U);
  EXPECT_EQ(write->bytes, std::uint64_t{8} << 20);
  std::int64_t value = 0;
  std::memcpy(&value, write->value.data(), sizeof value);
  EXPECT_EQ(value, 12);
}

TEST(KernelWrites, work_on_each_value_tells_only_the_place) {
  const auto write = launched(sum_of_two, 100);
  ASSERT_TRUE(write);
  EXPECT_TRUE(write->value.empty());
  EXPECT_GE(write->bytes, 400U);
}

TEST(KernelWrites, mask_behind_a_result_of_unknown_width_keeps_its_count) {
  constexpr std::uint64_t behind = 0x600000000200 + 512;
  RememberedTruths truths;
  truths.set({behind, 64}, true);
  truths.set({0x600000000200, 64}, true);
  const auto forget_written = [&](const KernelWrite& write) {
    truths.forget(write.at, write.sure_bytes);
  };
  forget_written(*launched(sum_of_two, 100));
  EXPECT_TRUE(truths.is_yes({behind, 64}));
  EXPECT_FALSE(truths.is_yes({0x600000000200, 64})) << "written";
  forget_written(*launched(fill_with_long, 100));
  EXPECT_FALSE(truths.is_yes({behind, 64})) << "800 bytes were filled";
}

TEST(KernelWrites, any_other_kernel_may_write_anywhere) {
  EXPECT_FALSE(launched(with_strides, 3));
  EXPECT_FALSE(launched("gemm", 3));
  EXPECT_FALSE(write_of(writer_of(fill_with_long), nullptr)) << "without arguments";
  EXPECT_TRUE(writer_of(joined).begins_at_first_argument);
  EXPECT_FALSE(writer_of(opposite).begins_at_first_argument);
}

}  // namespace

}  // namespace vramlab::dry_run
