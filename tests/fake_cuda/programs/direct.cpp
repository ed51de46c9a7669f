// Calls the driver by its symbols. All that it computes is checked.
#include "tests/fake_cuda/programs/program.h"

using namespace vramlab::fake_programs;

int main() {
  open_device();
  const CUfunction fill = find_kernel("fake_fill");
  std::size_t free_before = 0;
  std::size_t total = 0;
  MUST(cuMemGetInfo_v2(&free_before, &total));
  constexpr std::uint64_t words = 1 << 16;
  for (std::uint32_t round = 1; round <= 20; ++round) {
    const CUdeviceptr at = take_memory(words * 4);
    MUST(launch(fill, {at, words, round}, nullptr));
    must(holds(at, words, round), "the kernel's words are there");
    give_back_memory(at);
  }
  std::size_t free_after = 0;
  MUST(cuMemGetInfo_v2(&free_after, &total));
  must(free_after == free_before, "all memory came back");
  must(cuMemFree_v2(0x1234) == CUDA_ERROR_INVALID_VALUE, "memory of nobody is refused");
  must(cuMemFree_v2(0) == CUDA_SUCCESS, "nothing is given back without an error");
  return end_of_program();
}
