// HostValueSource: the values that a copy from a device without bytes brings to the host. Whole
// words of 8, 4, 2 or 1 bytes, as large as the copy is made of, are zeros, ones or small numbers
// that are drawn, the same ones in each run. Among zeros, a yes or no and a count follow from the
// kernel before.
#pragma once

#include <cstdint>

#include "tools/cuda_standins/model/driver_options.h"
#include "tools/cuda_standins/model/kernels.h"

namespace vramlab::dry_run {

class HostValueSource {
 public:
  explicit HostValueSource(HostValues values) : values_(values) {}

  /// The answer of the last work that was put on a stream, if it works on zeros.
  void set_answer(const KernelAnswer& answer) { last_ = answer; }
  const KernelAnswer& answer() const { return last_; }
  RememberedTruths& truths() { return truths_; }
  /// Whether the bytes are those of a GPU.
  bool fill(void* at, std::uint64_t bytes);

 private:
  std::uint64_t next();

  HostValues values_;
  std::uint64_t state_ = 0;
  KernelAnswer last_;
  RememberedTruths truths_;
};

}  // namespace vramlab::dry_run
