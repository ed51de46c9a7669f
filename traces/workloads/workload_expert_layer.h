// ExpertLayer: a layer whose tokens go to a few of its experts each, and come back. What an expert
// needs grows with the tokens that it gets.
#pragma once

#include <cstdint>
#include <vector>

#include "traces/workloads/workload_parameters.h"

namespace vramlab::traces {

struct ExpertSizes {
  std::uint64_t hidden = 0;
  std::uint64_t experts = 0;
  /// To so many experts each token goes.
  std::uint64_t chosen = 0;
};

class ExpertLayer {
 public:
  /// What the backward pass needs of one expert.
  struct ExpertActivations {
    std::uint64_t tokens = 0;
    Tensor expanded;
    Tensor activated;
  };
  struct Activations {
    Tensor input;
    Tensor normed;
    Tensor choice;
    /// The tokens that the experts got.
    Tensor received;
    std::vector<ExpertActivations> experts;
    Tensor returned;
  };

  /// Adds the layer's parameters.
  ExpertLayer(WorkloadWriter& writer, TrainedParameters& parameters, const ExpertSizes& sizes);

  /// Keeps the input; returns the output. `loads` are the tokens of each expert.
  Tensor forward(Tensor input, const std::vector<std::uint64_t>& loads, Activations& saved) const;
  /// Takes the output's gradient and frees all that was saved; returns the input's gradient.
  Tensor backward(Tensor gradient, Activations& saved) const;

 private:
  struct Expert {
    std::size_t expand = 0;
    std::size_t contract = 0;
  };
  Tensor route(Tensor input, Activations& saved) const;
  Tensor exchange(Tensor sent) const;
  ExpertActivations run_expert(std::uint64_t tokens) const;
  void expert_backward(const Expert& expert, const ExpertActivations& saved) const;

  WorkloadWriter& writer_;
  TrainedParameters& parameters_;
  ExpertSizes sizes_;
  std::size_t norm_;
  std::size_t router_;
  std::vector<Expert> experts_;
};

}  // namespace vramlab::traces
