// Graphs: inference that is captured once for each of several batch sizes, all in one private pool,
// and then replayed. Only the work beside the graphs allocates while they are replayed.
#include <algorithm>
#include <array>
#include <vector>

#include "traces/workloads/workload_writer.h"

namespace vramlab::traces {
namespace {

constexpr std::array<WorkloadOption, 6> graphs_options = {{
    {"layers", "layers of the model", 12, 1, 1'000},
    {"hidden", "hidden size", 2'048, 8, 32'768},
    {"batch", "largest batch", 64, 1, 4'096},
    {"graphs", "how many batch sizes are captured, each half of the one before", 5, 1, 12},
    {"answer", "tokens of an answer, each a replay", 64, 1, 131'072},
    {"vocabulary", "words of the vocabulary", 32'000, 2, 1'048'576},
}};

constexpr StreamId capture_stream{1};
constexpr PoolId graph_pool{1, 0};

constexpr CallSite graphs_linear_site{"linear", "nn/functional.py", 120};
constexpr CallSite graphs_gelu_site{"gelu", "nn/functional.py", 88};
constexpr CallSite graphs_norm_site{"layer_norm", "nn/functional.py", 201};

struct Graph {
  std::uint64_t batch = 0;
  std::uint64_t duration_ns = 0;
  /// In the pool; the graph writes it again each time.
  Tensor output;
};

class GraphRunner {
 public:
  explicit GraphRunner(WorkloadRun& run) : run_(run), writer_(run.writer) {}

  /// Allocates the weights, and the input that every graph reads.
  void load() {
    const CallScope at(writer_, {"load_weights", "serve_graphs.py", 31});
    for (std::uint64_t layer = 0; layer < run_.size_of("layers"); ++layer) {
      add_weight(hidden_, 1);
      add_weight(hidden_, 4 * hidden_);
      add_weight(4 * hidden_, hidden_);
    }
    add_weight(hidden_, vocabulary_);
    add_weight(run_.size_of("batch"), hidden_);
  }

  /// Captures the largest graph first, so that smaller ones find room that it left in the pool.
  void capture_all() {
    std::uint64_t batch = run_.size_of("batch");
    for (std::uint64_t i = 0; i < run_.size_of("graphs") && batch > 0; ++i, batch /= 2)
      writer_.in_range("capture batch " + std::to_string(batch),
                       [&] { graphs_.push_back(capture(batch)); });
  }

  /// Answers requests together.
  void answer() {
    const Graph& graph = graphs_[run_.random.index_below(graphs_.size())];
    const std::uint64_t rows = run_.random.between(graph.batch / 2 + 1, graph.batch);
    for (std::uint64_t token = 0; token < run_.size_of("answer"); ++token) replay(graph, rows);
  }

  /// Each graph that is freed releases the pool once.
  void stop() {
    const CallScope at(writer_, {"reset", "serve_graphs.py", 133});
    for (; !graphs_.empty(); graphs_.pop_back()) {
      writer_.free(graphs_.back().output);
      writer_.pool_release(graph_pool);
    }
    writer_.free_all(kept_);
    writer_.empty_cache();
  }

 private:
  void add_weight(std::uint64_t rows, std::uint64_t columns) {
    kept_.push_back(writer_.compute(half_bytes(rows, columns)));
  }

  Tensor run_model(std::uint64_t batch) {
    Tensor hidden;
    for (std::uint64_t layer = 0; layer < run_.size_of("layers"); ++layer)
      hidden = run_layer(hidden, batch);
    const Tensor logits = writer_.compute(graphs_linear_site, half_bytes(batch, vocabulary_),
                                          matmul_ns({batch, hidden_, vocabulary_}), capture_stream);
    writer_.free(hidden);
    return logits;
  }

  Tensor run_layer(Tensor input, std::uint64_t batch) {
    const Bytes size = half_bytes(batch, hidden_);
    const Tensor normed = writer_.elementwise(graphs_norm_site, size, 2, capture_stream);
    const Tensor expanded = writer_.compute(
        graphs_linear_site, size * 4, matmul_ns({batch, hidden_, 4 * hidden_}), capture_stream);
    writer_.free(normed);
    const Tensor active =
        writer_.compute(graphs_gelu_site, size * 4, memory_ns(size * 8), capture_stream);
    writer_.free(expanded);
    const Tensor output = writer_.compute(graphs_linear_site, size,
                                          matmul_ns({batch, 4 * hidden_, hidden_}), capture_stream);
    writer_.free(active);
    if (input.id != 0) writer_.free(input);
    return output;
  }

  Graph capture(std::uint64_t batch) {
    {
      const CallScope at(writer_, {"warm_up", "serve_graphs.py", 58});
      writer_.wait_for(capture_stream, compute_stream);
      writer_.free(run_model(batch));
      writer_.wait_for(compute_stream, capture_stream);
      writer_.synchronize();
    }
    const CallScope at(writer_, {"capture", "serve_graphs.py", 70});
    Graph graph;
    graph.batch = batch;
    writer_.pool_begin(graph_pool);
    writer_.capture_begin(capture_stream);
    graph.output = run_model(batch);
    graph.duration_ns = writer_.capture_end(capture_stream);
    writer_.pool_end(graph_pool);
    return graph;
  }

  void replay(const Graph& graph, std::uint64_t rows) {
    const CallScope at(writer_, {"replay", "serve_graphs.py", 104});
    const Tensor input = writer_.malloc(half_bytes(rows, hidden_));
    writer_.work(memory_ns(input.size * 2));
    writer_.free(input);
    writer_.work(graph.duration_ns);
    const CallScope sampling(writer_, {"sample", "serve/sampler.py", 19});
    const Bytes exact{rows * vocabulary_ * 4};
    const Tensor logits = writer_.compute(exact, memory_ns(exact));
    const Tensor probabilities = writer_.compute(exact, memory_ns(exact * 2));
    writer_.free(logits);
    const Tensor drawn = writer_.compute({rows * 8}, memory_ns(exact));
    writer_.free(probabilities);
    writer_.synchronize();
    writer_.free(drawn);
  }

  WorkloadRun& run_;
  WorkloadWriter& writer_;
  std::uint64_t hidden_ = run_.size_of("hidden");
  std::uint64_t vocabulary_ = run_.size_of("vocabulary");
  std::vector<Tensor> kept_;
  std::vector<Graph> graphs_;
};

void write_graphs(WorkloadRun& run) {
  const CallScope at(run.writer, {"main", "serve_graphs.py", 160});
  GraphRunner runner(run);
  runner.load();
  runner.capture_all();
  run.repeat("batch", [&](std::uint64_t) { runner.answer(); });
  runner.stop();
}

}  // namespace

Workload graphs_workload() {
  return {"graphs", "inference captured in graphs that share a private pool, then replayed",
          graphs_options, write_graphs};
}

}  // namespace vramlab::traces
