#include "tools/cuda_standins/model/kernel_writes.h"

#include <gtest/gtest.h>

#include <cstring>

namespace vramlab::dry_run {
namespace {

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

TEST(KernelWrites, a_fill_tells_place_and_values) {
  const auto write = launched(fill_with_long, 3);
  ASSERT_TRUE(write && write->values.size() == 24);
  EXPECT_EQ(write->at, 0x600000000200U);
  std::int64_t last = 0;
  std::memcpy(&last, write->values.data() + 16, sizeof last);
  EXPECT_EQ(last, 12);
}

TEST(KernelWrites, values_of_a_large_fill_are_not_kept) {
  const auto write = launched(fill_with_long, 1 << 20);
  ASSERT_TRUE(write);
  EXPECT_TRUE(write->values.empty());
  EXPECT_EQ(write->bytes, std::uint64_t{8} << 20);
}

TEST(KernelWrites, work_on_each_value_tells_only_the_place) {
  const auto write = launched(sum_of_two, 100);
  ASSERT_TRUE(write);
  EXPECT_TRUE(write->values.empty());
  EXPECT_GE(write->bytes, 400U);
}

TEST(KernelWrites, any_other_kernel_may_write_anywhere) {
  EXPECT_FALSE(launched(with_strides, 3));
  EXPECT_FALSE(launched("gemm", 3));
  EXPECT_FALSE(write_of(writer_of(fill_with_long), nullptr)) << "without arguments";
}

}  // namespace
}  // namespace vramlab::dry_run
