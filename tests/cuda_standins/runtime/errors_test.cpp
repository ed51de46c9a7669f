#include <cstring>

#include "tests/cuda_standins/runtime/runtime_test.h"

namespace vramlab::dry_run {
namespace {

constexpr std::size_t too_much = std::size_t{1} << 60;
constexpr int out_of_memory = 2;

class RuntimeErrors : public RuntimeTest {};

TEST_F(RuntimeErrors, last_error_is_told_once) {
  void* memory = nullptr;
  EXPECT_EQ(cudaMalloc(&memory, too_much), out_of_memory);
  EXPECT_EQ(cudaPeekAtLastError(), out_of_memory);
  EXPECT_EQ(cudaPeekAtLastError(), out_of_memory);
  EXPECT_EQ(cudaGetLastError(), out_of_memory);
  EXPECT_EQ(cudaGetLastError(), error::success);
}

TEST_F(RuntimeErrors, call_that_succeeds_leaves_last_error) {
  void* memory = nullptr;
  EXPECT_EQ(cudaMalloc(&memory, too_much), out_of_memory);
  EXPECT_EQ(cudaDeviceSynchronize(), error::success);
  EXPECT_EQ(cudaGetLastError(), out_of_memory);
}

TEST_F(RuntimeErrors, not_ready_is_no_error) {
  EXPECT_EQ(finish_call(error::not_ready), error::not_ready);
  EXPECT_EQ(cudaGetLastError(), error::success);
}

TEST_F(RuntimeErrors, names_and_texts_are_those_of_cuda) {
  EXPECT_STREQ(cudaGetErrorName(2), "cudaErrorMemoryAllocation");
  EXPECT_STREQ(cudaGetErrorString(2), "out of memory");
  EXPECT_STREQ(cudaGetErrorName(0), "cudaSuccess");
  EXPECT_STREQ(cudaGetErrorString(999), "unknown error");
  EXPECT_STREQ(cudaGetErrorName(11), "unrecognized error code");
  EXPECT_STREQ(cudaGetErrorString(-1), "unrecognized error code");
}

TEST_F(RuntimeErrors, table_is_in_order) {
  int last = -1;
  for (const ErrorText& text : error_texts()) {
    EXPECT_LT(last, text.code) << text.name;
    EXPECT_EQ(std::strncmp(text.name, "cuda", 4), 0) << text.name;
    last = text.code;
  }
}

}  // namespace
}  // namespace vramlab::dry_run
