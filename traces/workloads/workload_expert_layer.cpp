#include "traces/workloads/workload_expert_layer.h"

#include "traces/workloads/workload_costs.h"

namespace vramlab::traces {
namespace {

constexpr allocator::StreamId exchange_stream{1};

constexpr CallSite layer_site{"forward", "model/moe.py", 57};
constexpr CallSite expert_layer_norm_site{"rms_norm", "nn/functional.py", 216};
constexpr CallSite router_site{"route", "model/router.py", 24};
constexpr CallSite choose_site{"top_k", "model/router.py", 31};
constexpr CallSite permute_site{"permute", "model/moe.py", 66};
constexpr CallSite exchange_site{"all_to_all", "parallel/exchange.py", 41};
constexpr CallSite expert_site{"forward", "model/expert.py", 18};
constexpr CallSite combine_site{"combine", "model/moe.py", 81};
constexpr CallSite layer_backward_site{"moe_backward", "autograd/moe.py", 29};
constexpr CallSite expert_backward_site{"expert_backward", "autograd/moe.py", 47};
constexpr CallSite expert_layer_norm_backward_site{"rms_norm_backward", "autograd/norm.py", 70};

std::uint64_t expanded_size(const ExpertSizes& sizes) { return 4 * sizes.hidden; }

}  // namespace

ExpertLayer::ExpertLayer(WorkloadWriter& writer, TrainedParameters& parameters,
                         const ExpertSizes& sizes)
    : writer_(writer),
      parameters_(parameters),
      sizes_(sizes),
      norm_(parameters.add(sizes.hidden)),
      router_(parameters.add(sizes.hidden * sizes.experts)) {
  for (std::uint64_t i = 0; i < sizes.experts; ++i) {
    const std::size_t expand = parameters.add(sizes.hidden * expanded_size(sizes));
    experts_.push_back({expand, parameters.add(expanded_size(sizes) * sizes.hidden)});
  }
}

/// Gives the tokens in the order of their experts.
Tensor ExpertLayer::route(Tensor input, Activations& saved) const {
  const std::uint64_t tokens = input.size.count / half_bytes(1, sizes_.hidden).count;
  saved.normed = writer_.compute(expert_layer_norm_site, input.size, memory_ns(input.size * 2));
  const Tensor scores = writer_.compute(router_site, float_bytes(tokens, sizes_.experts),
                                        matmul_ns({tokens, sizes_.hidden, sizes_.experts}));
  saved.choice = writer_.compute(choose_site, {tokens * sizes_.chosen * 8}, memory_ns(scores.size));
  writer_.free(scores);
  const allocator::Bytes permuted = input.size * sizes_.chosen;
  return writer_.compute(permute_site, permuted, memory_ns(permuted * 2));
}

/// Both buffers belong to the first stream and are used on the second.
Tensor ExpertLayer::exchange(Tensor sent) const {
  const CallScope at(writer_, exchange_site);
  const Tensor received = writer_.malloc(sent.size);
  writer_.wait_for(exchange_stream, compute_stream);
  writer_.work(network_ns(sent.size), exchange_stream);
  writer_.use(sent, exchange_stream);
  writer_.use(received, exchange_stream);
  writer_.wait_for(compute_stream, exchange_stream);
  writer_.free(sent);
  return received;
}

ExpertLayer::ExpertActivations ExpertLayer::run_expert(std::uint64_t tokens) const {
  const CallScope at(writer_, expert_site);
  ExpertActivations saved;
  saved.tokens = tokens;
  if (tokens == 0) return saved;
  const std::uint64_t expanded = expanded_size(sizes_);
  saved.expanded = writer_.malloc(half_bytes(tokens, expanded));
  writer_.work(matmul_ns({tokens, sizes_.hidden, expanded}));
  saved.activated = writer_.malloc(saved.expanded.size);
  writer_.work(memory_ns(saved.expanded.size * 2));
  const Tensor output = writer_.malloc(half_bytes(tokens, sizes_.hidden));
  writer_.work(matmul_ns({tokens, expanded, sizes_.hidden}));
  writer_.free(output);
  return saved;
}

Tensor ExpertLayer::forward(Tensor input, const std::vector<std::uint64_t>& loads,
                            Activations& saved) const {
  const CallScope at(writer_, layer_site);
  saved.input = input;
  saved.received = exchange(route(input, saved));
  const Tensor results = writer_.malloc(saved.received.size);
  saved.experts.clear();
  for (const std::uint64_t tokens : loads) saved.experts.push_back(run_expert(tokens));
  saved.returned = exchange(results);
  return writer_.compute(combine_site, input.size, memory_ns(saved.returned.size * 2));
}

/// An expert without tokens gets no gradient.
void ExpertLayer::expert_backward(const Expert& expert, const ExpertActivations& saved) const {
  if (saved.tokens == 0) return;
  const CallScope at(writer_, expert_backward_site);
  const MatmulShape shape = {saved.tokens, sizes_.hidden, expanded_size(sizes_)};
  const Tensor of_activated = writer_.malloc(saved.activated.size);
  writer_.work(matmul_ns(shape));
  parameters_.make_gradient(expert.contract);
  writer_.work(matmul_ns(shape));
  writer_.free(saved.activated);
  const Tensor of_expanded = writer_.malloc(saved.expanded.size);
  writer_.work(memory_ns(saved.expanded.size * 3));
  writer_.free(of_activated);
  writer_.free(saved.expanded);
  parameters_.make_gradient(expert.expand);
  writer_.work(matmul_ns(shape));
  writer_.free(of_expanded);
}

Tensor ExpertLayer::backward(Tensor gradient, Activations& saved) const {
  const CallScope at(writer_, layer_backward_site);
  const Tensor spread = writer_.malloc(saved.returned.size);
  writer_.work(memory_ns(spread.size * 2));
  writer_.free(saved.returned);
  const Tensor of_results = exchange(spread);
  for (std::size_t i = experts_.size(); i-- > 0;) expert_backward(experts_[i], saved.experts[i]);
  writer_.free(saved.received);
  const Tensor of_permuted = exchange(of_results);
  const Tensor of_normed = writer_.malloc(gradient.size);
  parameters_.make_gradient(router_);
  writer_.work(memory_ns(of_permuted.size * 2));
  writer_.free(of_permuted);
  writer_.free(saved.choice);
  const CallScope norm(writer_, expert_layer_norm_backward_site);
  const Tensor of_input = writer_.malloc(gradient.size);
  parameters_.make_gradient(norm_);
  writer_.work(memory_ns(gradient.size * 4));
  for (const Tensor tensor : {of_normed, gradient, saved.normed, saved.input}) writer_.free(tensor);
  return of_input;
}

}  // namespace vramlab::traces
