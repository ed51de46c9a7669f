// TransformerLayer: one layer of a transformer in mixed-precision training, its forward and
// backward pass, with what the forward pass saves and what both need for a moment. For
// workload_training.cpp.
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

class TransformerLayer {
 public:
  struct Backward {
    TokenCounts tokens;
    GradientBuckets& buckets;
  };

  /// Adds the layer's parameters.
  TransformerLayer(WorkloadWriter& writer, TrainedParameters& parameters,
                   const TransformerSizes& sizes)
      : writer_(writer),
        parameters_(parameters),
        hidden_(sizes.hidden),
        heads_(sizes.heads),
        first_norm_(add_norm()),
        projections_(add_linear(hidden_, 3 * hidden_)),
        output_(add_linear(hidden_, hidden_)),
        second_norm_(add_norm()),
        expand_(add_linear(hidden_, 4 * hidden_)),
        contract_(add_linear(4 * hidden_, hidden_)) {}

  /// Keeps the input; returns the output.
  Tensor forward(Tensor input, TokenCounts tokens, LayerActivations& saved) const {
    const CallScope at(writer_, {"forward", "model/block.py", 44});
    saved.input = input;
    saved.norm = norm(tokens);
    saved.middle = add_to_residual(attend(tokens, saved));
    saved.middle_norm = norm(tokens);
    const CallScope mlp(writer_, {"forward", "model/mlp.py", 17});
    saved.expanded = linear(expand_, tokens);
    saved.activated = writer_.elementwise(layer_gelu_site, saved.expanded.size, 2);
    return add_to_residual(linear(contract_, tokens));
  }

  /// Takes the output's gradient and frees all that was saved; returns the input's gradient.
  Tensor backward(Tensor gradient, const LayerActivations& saved, const Backward& pass) const {
    return attention_backward(mlp_backward(gradient, saved, pass), saved, pass);
  }

  /// Frees what was saved, all but the input.
  void forget(const LayerActivations& saved) const {
    writer_.free({saved.activated, saved.expanded, saved.middle_norm.deviation,
                  saved.middle_norm.mean, saved.middle_norm.normed, saved.middle, saved.log_sums,
                  saved.attended, saved.projected, saved.norm.deviation, saved.norm.mean,
                  saved.norm.normed});
  }

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

  Norm add_norm() {
    const std::size_t weight = parameters_.add(hidden_);
    return {weight, parameters_.add(hidden_)};
  }

  Linear add_linear(std::uint64_t inner, std::uint64_t columns) {
    const std::size_t weight = parameters_.add(inner * columns);
    return {weight, parameters_.add(columns), inner, columns};
  }

  Tensor linear(const Linear& layer, TokenCounts tokens) const {
    return writer_.compute(layer_linear_site, half_bytes(tokens.count(), layer.columns),
                           matmul_ns({tokens.count(), layer.inner, layer.columns}));
  }

  SavedNorm norm(TokenCounts tokens) const {
    const CallScope at(writer_, {"layer_norm", "nn/functional.py", 201});
    SavedNorm saved;
    saved.normed = writer_.malloc(half_bytes(tokens.count(), hidden_));
    saved.mean = writer_.malloc({tokens.count() * 4});
    saved.deviation = writer_.compute({tokens.count() * 4}, memory_ns(saved.normed.size * 2));
    return saved;
  }

  Tensor add_to_residual(Tensor branch) const {
    const Tensor sum = writer_.elementwise(layer_residual_site, branch.size, 3);
    writer_.free(branch);
    return sum;
  }

  Tensor attend(TokenCounts tokens, LayerActivations& saved) const {
    const CallScope at(writer_, {"forward", "model/attention.py", 29});
    saved.projected = linear(projections_, tokens);
    saved.attended = writer_.compute(flash_site, half_bytes(tokens.count(), hidden_),
                                     matmul_ns({tokens.count(), hidden_, 2 * tokens.sequence}));
    saved.log_sums = writer_.malloc({tokens.count() * heads_ * 4});
    return linear(output_, tokens);
  }

  void make_gradient(std::size_t parameter, const Backward& pass) const {
    pass.buckets.add(parameters_.make_gradient(parameter));
  }

  Tensor linear_backward(const Linear& layer, Tensor gradient, const Backward& pass) const {
    const CallScope at(writer_, {"linear_backward", "autograd/linear.py", 36});
    const MatmulShape shape = {pass.tokens.count(), layer.inner, layer.columns};
    const Tensor of_input =
        writer_.compute(half_bytes(pass.tokens.count(), layer.inner), matmul_ns(shape));
    make_gradient(layer.weight, pass);
    writer_.work(matmul_ns(shape));
    make_gradient(layer.bias, pass);
    writer_.work(memory_ns(gradient.size));
    return of_input;
  }

  Tensor norm_backward(const Norm& norm, Tensor gradient, const SavedNorm& saved,
                       const Backward& pass) const {
    const CallScope at(writer_, {"layer_norm_backward", "autograd/norm.py", 48});
    const Tensor of_input = writer_.malloc(gradient.size);
    make_gradient(norm.weight, pass);
    make_gradient(norm.bias, pass);
    writer_.work(memory_ns(gradient.size * 3));
    writer_.free({gradient, saved.deviation, saved.mean});
    return of_input;
  }

  Tensor add_gradients(Tensor past_branch, Tensor through_branch) const {
    const Tensor sum = writer_.elementwise(sum_site, past_branch.size, 3);
    writer_.free({through_branch, past_branch});
    return sum;
  }

  Tensor flash_backward(Tensor gradient, const LayerActivations& saved,
                        const Backward& pass) const {
    const CallScope at(writer_, {"flash_attention_backward", "autograd/attention.py", 73});
    const std::uint64_t tokens = pass.tokens.count();
    const Tensor of_projections = writer_.malloc(saved.projected.size);
    const Tensor query_sums = writer_.malloc({tokens * hidden_ * 4});
    const Tensor row_sums = writer_.compute(saved.log_sums.size,
                                            matmul_ns({tokens, hidden_, 5 * pass.tokens.sequence}));
    writer_.free({row_sums, query_sums, gradient, saved.log_sums, saved.attended, saved.projected});
    return of_projections;
  }

  Tensor attention_backward(Tensor gradient, const LayerActivations& saved,
                            const Backward& pass) const {
    const Tensor of_attended = linear_backward(output_, gradient, pass);
    const Tensor of_projections = flash_backward(of_attended, saved, pass);
    const Tensor of_normed = linear_backward(projections_, of_projections, pass);
    writer_.free({of_projections, saved.norm.normed});
    const Tensor of_input = norm_backward(first_norm_, of_normed, saved.norm, pass);
    writer_.free(saved.input);
    return add_gradients(gradient, of_input);
  }

  Tensor mlp_backward(Tensor gradient, const LayerActivations& saved, const Backward& pass) const {
    const Tensor of_activated = linear_backward(contract_, gradient, pass);
    writer_.free(saved.activated);
    const Tensor of_expanded = writer_.elementwise(gelu_backward_site, of_activated.size, 3);
    writer_.free({of_activated, saved.expanded});
    const Tensor of_normed = linear_backward(expand_, of_expanded, pass);
    writer_.free({of_expanded, saved.middle_norm.normed});
    const Tensor of_middle = norm_backward(second_norm_, of_normed, saved.middle_norm, pass);
    writer_.free(saved.middle);
    return add_gradients(gradient, of_middle);
  }

  static constexpr CallSite flash_site{"flash_attention", "model/attention.py", 61};
  static constexpr CallSite layer_linear_site{"linear", "nn/functional.py", 120};
  static constexpr CallSite layer_gelu_site{"gelu", "nn/functional.py", 88};
  static constexpr CallSite layer_residual_site{"add_residual", "model/block.py", 52};
  static constexpr CallSite gelu_backward_site{"gelu_backward", "autograd/activation.py", 14};
  static constexpr CallSite sum_site{"accumulate", "autograd/engine.py", 95};

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

}  // namespace vramlab::traces
