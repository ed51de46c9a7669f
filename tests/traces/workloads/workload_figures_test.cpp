// The figures of each workload, recomputed by hand from its sizes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "tests/support/kit/generated.h"
#include "tests/support/recordings/program_rules.h"

namespace vramlab::traces {
namespace {

using support::GeneratedEvents;
using support::ProgramRules;
using support::small_workload;

struct Model {
  std::uint64_t layers;
  std::uint64_t hidden;
  std::uint64_t heads;
  std::uint64_t sequence;
  std::uint64_t batch;
  std::uint64_t vocabulary;
};

WorkloadRequest training_of(const Model& model) {
  WorkloadRequest request = small_workload("training");
  request.event_count = 2'000;
  request.sizes = {{"layers", model.layers}, {"hidden", model.hidden},
                   {"heads", model.heads},   {"sequence", model.sequence},
                   {"batch", model.batch},   {"vocabulary", model.vocabulary},
                   {"shortest", 100}};
  return request;
}

/// The same figures from the sizes alone, as docs/guide/recordings.md gives them.
struct TrainingFigures {
  explicit TrainingFigures(const Model& m)
      : tokens(m.batch * m.sequence),
        token_row(tokens * m.hidden),
        parameters(m.vocabulary * m.hidden + m.sequence * m.hidden +
                   m.layers * (12 * m.hidden * m.hidden + 13 * m.hidden) + 2 * m.hidden),
        parameter_count(12 * m.layers + 4),
        saved_by_layers(m.layers * (32 * token_row + 16 * tokens + 4 * tokens * m.heads)),
        scores(tokens * m.vocabulary),
        model(m) {}

  std::uint64_t peak_at_loss() const {
    return 14 * parameters + 16 * tokens + saved_by_layers + 4 * token_row + 8 * tokens +
           8 * scores + 8;
  }
  std::uint64_t peak_in_optimizer() const { return 24 * parameters + 16 * tokens + 4; }
  std::uint64_t total_of_a_step() const {
    const std::uint64_t layers =
        model.layers * (76 * token_row + 16 * tokens + 8 * tokens * model.heads);
    const std::uint64_t head = 6 * token_row + 8 * tokens + 16 * scores + 8;
    const std::uint64_t embeddings =
        4 * token_row + 2 * model.sequence * model.hidden + 2 * model.vocabulary * model.hidden;
    const std::uint64_t gradients_and_buckets = 4 * parameters;
    const std::uint64_t optimizer = 8 * parameters + 8 * parameter_count + 4;
    return 16 * tokens + embeddings + layers + head + gradients_and_buckets + optimizer;
  }
  std::uint64_t weights_and_states() const { return 14 * parameters; }

  std::uint64_t tokens;
  std::uint64_t token_row;
  std::uint64_t parameters;
  std::uint64_t parameter_count;
  std::uint64_t saved_by_layers;
  std::uint64_t scores;
  Model model;
};

TEST(TrainingWorkload, has_the_peak_of_its_loss_where_the_vocabulary_is_large) {
  const Model model = {2, 64, 4, 64, 4, 2048};
  const TrainingFigures figures(model);
  ASSERT_GT(figures.peak_at_loss(), figures.peak_in_optimizer());
  SnapshotTables tables;
  ProgramRules rules(tables);
  generate_workload(training_of(model), tables, rules);
  EXPECT_EQ(rules.peak_bytes(), figures.peak_at_loss());
}

TEST(TrainingWorkload, has_the_peak_of_its_optimizer_where_there_are_few_tokens) {
  const Model model = {3, 128, 4, 8, 1, 100};
  const TrainingFigures figures(model);
  ASSERT_GT(figures.peak_in_optimizer(), figures.peak_at_loss());
  SnapshotTables tables;
  ProgramRules rules(tables);
  generate_workload(training_of(model), tables, rules);
  EXPECT_EQ(rules.peak_bytes(), figures.peak_in_optimizer());
}

TEST(TrainingWorkload, asks_for_as_much_as_its_sizes_say) {
  for (const Model& model : {Model{2, 64, 4, 64, 4, 2048}, Model{3, 128, 4, 8, 1, 100}}) {
    const TrainingFigures figures(model);
    SnapshotTables tables;
    ProgramRules rules(tables);
    generate_workload(training_of(model), tables, rules);
    const std::uint64_t steps = rules.count(ProgramEventKind::range_begin);
    ASSERT_GT(steps, 1U);
    EXPECT_EQ(rules.requested_bytes(),
              figures.weights_and_states() + steps * figures.total_of_a_step());
  }
}

TEST(TrainingWorkload, recomputing_saves_activations_and_costs_work) {
  WorkloadRequest request = training_of({8, 64, 4, 256, 4, 100});
  const auto figures_of = [&] {
    SnapshotTables tables;
    ProgramRules rules(tables);
    generate_workload(request, tables, rules);
    return std::pair(rules.peak_bytes(), rules.count(ProgramEventKind::work) /
                                             rules.count(ProgramEventKind::range_begin));
  };
  const auto plain = figures_of();
  request.sizes["recompute"] = 1;
  const auto recomputed = figures_of();
  EXPECT_LT(recomputed.first, plain.first / 2);
  EXPECT_GT(recomputed.second, plain.second);
}

TEST(TrainingWorkload, sends_each_gradient_once_a_step_on_the_second_stream) {
  const Model model = {2, 64, 4, 64, 4, 2048};
  const GeneratedEvents generated(training_of(model));
  const std::uint64_t steps = static_cast<std::uint64_t>(
      std::count_if(generated.events.begin(), generated.events.end(),
                    [](const auto& event) { return event.kind == ProgramEventKind::range_begin; }));
  std::uint64_t uses = 0;
  for (const ProgramEvent& event : generated.events) {
    if (event.kind != ProgramEventKind::use) continue;
    EXPECT_EQ(event.stream, allocator::StreamId{1});
    ++uses;
  }
  const std::uint64_t buckets = generated.mallocs_below("parallel/buckets.py").size();
  EXPECT_EQ(uses, buckets + steps * TrainingFigures(model).parameter_count);
}

TEST(TrainingWorkload, draws_the_length_of_its_sequences) {
  WorkloadRequest request = small_workload("training");
  request.event_count = 100'000;
  std::set<std::uint64_t> sizes;
  for (const ProgramEvent& event : GeneratedEvents(request).mallocs_below("data/loader.py"))
    sizes.insert(event.bytes.count);
  EXPECT_GT(sizes.size(), 5U);
  EXPECT_LE(*sizes.rbegin(), 2048U * 4 * 8);
  EXPECT_GE(*sizes.begin(), 1024U * 4 * 8);
}

TEST(LeakWorkload, keeps_what_it_says) {
  for (const std::uint64_t every : {1U, 3U}) {
    WorkloadRequest request = small_workload("leak");
    request.sizes = {{"leak", 100}, {"every", every}};
    SnapshotTables tables;
    ProgramRules rules(tables);
    generate_workload(request, tables, rules);
    const std::uint64_t steps = rules.count(ProgramEventKind::range_begin);
    ASSERT_GT(steps, 6U);
    EXPECT_EQ(rules.live_bytes(), steps / every * (100U << 10));
  }
}

/// The mallocs below the cache's file: one in each step and layer, apart from those of prompts.
TEST(ServingWorkload, caches_grow_by_a_token_at_a_time) {
  WorkloadRequest request = small_workload("serving");
  request.sizes = {{"layers", 1}, {"batch", 1}, {"hidden", 64}, {"heads", 4}, {"kv-heads", 2}};
  constexpr std::uint64_t bytes_of_a_token = 2 * 2 * 64 * 2 / 4;
  std::uint64_t last = 0;
  std::uint64_t grown = 0;
  for (const ProgramEvent& event : GeneratedEvents(request).mallocs_below("serve/kv_cache.py")) {
    EXPECT_EQ(event.bytes.count % bytes_of_a_token, 0U);
    if (event.stream == allocator::StreamId{}) {
      EXPECT_EQ(event.bytes.count, last + bytes_of_a_token);
      ++grown;
    }
    last = event.bytes.count;
  }
  EXPECT_GT(grown, 100U);
}

TEST(ServingWorkload, requests_come_and_go) {
  WorkloadRequest request = small_workload("serving");
  request.sizes = {{"layers", 1}, {"answer", 20}};
  std::uint64_t prompts = 0;
  for (const ProgramEvent& event : GeneratedEvents(request).mallocs_below("serve/kv_cache.py"))
    prompts += event.stream == allocator::StreamId{1} ? 1 : 0;
  EXPECT_GT(prompts, 32U);
}

TEST(ExpertsWorkload, shares_all_tokens_out_and_never_alike) {
  WorkloadRequest request = small_workload("experts");
  request.sizes = {{"layers", 1}, {"hidden", 64}, {"experts", 8}, {"sequence", 128}, {"batch", 2}};
  constexpr std::uint64_t sent_tokens = 128 * 2 * 2;
  std::map<std::uint64_t, std::uint64_t> count_of_size;
  std::uint64_t bytes = 0;
  for (const ProgramEvent& event : GeneratedEvents(request).mallocs_below("model/expert.py")) {
    bytes += event.bytes.count;
    ++count_of_size[event.bytes.count];
  }
  // Each token needs 4 times the hidden size twice and the hidden size once, 2 bytes each.
  constexpr std::uint64_t bytes_of_a_step = sent_tokens * 64 * 2 * (4 + 4 + 1);
  EXPECT_EQ(bytes % bytes_of_a_step, 0U);
  EXPECT_GT(count_of_size.size(), 100U);
}

TEST(DiffusionWorkload, the_decoder_has_the_largest_tensor_of_a_picture) {
  WorkloadRequest request = small_workload("diffusion");
  request.sizes = {{"resolution", 512}, {"channels", 64}, {"steps", 2}};
  std::uint64_t largest_latent = 0;
  std::uint64_t largest = 0;
  const GeneratedEvents generated(request);
  for (const ProgramEvent& event : generated.mallocs_below("diffusion/scheduler.py"))
    largest_latent = std::max(largest_latent, event.bytes.count);
  for (const ProgramEvent& event : generated.mallocs_below("diffusion/vae.py"))
    largest = std::max(largest, event.bytes.count);
  // 8 x 8 pixels for each of the latent picture, 256 channels instead of 4.
  EXPECT_EQ(largest, largest_latent * 8 * 8 * 256 / 4);
}

TEST(GraphsWorkload, captures_several_batch_sizes_into_one_pool) {
  WorkloadRequest request = small_workload("graphs");
  request.sizes = {{"graphs", 3}};
  SnapshotTables tables;
  ProgramRules rules(tables);
  generate_workload(request, tables, rules);
  EXPECT_EQ(rules.count(ProgramEventKind::capture_begin), 3U);
  EXPECT_EQ(rules.count(ProgramEventKind::pool_begin), 3U);
  EXPECT_EQ(rules.count(ProgramEventKind::pool_release), 3U);
}

}  // namespace
}  // namespace vramlab::traces
