// Transformer: layers of a model in mixed-precision training, the embeddings before them and
// the loss behind them. The word embedding is the last layer's weight too.
#pragma once

#include <cstdint>
#include <vector>

#include "traces/workloads/workload_parameters.h"

namespace vramlab::traces {

struct TransformerSizes {
  std::uint64_t layers = 0;
  std::uint64_t hidden = 0;
  std::uint64_t heads = 0;
  /// The longest.
  std::uint64_t sequence = 0;
  std::uint64_t batch = 0;
  std::uint64_t vocabulary = 0;
};

/// What one pass works on.
struct TokenCounts {
  std::uint64_t batch = 0;
  std::uint64_t sequence = 0;
  std::uint64_t count() const { return batch * sequence; }
};

struct SavedNorm {
  Tensor normed;
  Tensor mean;
  Tensor deviation;
};

/// What the backward pass needs: for each token 32 bytes an element of the hidden size, 16 bytes
/// for the norms, and 4 for each head.
struct LayerActivations {
  Tensor input;
  SavedNorm norm;
  /// Queries, keys and values.
  Tensor projected;
  Tensor attended;
  Tensor log_sums;
  /// The residual stream between attention and MLP.
  Tensor middle;
  SavedNorm middle_norm;
  Tensor expanded;
  Tensor activated;
};

/// One layer's forward and backward pass, with what the forward pass saves for the backward pass
/// and what both need for a moment.
class TransformerLayer {
 public:
  struct Backward {
    TokenCounts tokens;
    GradientBuckets& buckets;
  };

  /// Adds the layer's parameters.
  TransformerLayer(WorkloadWriter& writer, TrainedParameters& parameters,
                   const TransformerSizes& sizes);

  /// Keeps the input; returns the output.
  Tensor forward(Tensor input, TokenCounts tokens, LayerActivations& saved) const;
  /// Takes the output's gradient and frees all that was saved; returns the input's gradient.
  Tensor backward(Tensor gradient, const LayerActivations& saved, const Backward& pass) const;
  /// Frees what was saved, all but the input.
  void forget(const LayerActivations& saved) const;

 private:
  /// By number of the parameter.
  struct Norm {
    std::size_t weight = 0;
    std::size_t bias = 0;
  };
  struct Linear {
    std::size_t weight = 0;
    std::size_t bias = 0;
    std::uint64_t inner = 0;
    std::uint64_t columns = 0;
  };

  Norm add_norm();
  Linear add_linear(std::uint64_t inner, std::uint64_t columns);

  Tensor linear(const Linear& layer, TokenCounts tokens) const;
  SavedNorm norm(TokenCounts tokens) const;
  Tensor add_to_residual(Tensor branch) const;
  Tensor attend(TokenCounts tokens, LayerActivations& saved) const;

  void make_gradient(std::size_t parameter, const Backward& pass) const;
  Tensor linear_backward(const Linear& layer, Tensor gradient, const Backward& pass) const;
  Tensor norm_backward(const Norm& norm, Tensor gradient, const SavedNorm& saved,
                       const Backward& pass) const;
  Tensor add_gradients(Tensor past_branch, Tensor through_branch) const;
  Tensor flash_backward(Tensor gradient, const LayerActivations& saved, const Backward& pass) const;
  Tensor attention_backward(Tensor gradient, const LayerActivations& saved,
                            const Backward& pass) const;
  Tensor mlp_backward(Tensor gradient, const LayerActivations& saved, const Backward& pass) const;

  WorkloadWriter& writer_;
  TrainedParameters& parameters_;
  std::uint64_t hidden_;
  std::uint64_t heads_;
  Norm first_norm_;
  Linear projections_;
  Linear output_;
  Norm second_norm_;
  Linear expand_;
  Linear contract_;
};

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
    /// The gradient of the last layer's output.
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
