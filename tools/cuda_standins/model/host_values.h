// HostValueSource: what the host gets where a copy from a device without bytes reaches it. Whole
// words of 8, 4, 2 or 1 bytes, as large as the copy is made of, are zeros, ones or small numbers
// that are drawn, the same ones in each run. Among zeros, a yes or no and a count are what the
// kernel before says.
#pragma once

#include <cstdint>

#include "tools/cuda_standins/model/driver_options.h"
#include "tools/cuda_standins/model/kernel_answers.h"

namespace vramlab::dry_run {

class HostValueSource {
 public:
  explicit HostValueSource(HostValues values) : values_(values) {}

  /// What the work that was put on a stream last says of zeros.
  void set_answer(const KernelAnswer& answer) { last_ = answer; }
  const KernelAnswer& answer() const { return last_; }
  RememberedTruths& truths() { return truths_; }
  void fill(void* at, std::uint64_t bytes);

 private:
  std::uint64_t next();

  HostValues values_;
  std::uint64_t state_ = 0;
  KernelAnswer last_;
  RememberedTruths truths_;
};

}  // namespace vramlab::dry_run
