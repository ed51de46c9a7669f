// Training behind a data loader with pinned batches: a thread pins batches ahead, the loop copies
// each to the GPU without waiting, trains on it and drops it. Batches are of several lengths, so
// pinned memory stays cached in many sizes.
#include <algorithm>
#include <array>
#include <deque>

#include "traces/workloads/workload_writer.h"

namespace vramlab::traces {
namespace {

constexpr std::array<WorkloadOption, 7> dataloader_options = {{
    {"batch", "samples of a batch", 32, 1, 65'536},
    {"sample", "largest sample, in KiB", 600, 1, 1'048'576},
    {"shortest", "smallest sample, in percent of the largest", 40, 1, 100},
    {"prefetch", "batches that are pinned ahead", 4, 1, 1'024},
    {"layers", "layers of the model", 8, 1, 1'000},
    {"evaluate",
     "how many steps pass from one evaluation with batches of twice the size to the next", 50, 1,
     1'000'000},
    {"log", "how many steps pass from one wait for the loss to the next", 4, 1, 1'000'000},
}};

constexpr StreamId dataloader_copy_stream{1};
constexpr CallSite pin_site{"pin_memory", "torch/utils/data/_utils/pin_memory.py", 57};
constexpr CallSite to_device_site{"to", "train.py", 64};
constexpr CallSite dataloader_layer_site{"forward", "model/encoder.py", 31};

struct PinnedBatch {
  Tensor inputs;
  Tensor targets;
};

class Loader {
 public:
  explicit Loader(WorkloadRun& run) : run_(run), writer_(run.writer) {}

  void step(std::uint64_t number) {
    const bool evaluates = number % run_.size_of("evaluate") == 0;
    while (ahead_.size() < run_.size_of("prefetch")) ahead_.push_back(pin(evaluates ? 2 : 1));
    const PinnedBatch batch = ahead_.front();
    ahead_.pop_front();
    const Tensor inputs = send(batch.inputs);
    const Tensor targets = send(batch.targets);
    writer_.wait_for(compute_stream, dataloader_copy_stream);
    // The loop's variable still holds the batch before.
    drop_last();
    last_ = batch;
    train(inputs, targets);
    const CallScope at(writer_, {"log_loss", "train.py", 92});
    if (number % run_.size_of("log") == 0) writer_.synchronize();
  }

  void stop() {
    drop_last();
    for (const PinnedBatch& batch : ahead_) drop(batch);
    ahead_.clear();
  }

 private:
  PinnedBatch pin(std::uint64_t times) {
    const CallScope at(writer_, pin_site);
    const std::uint64_t largest = run_.size_of("sample") << 10;
    const std::uint64_t smallest =
        std::max<std::uint64_t>(largest * run_.size_of("shortest") / 100, 1);
    const std::uint64_t samples = run_.size_of("batch") * times;
    return {writer_.pin({samples * run_.random.between(smallest, largest)}),
            writer_.pin({samples * 8})};
  }

  Tensor send(Tensor pinned) {
    const CallScope at(writer_, to_device_site);
    const Tensor sent = writer_.malloc(pinned.size);
    writer_.copy_pinned(pinned, dataloader_copy_stream);
    writer_.use(sent, dataloader_copy_stream);
    return sent;
  }

  void drop(const PinnedBatch& batch) {
    writer_.unpin(batch.targets);
    writer_.unpin(batch.inputs);
  }

  void drop_last() {
    if (last_.inputs.id != 0) drop(last_);
    last_ = {};
  }

  void train(Tensor inputs, Tensor targets) {
    const CallScope at(writer_, {"training_step", "train.py", 71});
    std::vector<Tensor> saved;
    for (std::uint64_t layer = 0; layer < run_.size_of("layers"); ++layer)
      saved.push_back(writer_.elementwise(dataloader_layer_site, inputs.size, 20));
    while (!saved.empty()) {
      const Tensor gradient = writer_.compute(inputs.size, memory_ns(inputs.size * 40));
      writer_.free({saved.back(), gradient});
      saved.pop_back();
    }
    writer_.free({targets, inputs});
  }

  WorkloadRun& run_;
  WorkloadWriter& writer_;
  std::deque<PinnedBatch> ahead_;
  PinnedBatch last_;
};

void write_dataloader(WorkloadRun& run) {
  const CallScope at(run.writer, {"main", "train.py", 118});
  Loader loader(run);
  run.repeat("step", [&](std::uint64_t number) { loader.step(number); });
  loader.stop();
}

}  // namespace

Workload dataloader_workload() {
  return {"dataloader", "training behind a data loader that pins its batches", dataloader_options,
          write_dataloader, WorkloadMemory::device_and_host};
}

}  // namespace vramlab::traces
