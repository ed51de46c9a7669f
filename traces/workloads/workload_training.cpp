// Training a transformer: what is saved in the forward pass goes in the backward pass, gradients
// are sent in buckets on a second stream, the optimizer makes lists of temporaries.
#include <algorithm>
#include <array>

#include "traces/workloads/workload_run.h"
#include "traces/workloads/workload_transformer.h"

namespace vramlab::traces {
namespace {

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

constexpr CallSite training_batch_site{"next_batch", "data/loader.py", 66};

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
  const allocator::Bytes numbers{tokens.count() * 8};
  const Tensor words = run.writer.compute(training_batch_site, numbers);
  const Tensor targets = run.writer.compute(training_batch_site, numbers);
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

}  // namespace

Workload training_workload() {
  return {"training", "a transformer in mixed precision, gradients sent in buckets",
          training_options, write_training};
}

}  // namespace vramlab::traces
