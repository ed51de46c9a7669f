#include <vector>

#include "tests/fake_cuda/tests/fake_test.h"

namespace vramlab::fake {
namespace {

class FakeArrays : public FakeTest {};

TEST_F(FakeArrays, an_array_takes_memory_that_no_address_frees) {
  CUDA_ARRAY_DESCRIPTOR wish{};
  wish.Width = 1024;
  wish.Height = 1024;
  CUarray array = nullptr;
  std::size_t free = 0;
  EXPECT_EQ(symbol<PFN_cuArrayCreate_v3020>("cuArrayCreate_v2")(&array, &wish), CUDA_SUCCESS);
  cu_.mem_get_info(&free, nullptr);
  EXPECT_EQ(free, 48U << 20);
  EXPECT_EQ(symbol<PFN_cuArrayDestroy_v2000>("cuArrayDestroy")(array), CUDA_SUCCESS);
  EXPECT_EQ(symbol<PFN_cuArrayDestroy_v2000>("cuArrayDestroy")(array), CUDA_ERROR_INVALID_HANDLE);
  cu_.mem_get_info(&free, nullptr);
  EXPECT_EQ(free, 64U << 20);
}

TEST_F(FakeArrays, host_memory_is_registered_once_and_stays_the_program_s) {
  std::vector<char> memory(4096);
  const auto add = symbol<PFN_cuMemHostRegister_v6050>("cuMemHostRegister_v2");
  const auto remove = symbol<PFN_cuMemHostUnregister_v4000>("cuMemHostUnregister");
  EXPECT_EQ(add(memory.data(), memory.size(), 0), CUDA_SUCCESS);
  EXPECT_EQ(add(memory.data(), memory.size(), 0), CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
  EXPECT_EQ(cu_.mem_free(reinterpret_cast<std::uintptr_t>(memory.data())),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(remove(memory.data()), CUDA_SUCCESS);
  EXPECT_EQ(remove(memory.data()), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
}

}  // namespace
}  // namespace vramlab::fake
