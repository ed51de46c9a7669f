#include "tests/gpu/gpu_test.h"

#include <algorithm>

namespace vramlab::tests {
void GpuTest::SetUp() {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess)
    GTEST_SKIP() << "No GPU answers: cudaGetDeviceCount says " << cudaGetErrorName(error) << " ("
                 << cudaGetErrorString(error) << "). NOTHING WAS TESTED ON A GPU.";
  if (count == 0)
    GTEST_SKIP() << "No GPU answers: cudaGetDeviceCount counts none. NOTHING WAS TESTED ON A GPU.";
}

std::string lines_of(const std::vector<std::string>& sentences) {
  constexpr std::size_t most_lines = 10;
  std::string lines;
  for (std::size_t i = 0; i < std::min(sentences.size(), most_lines); ++i)
    lines += sentences[i] + "\n";
  if (sentences.size() > most_lines)
    lines += "and " + std::to_string(sentences.size() - most_lines) + " more\n";
  return lines;
}

}  // namespace vramlab::tests
