#include <array>
#include <vector>

#include "tests/cuda_standins/runtime/runtime_test.h"

namespace vramlab::dry_run {
namespace {

constexpr int to_device = 1;
constexpr int to_host = 2;
constexpr int is_unregistered = 0;
constexpr int is_host_memory = 1;
constexpr int is_device_memory = 2;

class RuntimeMemory : public RuntimeTest {};

TEST_F(RuntimeMemory, no_bytes_are_null_and_no_error) {
  void* memory = &memory;
  EXPECT_EQ(cudaMalloc(&memory, 0), error::success);
  EXPECT_EQ(memory, nullptr);
  EXPECT_EQ(cudaFree(nullptr), error::success);
  EXPECT_EQ(cudaMalloc(nullptr, 1), error::invalid_value);
}

TEST_F(RuntimeMemory, pointers_tell_where_they_point) {
  void* device = nullptr;
  void* host = nullptr;
  ASSERT_EQ(cudaMalloc(&device, 4096), error::success);
  ASSERT_EQ(cudaHostAlloc(&host, 4096, 0), error::success);
  cudaPointerAttributes told{};
  EXPECT_EQ(cudaPointerGetAttributes(&told, device), error::success);
  EXPECT_EQ(told.type, is_device_memory);
  EXPECT_EQ(told.device, 0);
  EXPECT_EQ(told.devicePointer, device);
  EXPECT_EQ(told.hostPointer, nullptr);
  EXPECT_EQ(cudaPointerGetAttributes(&told, host), error::success);
  EXPECT_EQ(told.type, is_host_memory);
  EXPECT_EQ(told.hostPointer, host);
  EXPECT_EQ(cudaPointerGetAttributes(&told, &told), error::success);
  EXPECT_EQ(told.type, is_unregistered);
  EXPECT_EQ(told.devicePointer, nullptr);
  EXPECT_EQ(cudaGetLastError(), error::success);
  EXPECT_EQ(cudaFreeHost(host), error::success);
  EXPECT_EQ(cudaFree(device), error::success);
}

TEST_F(RuntimeMemory, free_memory_becomes_less) {
  std::size_t before = 0;
  std::size_t after = 0;
  std::size_t total = 0;
  void* memory = nullptr;
  constexpr std::size_t bytes = std::size_t{64} << 20;
  ASSERT_EQ(cudaMemGetInfo(&before, &total), error::success);
  ASSERT_EQ(cudaMalloc(&memory, bytes), error::success);
  ASSERT_EQ(cudaMemGetInfo(&after, &total), error::success);
  EXPECT_EQ(before - after, bytes);
  EXPECT_EQ(cudaFree(memory), error::success);
}

TEST_F(RuntimeMemory, unknown_direction_is_refused) {
  int word = 0;
  EXPECT_EQ(cudaMemcpy(&word, &word, sizeof word, 5), error::invalid_direction);
}

TEST_F(RuntimeMemory, variable_keeps_what_is_copied_to_it) {
  static int image = 0;
  static int variable[4];
  void** const binary = __cudaRegisterFatBinary(&image);
  __cudaRegisterVar(binary, reinterpret_cast<char*>(variable), nullptr, "variable", 0,
                    sizeof variable, 0, 0);
  const std::array<int, 2> written = {3, 4};
  std::array<int, 2> found{};
  EXPECT_EQ(cudaMemcpyToSymbol(variable, written.data(), 8, 8, to_device), error::success);
  EXPECT_EQ(cudaMemcpyFromSymbol(found.data(), variable, 8, 8, to_host), error::success);
  EXPECT_EQ(found, written);
  EXPECT_EQ(cudaMemcpyToSymbol(variable, written.data(), 8, 12, to_device), error::invalid_value);
  EXPECT_EQ(cudaMemcpyToSymbol(&image, written.data(), 8, 0, to_device), error::invalid_symbol);
  __cudaUnregisterFatBinary(binary);
  EXPECT_EQ(cudaMemcpyToSymbol(variable, written.data(), 8, 0, to_device), error::invalid_symbol);
}

}  // namespace
}  // namespace vramlab::dry_run
