// Transformer: layers of a model in mixed-precision training, the embeddings before them and
// the loss behind them. The word embedding is the last layer's weight too.
#pragma once

#include <vector>

#include "traces/workloads/workload_layer.h"

namespace vramlab::traces {

/// Whether layers save all that their backward pass needs, or their input only and compute the rest
/// again.
enum class Recompute : bool { no, yes };

class Transformer {
 public:
  Transformer(WorkloadWriter& writer, const TransformerSizes& sizes);
  Transformer(const Transformer&) = delete;
  Transformer& operator=(const Transformer&) = delete;

  /// Forward pass, backward pass, all gradients sent, one step of the optimizer. Gives the loss,
  /// which the caller frees.
  Tensor train(TokenCounts tokens, Recompute recompute, allocator::Bytes bucket);
  void free_all() { parameters_.free_all(); }

 private:
  Tensor embed(TokenCounts tokens);
  Tensor run_layers(Tensor input, TokenCounts tokens, Recompute recompute);
  struct LossPass {
    Tensor loss;
    /// Of the last layer's output.
    Tensor gradient;
  };
  LossPass compute_loss(Tensor last, const TransformerLayer::Backward& pass);
  Tensor loss_of(TokenCounts tokens, Tensor& log_probabilities);
  Tensor loss_backward(Tensor log_probabilities, TokenCounts tokens);
  Tensor head_backward(Tensor of_logits, allocator::Bytes size, TokenCounts tokens);
  Tensor last_norm_backward(Tensor of_normed, GradientBuckets& buckets);
  Tensor layers_backward(Tensor gradient, Recompute recompute,
                         const TransformerLayer::Backward& pass);
  void embeddings_backward(Tensor gradient, GradientBuckets& buckets);

  WorkloadWriter& writer_;
  TransformerSizes sizes_;
  TrainedParameters parameters_;
  std::size_t word_embedding_;
  std::size_t position_embedding_;
  std::vector<TransformerLayer> layers_;
  std::size_t last_norm_;
  std::vector<LayerActivations> saved_;
};

}  // namespace vramlab::traces
