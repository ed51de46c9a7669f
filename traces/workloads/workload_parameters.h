// TrainedParameters: the tensors that mixed-precision training with Adam keeps for each parameter,
// and those that its optimizer step needs for a moment. Weights and gradients have 2 bytes an
// element; the master copy and Adam's two states have 4. GradientBuckets sends gradients.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "traces/workloads/workload_writer.h"

namespace vramlab::traces {

class TrainedParameters {
 public:
  explicit TrainedParameters(WorkloadWriter& writer) : writer_(writer) {}

  /// Allocates the weight and its master copy. Returns the parameter's number: 0, 1, 2 and so on.
  std::size_t add(std::uint64_t element_count);
  std::size_t count() const { return parameters_.size(); }

  Tensor make_gradient(std::size_t parameter);
  /// Requires: the parameter has a gradient.
  Tensor gradient(std::size_t parameter) const { return parameters_[parameter].gradient; }

  /// Takes a step of Adam over all parameters with a gradient, list by list, so that the
  /// temporaries of all exist at once. The first step makes the states. No gradient is left.
  void optimize();
  void free_all();

 private:
  struct Parameter {
    std::uint64_t element_count = 0;
    Tensor weight;
    Tensor master;
    Tensor gradient;
    Tensor average;
    Tensor square_average;
  };

  std::vector<Parameter*> those_with_gradient();
  void clip_gradients(const std::vector<Parameter*>& parameters);
  void make_missing_states(const std::vector<Parameter*>& parameters);
  void take_step(const std::vector<Parameter*>& parameters);
  void free_gradients(const std::vector<Parameter*>& parameters);

  WorkloadWriter& writer_;
  std::vector<Parameter> parameters_;
};

/// Sums gradients over several GPUs while the backward pass goes on. When enough of them are ready
/// they are packed into a bucket, and a second stream sends it.
class GradientBuckets {
 public:
  GradientBuckets(WorkloadWriter& writer, Bytes full) : writer_(writer), full_(full) {}

  void add(Tensor gradient);
  /// Sends the rest; later work waits for all buckets.
  void finish();

 private:
  void send();

  WorkloadWriter& writer_;
  Bytes full_;
  std::vector<Tensor> waiting_;
  Bytes waiting_bytes_;
};

}  // namespace vramlab::traces
