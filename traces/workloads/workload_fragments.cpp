// The worst case for an allocator: each round asks for a size that fits into no gap that the rounds
// before left, and keeps a block here and there, so that the gaps between can't be joined.
#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "allocator/types/check.h"
#include "traces/workloads/workload_writer.h"

namespace vramlab::traces {
namespace {

constexpr std::array<WorkloadOption, 4> fragments_options = {{
    {"classes", "how many sizes there are, each twice the one before, from 512 bytes on", 15, 1,
     24},
    {"blocks", "most blocks that a round asks for", 2'000, 8, 1'000'000},
    {"volume", "most memory that a round asks for, in MiB", 1'024, 1, 1'048'576},
    {"kept", "one block in so many is kept until its size comes again", 8, 2, 1'000},
}};

class Fragmenter {
 public:
  explicit Fragmenter(WorkloadRun& run)
      : run_(run), writer_(run.writer), kept_(as_index(run.size_of("classes"))) {}

  void run_round(std::uint64_t round) {
    constexpr std::uint64_t first_size = 512;
    const std::size_t size_class = (round - 1) % kept_.size();
    fill(first_size << size_class);
    churn(first_size << size_class);
    thin_out(kept_[size_class]);
    writer_.synchronize();
  }

  void stop() {
    for (std::vector<Tensor>& kept : kept_) writer_.free_all(kept);
  }

 private:
  Tensor make(std::uint64_t smallest) {
    const Bytes size{smallest + 1 + run_.random.below(smallest)};
    const Tensor made = writer_.malloc(size);
    if (run_.random.one_in(8)) writer_.work(memory_ns(size));
    return made;
  }

  void fill(std::uint64_t smallest) {
    const CallScope at(writer_, {"fill", "worst_case.py", 14});
    const std::uint64_t fitting = (run_.size_of("volume") << 20) / (2 * smallest);
    const std::uint64_t count = std::clamp<std::uint64_t>(fitting, 1, run_.size_of("blocks"));
    for (std::uint64_t i = 0; i < count; ++i) live_.push_back(make(smallest));
  }

  /// Lifetimes without a pattern.
  void churn(std::uint64_t smallest) {
    const CallScope at(writer_, {"churn", "worst_case.py", 27});
    for (std::size_t i = 0; i < live_.size(); ++i) {
      Tensor& chosen = live_[run_.random.index_below(live_.size())];
      writer_.free(chosen);
      chosen = make(smallest);
    }
  }

  /// Frees the kept blocks of this size of the round before, after others took the room around
  /// them.
  void thin_out(std::vector<Tensor>& kept) {
    const CallScope at(writer_, {"thin_out", "worst_case.py", 39});
    writer_.free_all(kept);
    for (std::size_t i = 0; i < live_.size(); ++i) {
      if (i % run_.size_of("kept") == 0)
        kept.push_back(live_[i]);
      else
        writer_.free(live_[i]);
    }
    live_.clear();
  }

  WorkloadRun& run_;
  WorkloadWriter& writer_;
  std::vector<Tensor> live_;
  /// Blocks that are kept, by size.
  std::vector<std::vector<Tensor>> kept_;
};

void write_fragments(WorkloadRun& run) {
  const CallScope at(run.writer, {"main", "worst_case.py", 58});
  Fragmenter fragmenter(run);
  run.repeat("round", [&](std::uint64_t round) { fragmenter.run_round(round); });
  fragmenter.stop();
}

}  // namespace

Workload fragments_workload() {
  return {"fragments", "sizes that fit into no gap, lifetimes without a pattern", fragments_options,
          write_fragments};
}

}  // namespace vramlab::traces
