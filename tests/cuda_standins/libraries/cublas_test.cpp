#include "tests/cuda_standins/libraries/library_test.h"

namespace vramlab::dry_run {
namespace {

class Cublas : public LibraryTest {
 protected:
  void* create() {
    void* handle = nullptr;
    EXPECT_EQ(library_.call("cublasCreate_v2", &handle), 0);
    return handle;
  }

  const Library library_{"libcublas.so.12"};
};

TEST_F(Cublas, each_handle_is_another_one) {
  void* const first = create();
  void* const second = create();
  EXPECT_NE(first, nullptr);
  EXPECT_NE(first, second);
  EXPECT_EQ(library_.call("cublasDestroy_v2", first), 0);
  EXPECT_EQ(library_.call("cublasDestroy_v2", second), 0);
}

TEST_F(Cublas, handle_remembers_its_modes_and_its_stream) {
  void* const handle = create();
  library_.call("cublasSetMathMode", handle, 3);
  library_.call("cublasSetPointerMode_v2", handle, 1);
  library_.call("cublasSetStream_v2", handle, stream(1));
  int math = 0;
  int pointers = 0;
  void* its_stream = nullptr;
  library_.call("cublasGetMathMode", handle, &math);
  library_.call("cublasGetPointerMode_v2", handle, &pointers);
  library_.call("cublasGetStream_v2", handle, &its_stream);
  EXPECT_EQ(math, 3);
  EXPECT_EQ(pointers, 1);
  EXPECT_EQ(its_stream, stream(1));
}

TEST_F(Cublas, product_puts_one_kernel_on_the_stream_and_is_not_unknown) {
  void* const handle = create();
  library_.call("cublasSetStream_v2", handle, stream(2));
  EXPECT_EQ(library_.call("cublasSgemm_v2", handle, 0, 0, 4, 4, 4), 0);
  EXPECT_EQ(library_.call("cublasGemmEx", handle, 0, 0, 4, 4, 4), 0);
  EXPECT_EQ(doings().works[stream(2)], 2);
  EXPECT_TRUE(doings().notes.empty());
}

TEST_F(Cublas, result_on_the_host_is_zero_and_one_on_the_device_is_left_alone) {
  void* const handle = create();
  float result = 7;
  const auto dot = [&] {
    library_.call("cublasSdot_v2", handle, 4, nullptr, 1, nullptr, 1, &result);
  };
  library_.call("cublasSetPointerMode_v2", handle, 1);
  dot();
  EXPECT_EQ(result, 7);
  library_.call("cublasSetPointerMode_v2", handle, 0);
  dot();
  EXPECT_EQ(result, 0);
}

TEST_F(Cublas, batched_solver_tells_that_its_arguments_were_right) {
  int info = -1;
  library_.call("cublasSgetrsBatched", create(), 0, 4, 1, nullptr, 4, nullptr, nullptr, 4, &info,
                2);
  EXPECT_EQ(info, 0);
}

TEST_F(Cublas, call_without_a_handle_is_an_error) {
  int mode = 0;
  EXPECT_EQ(library_.call("cublasGetMathMode", nullptr, &mode), 1);
}

class CublasLt : public LibraryTest {
 protected:
  const Library library_{"libcublasLt.so.12"};
};

TEST_F(CublasLt, descriptor_remembers_its_attributes) {
  void* descriptor = nullptr;
  ASSERT_EQ(library_.call("cublasLtMatmulDescCreate", &descriptor, 68, 0), 0);
  const int epilogue = 4;
  const int attribute = 7;
  library_.call("cublasLtMatmulDescSetAttribute", descriptor, attribute, &epilogue,
                sizeof(epilogue));
  int read = 0;
  std::size_t bytes = 0;
  library_.call("cublasLtMatmulDescGetAttribute", descriptor, attribute, &read, sizeof(read),
                &bytes);
  EXPECT_EQ(read, epilogue);
  EXPECT_EQ(bytes, sizeof(epilogue));
  EXPECT_EQ(library_.call("cublasLtMatmulDescDestroy", descriptor), 0);
}

TEST_F(CublasLt, descriptor_in_the_programs_memory_is_taken) {
  alignas(16) unsigned char memory[512];
  EXPECT_EQ(library_.call("cublasLtMatmulDescInit_internal", memory, sizeof(memory), 68, 0), 0);
  const int value = 1;
  EXPECT_EQ(library_.call("cublasLtMatmulDescSetAttribute", memory, 7, &value, sizeof(value)), 0);
}

TEST_F(CublasLt, there_is_one_algorithm_and_it_needs_no_workspace) {
  struct Result {
    unsigned long long algorithm[8];
    std::size_t workspace_bytes;
    int state;
    float waves;
    int reserved[4];
  } results[4];
  results[0].workspace_bytes = 1;
  int count = 0;
  EXPECT_EQ(library_.call("cublasLtMatmulAlgoGetHeuristic", nullptr, nullptr, nullptr, nullptr,
                          nullptr, nullptr, nullptr, 4, results, &count),
            0);
  EXPECT_EQ(count, 1);
  EXPECT_EQ(results[0].workspace_bytes, 0U);
  EXPECT_EQ(results[0].state, 0);
}

TEST_F(CublasLt, product_goes_to_the_stream_that_it_is_given) {
  void* const none = nullptr;
  EXPECT_EQ(library_.call("cublasLtMatmul", none, none, none, none, none, none, none, none, none,
                          none, none, none, none, none, std::size_t{0}, stream(3)),
            0);
  EXPECT_EQ(doings().works[stream(3)], 1);
}

}  // namespace
}  // namespace vramlab::dry_run
