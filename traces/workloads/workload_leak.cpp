// A leak: a small model is trained, and in each step something is put into a list that is never
// emptied.
#include <array>

#include "traces/workloads/workload_run.h"
#include "traces/workloads/workload_transformer.h"

namespace vramlab::traces {
namespace {

constexpr std::array<WorkloadOption, 6> leak_options = {{
    {"layers", "layers of the model", 4, 1, 1'000},
    {"hidden", "hidden size", 512, 8, 32'768},
    {"sequence", "tokens of a sequence", 512, 1, 131'072},
    {"batch", "sequences a step", 8, 1, 4'096},
    {"leak", "what each of these steps keeps, in KiB", 2'048, 1, 1'048'576},
    {"every", "how many steps pass from one that keeps something to the next", 1, 1, 1'000'000},
}};

constexpr CallSite leak_batch_site{"next_batch", "data/loader.py", 66};
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
  const allocator::Bytes kept{run.size_of("leak") << 10};
  run.writer.compute(keep_site, kept);
}

void leak_take_step(WorkloadRun& run, Transformer& model, std::uint64_t step) {
  constexpr allocator::Bytes bucket{25ULL << 20};
  const TokenCounts tokens{run.random.between(1, run.size_of("batch")), run.size_of("sequence")};
  const allocator::Bytes numbers{tokens.count() * 8};
  const Tensor words = run.writer.compute(leak_batch_site, numbers);
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

Workload leak_workload() {
  return {"leak", "a training loop that keeps something in each step, until the end", leak_options,
          write_leak};
}

}  // namespace vramlab::traces
