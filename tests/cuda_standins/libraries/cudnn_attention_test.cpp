// The workspace of attention, as an H200 asked for it (CUDA 13.0, PyTorch 2.11.0, 2026-11-27).
#include "tools/cuda_standins/libraries/cudnn/attention.h"

#include <gtest/gtest.h>

namespace vramlab::dry_run::cudnn {
namespace {

constexpr int hopper = 90;
constexpr int ampere = 80;

std::uint64_t of_one_query(std::uint64_t batches_and_heads, std::uint64_t keys,
                           std::uint64_t width) {
  return attention_forward_workspace(hopper, {batches_and_heads, 1, keys, width});
}

TEST(CudnnAttention, more_queries_take_the_memory_of_a_kernel) {
  EXPECT_EQ(attention_forward_workspace(hopper, {32, 2, 4096, 64}), 256U);
  EXPECT_EQ(attention_forward_workspace(hopper, {1, 2048, 2048, 256}), 256U);
  EXPECT_EQ(attention_backward_workspace(hopper), 256U);
}

TEST(CudnnAttention, one_query_with_many_keys_is_computed_in_parts) {
  EXPECT_EQ(of_one_query(1, 512, 64), 0U);
  EXPECT_EQ(of_one_query(1, 513, 64), 1408U);
  EXPECT_EQ(of_one_query(1, 1000, 128), 2432U);
  EXPECT_EQ(of_one_query(1, 8192, 64), 17024U);
  EXPECT_EQ(of_one_query(8, 2048, 128), 66688U);
  EXPECT_EQ(of_one_query(32, 1000, 64), 33920U);
}

TEST(CudnnAttention, there_are_at_most_256_parts) {
  EXPECT_EQ(of_one_query(8, 8192, 64), 67712U);
  EXPECT_EQ(of_one_query(64, 513, 128), 133248U);
  EXPECT_EQ(of_one_query(64, 8192, 128), 133248U);
  EXPECT_EQ(of_one_query(132, 8192, 64), 0U);
  EXPECT_EQ(of_one_query(512, 8192, 64), 0U);
}

TEST(CudnnAttention, other_gpus_are_not_known) {
  EXPECT_EQ(attention_forward_workspace(ampere, {32, 128, 128, 64}), 0U);
  EXPECT_EQ(attention_backward_workspace(ampere), 0U);
}

}  // namespace
}  // namespace vramlab::dry_run::cudnn
