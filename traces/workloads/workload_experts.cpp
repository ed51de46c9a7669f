// Training a mixture of experts: in each step every expert gets another number of tokens, so sizes
// hardly ever come again. Tokens travel to their experts and back on a second stream.
#include <array>
#include <cstddef>
#include <vector>

#include "traces/workloads/workload_parameters.h"
#include "traces/workloads/workload_writer.h"

namespace vramlab::traces {
namespace {

constexpr std::array<WorkloadOption, 6> experts_options = {{
    {"layers", "layers of the model", 8, 1, 1'000},
    {"hidden", "hidden size", 1'024, 8, 32'768},
    {"experts", "experts of a layer", 16, 1, 1'024},
    {"chosen", "experts that a token goes to", 2, 1, 64},
    {"sequence", "tokens of a sequence", 2'048, 1, 131'072},
    {"batch", "sequences a step", 8, 1, 4'096},
}};

constexpr CallSite experts_batch_site{"next_batch", "data/loader.py", 66};
constexpr CallSite experts_loss_site{"mean_square", "nn/functional.py", 330};

constexpr StreamId exchange_stream{1};

constexpr CallSite expert_layer_norm_site{"rms_norm", "nn/functional.py", 216};
constexpr CallSite router_site{"route", "model/router.py", 24};
constexpr CallSite choose_site{"top_k", "model/router.py", 31};
constexpr CallSite permute_site{"permute", "model/moe.py", 66};
constexpr CallSite combine_site{"combine", "model/moe.py", 81};

struct ExpertSizes {
  std::uint64_t hidden = 0;
  std::uint64_t experts = 0;
  /// The number of experts that each token goes to.
  std::uint64_t chosen = 0;
};

std::uint64_t expanded_size(const ExpertSizes& sizes) { return 4 * sizes.hidden; }

/// A layer whose tokens go to a few of its experts each, and come back. The memory of an expert
/// grows with the tokens that it gets.
class ExpertLayer {
 public:
  /// The tensors of an expert that the backward pass needs.
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
  ExpertLayer(WorkloadWriter& writer, TrainedParameters& parameters, const ExpertSizes& sizes)
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

  /// Keeps the input; returns the output. `loads` are the tokens of each expert.
  Tensor forward(Tensor input, const std::vector<std::uint64_t>& loads, Activations& saved) const {
    const CallScope at(writer_, {"forward", "model/moe.py", 57});
    saved.input = input;
    saved.received = exchange(route(input, saved));
    const Tensor results = writer_.malloc(saved.received.size);
    saved.experts.clear();
    for (const std::uint64_t tokens : loads) saved.experts.push_back(run_expert(tokens));
    saved.returned = exchange(results);
    return writer_.compute(combine_site, input.size, memory_ns(saved.returned.size * 2));
  }

  /// Takes the output's gradient and frees all saved tensors; returns the input's gradient.
  Tensor backward(Tensor gradient, Activations& saved) const {
    const CallScope at(writer_, {"moe_backward", "autograd/moe.py", 29});
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
    writer_.free({of_permuted, saved.choice});
    const CallScope norm(writer_, {"rms_norm_backward", "autograd/norm.py", 70});
    const Tensor of_input = writer_.malloc(gradient.size);
    parameters_.make_gradient(norm_);
    writer_.work(memory_ns(gradient.size * 4));
    writer_.free({of_normed, gradient, saved.normed, saved.input});
    return of_input;
  }

 private:
  struct Expert {
    std::size_t expand = 0;
    std::size_t contract = 0;
  };

  /// Gives the tokens in the order of their experts.
  Tensor route(Tensor input, Activations& saved) const {
    const std::uint64_t tokens = input.size.count / half_bytes(1, sizes_.hidden).count;
    saved.normed = writer_.elementwise(expert_layer_norm_site, input.size, 2);
    const Tensor scores = writer_.compute(router_site, float_bytes(tokens, sizes_.experts),
                                          matmul_ns({tokens, sizes_.hidden, sizes_.experts}));
    saved.choice =
        writer_.compute(choose_site, {tokens * sizes_.chosen * 8}, memory_ns(scores.size));
    writer_.free(scores);
    const Bytes permuted = input.size * sizes_.chosen;
    return writer_.elementwise(permute_site, permuted, 2);
  }

  /// Both buffers belong to the first stream and are used on the second.
  Tensor exchange(Tensor sent) const {
    const CallScope at(writer_, {"all_to_all", "parallel/exchange.py", 41});
    const Tensor received = writer_.malloc(sent.size);
    writer_.wait_for(exchange_stream, compute_stream);
    writer_.work(network_ns(sent.size), exchange_stream);
    writer_.use(sent, exchange_stream);
    writer_.use(received, exchange_stream);
    writer_.wait_for(compute_stream, exchange_stream);
    writer_.free(sent);
    return received;
  }

  ExpertActivations run_expert(std::uint64_t tokens) const {
    const CallScope at(writer_, {"forward", "model/expert.py", 18});
    ExpertActivations saved;
    saved.tokens = tokens;
    if (tokens == 0) return saved;
    const std::uint64_t expanded = expanded_size(sizes_);
    saved.expanded = writer_.malloc(half_bytes(tokens, expanded));
    writer_.work(matmul_ns({tokens, sizes_.hidden, expanded}));
    saved.activated = writer_.compute(saved.expanded.size, memory_ns(saved.expanded.size * 2));
    const Tensor output = writer_.compute(half_bytes(tokens, sizes_.hidden),
                                          matmul_ns({tokens, expanded, sizes_.hidden}));
    writer_.free(output);
    return saved;
  }

  /// An expert without tokens gets no gradient.
  void expert_backward(const Expert& expert, const ExpertActivations& saved) const {
    if (saved.tokens == 0) return;
    const CallScope at(writer_, {"expert_backward", "autograd/moe.py", 47});
    const MatmulShape shape = {saved.tokens, sizes_.hidden, expanded_size(sizes_)};
    const Tensor of_activated = writer_.compute(saved.activated.size, matmul_ns(shape));
    parameters_.make_gradient(expert.contract);
    writer_.work(matmul_ns(shape));
    writer_.free(saved.activated);
    const Tensor of_expanded =
        writer_.compute(saved.expanded.size, memory_ns(saved.expanded.size * 3));
    writer_.free({of_activated, saved.expanded});
    parameters_.make_gradient(expert.expand);
    writer_.work(matmul_ns(shape));
    writer_.free(of_expanded);
  }

  WorkloadWriter& writer_;
  TrainedParameters& parameters_;
  ExpertSizes sizes_;
  std::size_t norm_;
  std::size_t router_;
  std::vector<Expert> experts_;
};

/// The share of each weight in the total, together all of it. Requires: not all weights are 0.
std::vector<std::uint64_t> share_out(std::uint64_t total,
                                     const std::vector<std::uint64_t>& weights) {
  std::uint64_t weight_left = 0;
  for (const std::uint64_t weight : weights) weight_left += weight;
  std::vector<std::uint64_t> shares;
  for (const std::uint64_t weight : weights) {
    shares.push_back(weight == 0 ? 0 : total * weight / weight_left);
    total -= shares.back();
    weight_left -= weight;
  }
  return shares;
}

class ExpertModel {
 public:
  explicit ExpertModel(WorkloadRun& run) : run_(run), writer_(run.writer), parameters_(run.writer) {
    const CallScope at(writer_, {"build_model", "train_moe.py", 36});
    const ExpertSizes sizes = {run.size_of("hidden"), run.size_of("experts"),
                               run.size_of("chosen")};
    for (std::uint64_t i = 0; i < run.size_of("layers"); ++i) {
      layers_.emplace_back(writer_, parameters_, sizes);
      popularity_.emplace_back();
      for (std::uint64_t expert = 0; expert < sizes.experts; ++expert)
        popularity_.back().push_back(run.random.between(20, 100));
    }
    saved_.resize(layers_.size());
  }

  ExpertModel(const ExpertModel&) = delete;
  ExpertModel& operator=(const ExpertModel&) = delete;

  void train() {
    const std::uint64_t tokens = run_.size_of("batch") * run_.size_of("sequence");
    Tensor hidden =
        writer_.elementwise(experts_batch_site, half_bytes(tokens, run_.size_of("hidden")), 1);
    {
      const CallScope at(writer_, {"training_step", "train_moe.py", 84});
      for (std::size_t i = 0; i < layers_.size(); ++i) {
        std::vector<std::uint64_t> weights = popularity_[i];
        for (std::uint64_t& weight : weights) weight *= run_.random.between(0, 100);
        weights.front() += 1;
        hidden = layers_[i].forward(hidden, share_out(tokens * run_.size_of("chosen"), weights),
                                    saved_[i]);
      }
    }
    const CallScope at(writer_, {"backward", "autograd/engine.py", 130});
    Tensor gradient = writer_.elementwise(experts_loss_site, hidden.size, 2);
    writer_.free(hidden);
    for (std::size_t i = layers_.size(); i-- > 0;)
      gradient = layers_[i].backward(gradient, saved_[i]);
    writer_.free(gradient);
    const CallScope optimizer(writer_, {"training_step", "train_moe.py", 90});
    parameters_.optimize();
    writer_.synchronize();
  }

  void free_all() { parameters_.free_all(); }

 private:
  WorkloadRun& run_;
  WorkloadWriter& writer_;
  TrainedParameters parameters_;
  std::vector<ExpertLayer> layers_;
  /// By layer and expert: some experts get more tokens than others, in all steps.
  std::vector<std::vector<std::uint64_t>> popularity_;
  std::vector<ExpertLayer::Activations> saved_;
};

void write_experts(WorkloadRun& run) {
  const CallScope at(run.writer, {"main", "train_moe.py", 151});
  ExpertModel model(run);
  run.repeat("step", [&](std::uint64_t) { model.train(); });
  model.free_all();
}

}  // namespace

Workload experts_workload() {
  return {"experts", "training a mixture of experts, whose loads change from step to step",
          experts_options, write_experts};
}

}  // namespace vramlab::traces
