#include "traces/workloads.h"

#include <algorithm>
#include <array>

#include "allocator/check.h"
#include "allocator/reference_version.h"

namespace vramlab::traces {
namespace {

using allocator::Bytes;
using allocator::StreamId;

/// xorshift64*: the same numbers on every machine.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15ULL | 1) {}
  std::uint64_t below(std::uint64_t limit) {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return (state_ * 0x2545F4914F6CDD1DULL >> 32) % limit;
  }

 private:
  std::uint64_t state_;
};

class ProgramWriter {
 public:
  std::uint64_t malloc(std::uint64_t bytes, std::uint64_t stream = 0) {
    Call call;
    call.kind = CallKind::malloc;
    call.id = ++last_id_;
    call.bytes = Bytes{bytes};
    call.stream = StreamId{stream};
    calls_.push_back(call);
    return call.id;
  }
  void free(std::uint64_t id) {
    Call call;
    call.kind = CallKind::free;
    call.id = id;
    calls_.push_back(call);
  }
  std::size_t size() const { return calls_.size(); }
  std::vector<Call> take() { return std::move(calls_); }

 private:
  std::vector<Call> calls_;
  std::uint64_t last_id_ = 0;
};

/// One layer's forward pass: what stays until the backward pass, and what goes at once.
void run_layer_forward(ProgramWriter& writer, std::uint64_t tokens,
                       std::vector<std::uint64_t>& kept) {
  constexpr std::uint64_t hidden = 2048;
  const std::uint64_t activation = tokens * hidden * 2;
  kept.push_back(writer.malloc(activation));
  const std::uint64_t projections = writer.malloc(activation * 3);
  kept.push_back(writer.malloc(tokens * 16 * 4));
  kept.push_back(writer.malloc(activation));
  writer.free(projections);
  const std::uint64_t expanded = writer.malloc(activation * 4);
  kept.push_back(writer.malloc(activation));
  writer.free(expanded);
  kept.push_back(writer.malloc(512));
}

/// Transformer training: sequence lengths change from step to step, activations live until the
/// backward pass, gradients until the optimizer has run.
void write_training(ProgramWriter& writer, Random& random, std::uint64_t call_count) {
  constexpr int layers = 24;
  constexpr std::uint64_t weight_bytes = 2048ULL * 2048 * 12 * 2;
  for (int layer = 0; layer < layers * 3; ++layer) writer.malloc(weight_bytes);
  while (writer.size() < call_count) {
    const std::uint64_t tokens = 64 * (16 + random.below(113));
    std::vector<std::uint64_t> kept;
    for (int layer = 0; layer < layers; ++layer) run_layer_forward(writer, tokens, kept);
    std::vector<std::uint64_t> gradients;
    while (!kept.empty()) {
      const std::uint64_t scratch = writer.malloc(tokens * 2048 * 2);
      writer.free(kept.back());
      kept.pop_back();
      if (kept.size() % 5 == 0) gradients.push_back(writer.malloc(weight_bytes / 8));
      writer.free(scratch);
    }
    for (const std::uint64_t gradient : gradients) writer.free(gradient);
  }
}

struct Sequence {
  std::vector<std::uint64_t> pages;
  std::uint64_t tokens_left;
};

/// Inference: sequences of changing length grow a key-value cache page by page and leave; prompts
/// need a large buffer for a moment, on a stream of their own.
void write_serving(ProgramWriter& writer, Random& random, std::uint64_t call_count) {
  constexpr std::uint64_t page_bytes = 16ULL * 8 * 128 * 2 * 2;
  constexpr std::size_t most_sequences = 64;
  writer.malloc(14ULL << 30);
  std::vector<Sequence> sequences;
  while (writer.size() < call_count) {
    if (sequences.size() < most_sequences && random.below(3) == 0) {
      const std::uint64_t prompt_tokens = 1 + random.below(4096);
      writer.free(writer.malloc(prompt_tokens * 4096 * 2, 1));
      sequences.push_back({{}, 1 + random.below(200)});
    }
    for (Sequence& sequence : sequences) {
      writer.free(writer.malloc(std::uint64_t{8192} + random.below(4096)));
      if (sequence.tokens_left-- % 4 == 0) sequence.pages.push_back(writer.malloc(page_bytes));
    }
    const auto is_over = [&](const Sequence& sequence) {
      if (sequence.tokens_left > 0) return false;
      for (const std::uint64_t page : sequence.pages) writer.free(page);
      return true;
    };
    sequences.erase(std::remove_if(sequences.begin(), sequences.end(), is_over), sequences.end());
  }
}

/// The worst for an allocator: sizes without a pattern, lifetimes without a pattern.
void write_fragments(ProgramWriter& writer, Random& random, std::uint64_t call_count) {
  constexpr std::size_t most_live = 4000;
  std::vector<std::uint64_t> live;
  while (writer.size() < call_count) {
    if (live.size() < most_live && random.below(16) < 9) {
      const std::uint64_t magnitude = random.below(15);
      live.push_back(writer.malloc((512ULL << magnitude) + random.below(512ULL << magnitude)));
    } else if (!live.empty()) {
      std::swap(live[random.below(live.size())], live.back());
      writer.free(live.back());
      live.pop_back();
    }
  }
}

struct Workload {
  std::string_view name;
  std::string_view description;
  void (*write)(ProgramWriter&, Random&, std::uint64_t);
};

constexpr std::array<Workload, 3> workloads = {{
    {"training", "transformer training with changing sequence lengths", write_training},
    {"serving", "inference with a paged key-value cache, prompts on a side stream", write_serving},
    {"fragments", "sizes and lifetimes without a pattern, thousands of live blocks",
     write_fragments},
}};

const Workload& find_workload(std::string_view name) {
  const auto* found = std::find_if(workloads.begin(), workloads.end(),
                                   [name](const Workload& row) { return row.name == name; });
  check(found != workloads.end(), "a workload is one of the list");
  return *found;
}

}  // namespace

std::span<const std::string_view> workload_names() {
  static constexpr std::array<std::string_view, 3> names = {workloads[0].name, workloads[1].name,
                                                            workloads[2].name};
  return names;
}

std::string_view workload_description(std::string_view name) {
  return find_workload(name).description;
}

RecordedProgram make_workload(std::string_view name, const WorkloadOptions& options) {
  Random random(options.seed);
  ProgramWriter writer;
  find_workload(name).write(writer, random, options.call_count);
  RecordedProgram program;
  program.name = name;
  program.version = &allocator::default_reference_version();
  program.device_total = Bytes{80ULL << 30};
  program.calls = writer.take();
  return program;
}

}  // namespace vramlab::traces
