#include "traces/workloads/workload_transformer.h"

namespace vramlab::traces {
namespace {

using allocator::Bytes;
using Backward = TransformerLayer::Backward;

constexpr CallSite transformer_forward_site{"training_step", "train.py", 71};
constexpr CallSite transformer_backward_site{"backward", "autograd/engine.py", 130};
constexpr CallSite transformer_norm_site{"layer_norm", "nn/functional.py", 201};
constexpr CallSite logits_site{"logits", "model/head.py", 22};
constexpr CallSite float_site{"float", "model/head.py", 23};
constexpr CallSite transformer_loss_site{"cross_entropy", "nn/functional.py", 310};

}  // namespace

Transformer::Transformer(WorkloadWriter& writer, const TransformerSizes& sizes)
    : writer_(writer),
      sizes_(sizes),
      parameters_(writer),
      word_embedding_(parameters_.add(sizes.vocabulary * sizes.hidden)),
      position_embedding_(parameters_.add(sizes.sequence * sizes.hidden)) {
  for (std::uint64_t i = 0; i < sizes.layers; ++i) layers_.emplace_back(writer, parameters_, sizes);
  last_norm_ = parameters_.add(sizes.hidden);
  parameters_.add(sizes.hidden);
  saved_.resize(sizes.layers);
}

Tensor Transformer::train(TokenCounts tokens, Recompute recompute, Bytes bucket) {
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

Tensor Transformer::embed(TokenCounts tokens) {
  const CallScope at(writer_, {"embedding", "nn/functional.py", 45});
  const Bytes size{tokens.count() * sizes_.hidden * 2};
  const Tensor words = writer_.compute(size, memory_ns(size));
  const Tensor positions = writer_.malloc({tokens.sequence * sizes_.hidden * 2});
  writer_.work(memory_ns(positions.size));
  const Tensor sum = writer_.compute(size, memory_ns(size * 2));
  writer_.free({positions, words});
  return sum;
}

Tensor Transformer::run_layers(Tensor input, TokenCounts tokens, Recompute recompute) {
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    input = layers_[i].forward(input, tokens, saved_[i]);
    if (recompute == Recompute::yes) layers_[i].forget(saved_[i]);
  }
  return input;
}

/// Logits are there in two precisions for a moment: where the vocabulary is large, the peak of
/// the step.
Tensor Transformer::loss_of(TokenCounts tokens, Tensor& log_probabilities) {
  const std::uint64_t entries = tokens.count() * sizes_.vocabulary;
  const Tensor logits = writer_.compute(
      logits_site, {entries * 2}, matmul_ns({tokens.count(), sizes_.hidden, sizes_.vocabulary}));
  const Tensor exact = writer_.compute(float_site, {entries * 4}, memory_ns({entries * 6}));
  writer_.free(logits);
  log_probabilities =
      writer_.compute(transformer_loss_site, {entries * 4}, memory_ns({entries * 8}));
  const Tensor loss = writer_.compute(transformer_loss_site, {4}, memory_ns({tokens.count() * 4}));
  writer_.free(exact);
  return loss;
}

Tensor Transformer::loss_backward(Tensor log_probabilities, TokenCounts tokens) {
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

Transformer::LossPass Transformer::compute_loss(Tensor last, const Backward& pass) {
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

Tensor Transformer::head_backward(Tensor of_logits, Bytes size, TokenCounts tokens) {
  const CallScope at(writer_, {"linear_backward", "autograd/linear.py", 36});
  const MatmulShape shape = {tokens.count(), sizes_.hidden, sizes_.vocabulary};
  const Tensor of_normed = writer_.compute(size, matmul_ns(shape));
  parameters_.make_gradient(word_embedding_);
  writer_.work(matmul_ns(shape));
  writer_.free(of_logits);
  return of_normed;
}

Tensor Transformer::last_norm_backward(Tensor of_normed, GradientBuckets& buckets) {
  const CallScope at(writer_, {"layer_norm_backward", "autograd/norm.py", 48});
  const Tensor of_last = writer_.malloc(of_normed.size);
  buckets.add(parameters_.make_gradient(last_norm_));
  buckets.add(parameters_.make_gradient(last_norm_ + 1));
  writer_.work(memory_ns(of_normed.size * 3));
  writer_.free(of_normed);
  return of_last;
}

Tensor Transformer::layers_backward(Tensor gradient, Recompute recompute, const Backward& pass) {
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
void Transformer::embeddings_backward(Tensor gradient, GradientBuckets& buckets) {
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

}  // namespace vramlab::traces
