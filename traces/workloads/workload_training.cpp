// Training a transformer: what is saved in the forward pass goes in the backward pass, gradients
// are sent in buckets on a second stream, the optimizer makes lists of temporaries. And a leak: a
// small one is trained, and in each step something is put into a list that is never emptied.
#include <algorithm>
#include <array>

#include "allocator/types/check.h"
#include "traces/workloads/workload_layer.h"
#include "traces/workloads/workload_run.h"

namespace vramlab::traces {
namespace {

using Backward = TransformerLayer::Backward;

constexpr CallSite transformer_forward_site{"training_step", "train.py", 71};
constexpr CallSite transformer_backward_site{"backward", "autograd/engine.py", 130};
constexpr CallSite transformer_norm_site{"layer_norm", "nn/functional.py", 201};
constexpr CallSite logits_site{"logits", "model/head.py", 22};
constexpr CallSite float_site{"float", "model/head.py", 23};
constexpr CallSite transformer_loss_site{"cross_entropy", "nn/functional.py", 310};

/// Whether layers save all that their backward pass needs, or their input only and compute the rest
/// again.
enum class Recompute : bool { no, yes };

/// The layers of a model, the embeddings before them and the loss behind them. The word embedding
/// is the last layer's weight too.
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

  /// Forward pass, backward pass, all gradients sent, one step of the optimizer. Gives the loss,
  /// which the caller frees.
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

  /// Logits are there in two precisions for a moment: where the vocabulary is large, the peak of
  /// the step.
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

/// Padded to 64 tokens, as kernels like it.
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

/// The outputs are to be averaged later, and whoever wrote this forgot to detach and to forget.
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
