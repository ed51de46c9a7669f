// Training a transformer: the backward pass frees the tensors that the forward pass saved,
// gradients are sent in buckets on a second stream, the optimizer makes lists of temporaries. The
// leak trains a small transformer, and puts a tensor into a list that is never emptied in each
// step.
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "allocator/types/check.h"
#include "traces/workloads/workload_parameters.h"
#include "traces/workloads/workload_writer.h"

namespace vramlab::traces {
namespace {

struct TransformerSizes {
  std::uint64_t layers = 0;
  std::uint64_t hidden = 0;
  std::uint64_t heads = 0;
  /// The longest sequence.
  std::uint64_t sequence = 0;
  std::uint64_t batch = 0;
  std::uint64_t vocabulary = 0;
};

/// The tokens of a pass.
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

/// The tensors that the backward pass needs: for each token 32 bytes an element of the hidden size,
/// 16 bytes for the norms, and 4 for each head.
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

/// A layer of a transformer in mixed-precision training: its forward and backward pass, with the
/// tensors that the forward pass saves and those that both need for a moment.
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

  /// Frees all saved tensors but the input.
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

using Backward = TransformerLayer::Backward;

constexpr CallSite transformer_forward_site{"training_step", "train.py", 71};
constexpr CallSite transformer_backward_site{"backward", "autograd/engine.py", 130};
constexpr CallSite transformer_norm_site{"layer_norm", "nn/functional.py", 201};
constexpr CallSite logits_site{"logits", "model/head.py", 22};
constexpr CallSite float_site{"float", "model/head.py", 23};
constexpr CallSite transformer_loss_site{"cross_entropy", "nn/functional.py", 310};

/// Layers save all tensors that their backward pass needs, or their input only, and compute the
/// rest again.
enum class Recompute : bool { no, yes };

/// The layers of a model, the embeddings before them and the loss behind them. The word embedding
/// is also the last layer's weight.
class Transformer {
 public:
  Transformer(WorkloadWriter& writer, const TransformerSizes& sizes)
      : writer_(writer),
        sizes_(sizes),
        parameters_(writer),
        word_embedding_(parameters_.add(sizes.vocabulary * sizes.hidden)),
        position_embedding_(parameters_.add(sizes.sequence * sizes.hidden)) {
    for (std::uint64_t i = 0; i < sizes.layers; ++i)
      layers_.emplace_back(writer, parameters_, sizes);
    last_norm_ = parameters_.add(sizes.hidden);
    parameters_.add(sizes.hidden);
    saved_.resize(as_index(sizes.layers));
  }

  Transformer(const Transformer&) = delete;
  Transformer& operator=(const Transformer&) = delete;

  /// Runs the forward and the backward pass, sends all gradients, takes a step of the optimizer.
  /// Returns the loss, which the caller frees.
  Tensor train(TokenCounts tokens, Recompute recompute, Bytes bucket) {
    GradientBuckets buckets(writer_, bucket);
    const Backward pass{tokens, buckets};
    Tensor last;
    {
      const CallScope at(writer_, transformer_forward_site);
      last = run_layers(embed(tokens), tokens, recompute);
    }
    const LossPass at_loss = compute_loss(last, pass);
    {
      const CallScope at(writer_, transformer_backward_site);
      embeddings_backward(layers_backward(at_loss.gradient, recompute, pass), buckets);
      buckets.finish();
    }
    const CallScope at(writer_, {"training_step", "train.py", 79});
    parameters_.optimize();
    return at_loss.loss;
  }

  void free_all() { parameters_.free_all(); }

 private:
  Tensor embed(TokenCounts tokens) {
    const CallScope at(writer_, {"embedding", "nn/functional.py", 45});
    const Bytes size{tokens.count() * sizes_.hidden * 2};
    const Tensor words = writer_.compute(size, memory_ns(size));
    const Tensor positions = writer_.malloc({tokens.sequence * sizes_.hidden * 2});
    writer_.work(memory_ns(positions.size));
    const Tensor sum = writer_.compute(size, memory_ns(size * 2));
    writer_.free({positions, words});
    return sum;
  }

  Tensor run_layers(Tensor input, TokenCounts tokens, Recompute recompute) {
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      input = layers_[i].forward(input, tokens, saved_[i]);
      if (recompute == Recompute::yes) layers_[i].forget(saved_[i]);
    }
    return input;
  }

  struct LossPass {
    Tensor loss;
    /// The gradient of the last layer's output.
    Tensor gradient;
  };

  LossPass compute_loss(Tensor last, const Backward& pass) {
    const std::uint64_t tokens = pass.tokens.count();
    SavedNorm norm;
    Tensor log_probabilities;
    LossPass result;
    {
      const CallScope at(writer_, transformer_forward_site);
      norm.normed = writer_.elementwise(transformer_norm_site, last.size, 2);
      norm.mean = writer_.malloc({tokens * 4});
      norm.deviation = writer_.malloc({tokens * 4});
      result.loss = loss_of(pass.tokens, log_probabilities);
    }
    const CallScope at(writer_, transformer_backward_site);
    const Tensor of_logits = loss_backward(log_probabilities, pass.tokens);
    const Tensor of_normed = head_backward(of_logits, norm.normed.size, pass.tokens);
    writer_.free(norm.normed);
    result.gradient = last_norm_backward(of_normed, pass.buckets);
    writer_.free({norm.deviation, norm.mean, last});
    return result;
  }

  /// Logits exist in two precisions for a moment: the peak of the step where the vocabulary is
  /// large.
  Tensor loss_of(TokenCounts tokens, Tensor& log_probabilities) {
    const std::uint64_t entries = tokens.count() * sizes_.vocabulary;
    const Tensor logits = writer_.compute(
        logits_site, {entries * 2}, matmul_ns({tokens.count(), sizes_.hidden, sizes_.vocabulary}));
    const Tensor exact = writer_.compute(float_site, {entries * 4}, memory_ns({entries * 6}));
    writer_.free(logits);
    log_probabilities =
        writer_.compute(transformer_loss_site, {entries * 4}, memory_ns({entries * 8}));
    const Tensor loss =
        writer_.compute(transformer_loss_site, {4}, memory_ns({tokens.count() * 4}));
    writer_.free(exact);
    return loss;
  }

  Tensor loss_backward(Tensor log_probabilities, TokenCounts tokens) {
    const CallScope at(writer_, {"cross_entropy_backward", "autograd/loss.py", 19});
    const Tensor of_loss = writer_.malloc({4});
    const Tensor exact = writer_.malloc(log_probabilities.size);
    writer_.work(memory_ns(exact.size * 2));
    writer_.free({log_probabilities, of_loss});
    const Tensor of_logits =
        writer_.compute({tokens.count() * sizes_.vocabulary * 2}, memory_ns(exact.size * 2));
    writer_.free(exact);
    return of_logits;
  }

  Tensor head_backward(Tensor of_logits, Bytes size, TokenCounts tokens) {
    const CallScope at(writer_, {"linear_backward", "autograd/linear.py", 36});
    const MatmulShape shape = {tokens.count(), sizes_.hidden, sizes_.vocabulary};
    const Tensor of_normed = writer_.compute(size, matmul_ns(shape));
    parameters_.make_gradient(word_embedding_);
    writer_.work(matmul_ns(shape));
    writer_.free(of_logits);
    return of_normed;
  }

  Tensor last_norm_backward(Tensor of_normed, GradientBuckets& buckets) {
    const CallScope at(writer_, {"layer_norm_backward", "autograd/norm.py", 48});
    const Tensor of_last = writer_.malloc(of_normed.size);
    buckets.add(parameters_.make_gradient(last_norm_));
    buckets.add(parameters_.make_gradient(last_norm_ + 1));
    writer_.work(memory_ns(of_normed.size * 3));
    writer_.free(of_normed);
    return of_last;
  }

  Tensor layers_backward(Tensor gradient, Recompute recompute, const Backward& pass) {
    for (std::size_t i = layers_.size(); i-- > 0;) {
      if (recompute == Recompute::yes) {
        const CallScope at(writer_, {"recompute", "model/checkpoint.py", 58});
        writer_.free(layers_[i].forward(saved_[i].input, pass.tokens, saved_[i]));
      }
      gradient = layers_[i].backward(gradient, saved_[i], pass);
    }
    return gradient;
  }

  /// The word embedding has a gradient already, as the last layer's weight: the two are added.
  void embeddings_backward(Tensor gradient, GradientBuckets& buckets) {
    const CallScope at(writer_, {"embedding_backward", "autograd/embedding.py", 27});
    buckets.add(parameters_.make_gradient(position_embedding_));
    writer_.work(memory_ns(gradient.size));
    const Tensor of_head = parameters_.gradient(word_embedding_);
    const Tensor of_words = writer_.malloc(of_head.size);
    writer_.work(memory_ns(gradient.size + of_words.size));
    writer_.work(memory_ns(of_words.size * 3));
    writer_.free({of_words, gradient});
    buckets.add(of_head);
  }

  WorkloadWriter& writer_;
  TransformerSizes sizes_;
  TrainedParameters parameters_;
  std::size_t word_embedding_;
  std::size_t position_embedding_;
  std::vector<TransformerLayer> layers_;
  std::size_t last_norm_;
  std::vector<LayerActivations> saved_;
};

constexpr std::array<WorkloadOption, 9> training_options = {{
    {"layers", "layers of the model", 24, 1, 1'000},
    {"hidden", "hidden size", 2'048, 8, 32'768},
    {"heads", "attention heads", 16, 1, 1'024},
    {"sequence", "longest sequence, in tokens", 2'048, 1, 131'072},
    {"shortest", "shortest sequence, in percent of the longest", 50, 1, 100},
    {"batch", "sequences a step", 4, 1, 4'096},
    {"vocabulary", "words of the vocabulary", 50'304, 2, 1'048'576},
    {"bucket", "gradients that are sent together, in MiB", 25, 1, 65'536},
    {"recompute", "save each layer's input only and compute the rest again", 0, 0, 1},
}};

constexpr CallSite batch_site{"next_batch", "data/loader.py", 66};

TransformerSizes model_sizes(const WorkloadRun& run) {
  return {run.size_of("layers"),   run.size_of("hidden"), run.size_of("heads"),
          run.size_of("sequence"), run.size_of("batch"),  run.size_of("vocabulary")};
}

Transformer training_build_model(WorkloadRun& run) {
  const CallScope at(run.writer, {"build_model", "train.py", 33});
  return {run.writer, model_sizes(run)};
}

/// A batch of padded sequences: kernels like multiples of 64 tokens.
TokenCounts draw_batch(WorkloadRun& run) {
  constexpr std::uint64_t step = 64;
  const std::uint64_t longest = run.size_of("sequence");
  const std::uint64_t shortest =
      std::max<std::uint64_t>(longest * run.size_of("shortest") / 100, 1);
  const std::uint64_t drawn = run.random.between(shortest, longest);
  return {run.size_of("batch"), std::min((drawn + step - 1) / step * step, longest)};
}

void training_take_step(WorkloadRun& run, Transformer& model) {
  const TokenCounts tokens = draw_batch(run);
  const Bytes numbers{tokens.count() * 8};
  const Tensor words = run.writer.compute(batch_site, numbers);
  const Tensor targets = run.writer.compute(batch_site, numbers);
  const Recompute recompute = run.size_of("recompute") == 1 ? Recompute::yes : Recompute::no;
  const Tensor loss = model.train(tokens, recompute, {run.size_of("bucket") << 20});
  const CallScope at(run.writer, {"log_loss", "train.py", 92});
  run.writer.synchronize();
  run.writer.free({loss, targets, words});
}

void write_training(WorkloadRun& run) {
  const CallScope at(run.writer, {"main", "train.py", 140});
  Transformer model = training_build_model(run);
  run.repeat("step", [&](std::uint64_t) { training_take_step(run, model); });
  model.free_all();
}

constexpr std::array<WorkloadOption, 6> leak_options = {{
    {"layers", "layers of the model", 4, 1, 1'000},
    {"hidden", "hidden size", 512, 8, 32'768},
    {"sequence", "tokens of a sequence", 512, 1, 131'072},
    {"batch", "sequences a step", 8, 1, 4'096},
    {"leak", "what each of these steps keeps, in KiB", 2'048, 1, 1'048'576},
    {"every", "how many steps pass from one that keeps something to the next", 1, 1, 1'000'000},
}};

constexpr CallSite keep_site{"append", "metrics/history.py", 21};

Transformer leak_build_model(WorkloadRun& run) {
  constexpr std::uint64_t heads = 8;
  constexpr std::uint64_t vocabulary = 8'192;
  const CallScope at(run.writer, {"build_model", "finetune.py", 25});
  return {run.writer,
          {run.size_of("layers"), run.size_of("hidden"), heads, run.size_of("sequence"),
           run.size_of("batch"), vocabulary}};
}

/// The outputs are kept to be averaged later, and the author forgot to detach and to drop them.
void update_metrics(WorkloadRun& run, std::uint64_t step) {
  const CallScope at(run.writer, {"update_metrics", "finetune.py", 97});
  if (step % run.size_of("every") != 0) return;
  const Bytes kept{run.size_of("leak") << 10};
  run.writer.compute(keep_site, kept);
}

void leak_take_step(WorkloadRun& run, Transformer& model, std::uint64_t step) {
  constexpr Bytes bucket{25ULL << 20};
  const TokenCounts tokens{run.random.between(1, run.size_of("batch")), run.size_of("sequence")};
  const Bytes numbers{tokens.count() * 8};
  const Tensor words = run.writer.compute(batch_site, numbers);
  const Tensor loss = model.train(tokens, Recompute::no, bucket);
  update_metrics(run, step);
  run.writer.synchronize();
  run.writer.free({loss, words});
}

void write_leak(WorkloadRun& run) {
  const CallScope at(run.writer, {"main", "finetune.py", 118});
  Transformer model = leak_build_model(run);
  run.repeat("step", [&](std::uint64_t step) { leak_take_step(run, model, step); });
  model.free_all();
}

}  // namespace

Workload training_workload() {
  return {"training", "a transformer in mixed precision, gradients sent in buckets",
          training_options, write_training};
}

Workload leak_workload() {
  return {"leak", "a training loop that keeps something in each step, until the end", leak_options,
          write_leak};
}

}  // namespace vramlab::traces
