// GpuBuffers: memory for copies, in each of the places that make a difference.
#pragma once

#include <cstddef>
#include <vector>

#include "tests/gpu/gpu_work.h"

namespace vramlab::tests {

class GpuBuffers {
 public:
  static constexpr std::size_t bytes = std::size_t{64} << 10;

  GpuBuffers();
  GpuBuffers(const GpuBuffers&) = delete;
  GpuBuffers& operator=(const GpuBuffers&) = delete;
  ~GpuBuffers();

  void* on_device() { return device_; }
  void* also_on_device() { return other_device_; }
  void* pinned() { return pinned_; }
  void* pageable() { return pageable_.data(); }

 private:
  void* device_ = nullptr;
  void* other_device_ = nullptr;
  void* pinned_ = nullptr;
  std::vector<std::byte> pageable_;
};

}  // namespace vramlab::tests
