// Serving a transformer: requests come and go, and all current ones get another token in each step.
// Each layer's keys and values of a request are one tensor, which is copied into a tensor that is a
// token longer. Prompts are read on a stream of their own.
#include <algorithm>
#include <array>
#include <vector>

#include "allocator/types/check.h"
#include "traces/workloads/workload_writer.h"

namespace vramlab::traces {
namespace {

constexpr std::array<WorkloadOption, 8> serving_options = {{
    {"layers", "layers of the model", 16, 1, 1'000},
    {"hidden", "hidden size", 4'096, 8, 32'768},
    {"heads", "attention heads", 32, 1, 1'024},
    {"kv-heads", "heads of keys and values", 8, 1, 1'024},
    {"batch", "most requests at a time", 16, 1, 4'096},
    {"context", "most tokens of a request", 4'096, 1, 131'072},
    {"answer", "longest answer, in tokens", 256, 1, 131'072},
    {"vocabulary", "words of the vocabulary", 32'000, 2, 1'048'576},
}};

constexpr StreamId prompt_stream{1};

constexpr CallSite serving_embedding_site{"embedding", "nn/functional.py", 45};
constexpr CallSite serving_norm_site{"rms_norm", "nn/functional.py", 216};
constexpr CallSite serving_linear_site{"linear", "nn/functional.py", 120};
constexpr CallSite serving_attention_site{"attention", "serve/model.py", 91};
constexpr CallSite cache_site{"append", "serve/kv_cache.py", 33};
constexpr CallSite gate_site{"silu_and_multiply", "nn/functional.py", 97};

struct Request {
  std::uint64_t tokens = 0;
  std::uint64_t answer_left = 0;
  /// By layer.
  std::vector<Tensor> caches;
};

class Server {
 public:
  explicit Server(WorkloadRun& run) : run_(run), writer_(run.writer) {}

  void load_weights() {
    const CallScope at(writer_, {"load_weights", "serve/model.py", 38});
    add_weight(run_.size_of("vocabulary"), hidden_);
    for (std::uint64_t layer = 0; layer < layers_; ++layer) {
      add_weight(1, hidden_);
      add_weight(hidden_, hidden_ + key_value_columns());
      add_weight(hidden_, hidden_);
      add_weight(1, hidden_);
      add_weight(hidden_, 2 * expanded_);
      add_weight(expanded_, hidden_);
    }
    add_weight(1, hidden_);
    add_weight(run_.size_of("vocabulary"), hidden_);
  }

  void step() {
    if (requests_.empty() || (requests_.size() < run_.size_of("batch") && run_.random.one_in(2)))
      admit();
    decode();
    finish_requests();
  }

  void stop() {
    for (Request& request : requests_) writer_.free_all(request.caches);
    writer_.free_all(weights_);
  }

 private:
  std::uint64_t key_value_columns() const {
    return std::max<std::uint64_t>(2 * hidden_ * run_.size_of("kv-heads") / run_.size_of("heads"),
                                   1);
  }

  void add_weight(std::uint64_t rows, std::uint64_t columns) {
    weights_.push_back(writer_.compute(half_bytes(rows, columns)));
  }

  /// Most prompts are short. They are read on their own stream; the other stream uses the caches
  /// that they leave from then on.
  void admit() {
    const CallScope at(writer_, {"admit", "serve/scheduler.py", 74});
    const std::uint64_t longest = std::max<std::uint64_t>(run_.size_of("context") / 2, 1);
    Request request;
    request.tokens = run_.random.between(1, run_.random.between(1, longest));
    request.answer_left = run_.random.between(1, run_.size_of("answer"));
    const Tensor hidden = writer_.elementwise(
        serving_embedding_site, half_bytes(request.tokens, hidden_), 1, prompt_stream);
    for (std::uint64_t layer = 0; layer < layers_; ++layer) {
      const Bytes cache = half_bytes(request.tokens, key_value_columns());
      request.caches.push_back(writer_.elementwise(cache_site, cache, 1, prompt_stream));
      writer_.free(attend(request.tokens, prompt_stream));
      run_mlp(request.tokens, prompt_stream);
    }
    writer_.free(hidden);
    writer_.wait_for(compute_stream, prompt_stream);
    for (const Tensor cache : request.caches) writer_.use(cache, compute_stream);
    requests_.push_back(std::move(request));
  }

  void decode() {
    const CallScope at(writer_, {"decode", "serve/scheduler.py", 103});
    const std::uint64_t rows = requests_.size();
    const Tensor hidden = writer_.compute(serving_embedding_site, half_bytes(rows, hidden_));
    for (std::uint64_t layer = 0; layer < layers_; ++layer) {
      append_to_caches(layer);
      writer_.free(attend(rows, compute_stream));
      run_mlp(rows, compute_stream);
    }
    writer_.free(hidden);
    sample();
  }

  void append_to_caches(std::uint64_t layer) {
    const CallScope at(writer_, cache_site);
    for (Request& request : requests_) {
      const Tensor longer = writer_.malloc(half_bytes(request.tokens + 1, key_value_columns()));
      writer_.work(memory_ns(longer.size * 2));
      writer_.free(request.caches[as_index(layer)]);
      request.caches[as_index(layer)] = longer;
    }
  }

  Tensor attend(std::uint64_t tokens, StreamId stream) {
    const Tensor normed =
        writer_.elementwise(serving_norm_site, half_bytes(tokens, hidden_), 1, stream);
    const Tensor projected = linear({tokens, hidden_, hidden_ + key_value_columns()}, stream);
    writer_.free(normed);
    const Tensor attended = writer_.compute(serving_attention_site, half_bytes(tokens, hidden_),
                                            matmul_ns({tokens, hidden_, tokens}), stream);
    writer_.free(projected);
    const Tensor output = linear({tokens, hidden_, hidden_}, stream);
    writer_.free(attended);
    return output;
  }

  void run_mlp(std::uint64_t tokens, StreamId stream) {
    const Tensor normed =
        writer_.elementwise(serving_norm_site, half_bytes(tokens, hidden_), 1, stream);
    const Tensor expanded = linear({tokens, hidden_, 2 * expanded_}, stream);
    writer_.free(normed);
    const Tensor gated = writer_.elementwise(gate_site, half_bytes(tokens, expanded_), 3, stream);
    writer_.free(expanded);
    writer_.free(linear({tokens, expanded_, hidden_}, stream));
    writer_.free(gated);
  }

  void sample() {
    const CallScope at(writer_, {"sample", "serve/sampler.py", 19});
    const std::uint64_t rows = requests_.size();
    const std::uint64_t entries = rows * run_.size_of("vocabulary");
    const Tensor logits = linear({rows, hidden_, run_.size_of("vocabulary")}, compute_stream);
    const Tensor exact = writer_.compute({entries * 4}, memory_ns({entries * 6}));
    writer_.free(logits);
    const Tensor probabilities = writer_.compute({entries * 4}, memory_ns({entries * 8}));
    writer_.free(exact);
    const Tensor drawn = writer_.compute({rows * 8}, memory_ns({entries * 4}));
    writer_.synchronize();
    writer_.free({probabilities, drawn});
  }

  void finish_requests() {
    const CallScope at(writer_, {"finish", "serve/scheduler.py", 131});
    for (Request& request : requests_) {
      ++request.tokens;
      --request.answer_left;
      if (request.answer_left == 0 || request.tokens >= run_.size_of("context"))
        writer_.free_all(request.caches);
    }
    std::erase_if(requests_, [](const Request& request) { return request.caches.empty(); });
  }

  Tensor linear(const MatmulShape& shape, StreamId stream) {
    return writer_.compute(serving_linear_site, half_bytes(shape.rows, shape.columns),
                           matmul_ns(shape), stream);
  }

  WorkloadRun& run_;
  WorkloadWriter& writer_;
  std::uint64_t hidden_ = run_.size_of("hidden");
  std::uint64_t layers_ = run_.size_of("layers");
  std::uint64_t expanded_ = hidden_ * 11 / 4;
  std::vector<Tensor> weights_;
  std::vector<Request> requests_;
};

void write_serving(WorkloadRun& run) {
  const CallScope at(run.writer, {"main", "serve.py", 212});
  Server server(run);
  server.load_weights();
  run.repeat("step", [&](std::uint64_t) { server.step(); });
  server.stop();
}

}  // namespace

Workload serving_workload() {
  return {"serving", "a transformer that answers requests, with growing key-value caches",
          serving_options, write_serving};
}

}  // namespace vramlab::traces
