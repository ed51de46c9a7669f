// Training a mixture of experts: in each step every expert gets another number of tokens, so sizes
// hardly ever come again. Tokens travel to their experts and back on a second stream.
#include <array>
#include <cstddef>
#include <vector>

#include "traces/workloads/workload_costs.h"
#include "traces/workloads/workload_expert_layer.h"
#include "traces/workloads/workload_run.h"

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

constexpr CallSite experts_main_site{"main", "train_moe.py", 151};
constexpr CallSite experts_build_site{"build_model", "train_moe.py", 36};
constexpr CallSite experts_batch_site{"next_batch", "data/loader.py", 66};
constexpr CallSite experts_forward_site{"training_step", "train_moe.py", 84};
constexpr CallSite experts_backward_site{"backward", "autograd/engine.py", 130};
constexpr CallSite experts_loss_site{"mean_square", "nn/functional.py", 330};
constexpr CallSite experts_optimizer_site{"training_step", "train_moe.py", 90};

class ExpertModel {
 public:
  explicit ExpertModel(WorkloadRun& run);
  ExpertModel(const ExpertModel&) = delete;
  ExpertModel& operator=(const ExpertModel&) = delete;

  void train();
  void free_all() { parameters_.free_all(); }

 private:
  WorkloadRun& run_;
  WorkloadWriter& writer_;
  TrainedParameters parameters_;
  std::vector<ExpertLayer> layers_;
  /// By layer and expert: some are liked more than others, in all steps.
  std::vector<std::vector<std::uint64_t>> popularity_;
  std::vector<ExpertLayer::Activations> saved_;
};

ExpertModel::ExpertModel(WorkloadRun& run)
    : run_(run), writer_(run.writer), parameters_(run.writer) {
  const CallScope at(writer_, experts_build_site);
  const ExpertSizes sizes = {run.size_of("hidden"), run.size_of("experts"), run.size_of("chosen")};
  for (std::uint64_t i = 0; i < run.size_of("layers"); ++i) {
    layers_.emplace_back(writer_, parameters_, sizes);
    popularity_.emplace_back();
    for (std::uint64_t expert = 0; expert < sizes.experts; ++expert)
      popularity_.back().push_back(run.random.between(20, 100));
  }
  saved_.resize(layers_.size());
}

/// How much of the total each one gets, together all of it. Requires: not all weights are 0.
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

void ExpertModel::train() {
  const std::uint64_t tokens = run_.size_of("batch") * run_.size_of("sequence");
  Tensor hidden = writer_.compute(experts_batch_site, half_bytes(tokens, run_.size_of("hidden")),
                                  memory_ns(half_bytes(tokens, run_.size_of("hidden"))));
  {
    const CallScope at(writer_, experts_forward_site);
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      std::vector<std::uint64_t> weights = popularity_[i];
      for (std::uint64_t& weight : weights) weight *= run_.random.between(0, 100);
      weights.front() += 1;
      hidden = layers_[i].forward(hidden, share_out(tokens * run_.size_of("chosen"), weights),
                                  saved_[i]);
    }
  }
  const CallScope at(writer_, experts_backward_site);
  Tensor gradient = writer_.compute(experts_loss_site, hidden.size, memory_ns(hidden.size * 2));
  writer_.free(hidden);
  for (std::size_t i = layers_.size(); i-- > 0;)
    gradient = layers_[i].backward(gradient, saved_[i]);
  writer_.free(gradient);
  const CallScope optimizer(writer_, experts_optimizer_site);
  parameters_.optimize();
  writer_.synchronize();
}

void write_experts(WorkloadRun& run) {
  const CallScope at(run.writer, experts_main_site);
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
