// GradientBuckets: gradients are summed over several GPUs while the backward pass goes on. When
// enough of them are ready they are packed into a bucket, and a second stream sends it.
#pragma once

#include <cstddef>
#include <vector>

#include "traces/workloads/workload_parameters.h"

namespace vramlab::traces {

class GradientBuckets {
 public:
  GradientBuckets(WorkloadWriter& writer, allocator::Bytes full) : writer_(writer), full_(full) {}

  void add(Tensor gradient);
  /// Sends what is left; later work waits for all that was sent.
  void finish();

 private:
  void send();

  WorkloadWriter& writer_;
  allocator::Bytes full_;
  std::vector<Tensor> waiting_;
  allocator::Bytes waiting_bytes_;
};

}  // namespace vramlab::traces
