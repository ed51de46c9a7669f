// How large the tensors of synthetic workloads are and how long their kernels take: round figures
// of a data centre's GPU, in whole nanoseconds, so that they are the same on every machine.
#pragma once

#include <cstdint>

#include "allocator/words/bytes.h"

namespace vramlab::traces {

/// Numbers of 2 bytes, and of 4.
constexpr allocator::Bytes half_bytes(std::uint64_t rows, std::uint64_t columns) {
  return {rows * columns * 2};
}
constexpr allocator::Bytes float_bytes(std::uint64_t rows, std::uint64_t columns) {
  return {rows * columns * 4};
}

inline constexpr std::uint64_t shortest_kernel_ns = 1'500;

/// A matrix of rows x inner times one of inner x columns.
struct MatmulShape {
  std::uint64_t rows = 0;
  std::uint64_t inner = 0;
  std::uint64_t columns = 0;
};

/// At 400 multiplications and additions a picosecond. Divided in between, so that nothing that the
/// options of a workload can ask for overflows.
constexpr std::uint64_t matmul_ns(const MatmulShape& shape) {
  constexpr std::uint64_t first_divisor = 64;
  constexpr std::uint64_t second_divisor = 3'125;
  return shortest_kernel_ns +
         (shape.rows * shape.inner / first_divisor) * shape.columns / second_divisor;
}

/// A kernel that goes once through so many bytes, at 1.5 TB a second.
constexpr std::uint64_t memory_ns(allocator::Bytes touched) {
  return shortest_kernel_ns + touched.count / 1'500;
}

/// Through a network to other GPUs, at 150 GB a second.
constexpr std::uint64_t network_ns(allocator::Bytes sent) {
  constexpr std::uint64_t latency_ns = 12'000;
  return latency_ns + sent.count / 150;
}

}  // namespace vramlab::traces
