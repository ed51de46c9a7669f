// Kinds of blocks, from notes of phases and storages and from how long the blocks live.
#include "replay/kinds/block_kinds.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/recordings/written_run.h"

namespace vramlab::replay {
namespace {

using tests::storage;
using tests::WrittenRun;
using traces::Phase;

TEST(BlockKinds, what_outlives_a_forward_with_gradients_is_an_activation) {
  WrittenRun run;
  run.begin(Phase::forward, 1);
  const std::size_t saved = run.request(1);
  run.begin(Phase::forward, 2);
  const std::size_t passing = run.request(2);
  run.begin(Phase::forward, 1);
  run.free(2);
  run.begin(Phase::other);
  const std::size_t loss = run.request(3);
  run.begin(Phase::backward);
  const std::size_t gradient = run.request(4);
  run.free(1);
  EXPECT_EQ(run.kind(saved), MemoryKind::activations);
  EXPECT_EQ(run.kind(passing), MemoryKind::temporary);
  EXPECT_EQ(run.kind(loss), MemoryKind::activations);
  EXPECT_EQ(run.kind(gradient), MemoryKind::activation_gradients);
  LiveBlock block;
  block.event = passing;
  EXPECT_EQ(run.found().of(block).name, 2U);
}

TEST(BlockKinds, what_outlives_a_forward_without_gradients_is_an_output) {
  WrittenRun run;
  run.begin(Phase::inference);
  const std::size_t cache = run.request(1);
  run.begin(Phase::other);
  const std::size_t later = run.request(2);
  run.begin(Phase::inference);
  EXPECT_EQ(run.kind(cache), MemoryKind::outputs);
  EXPECT_EQ(run.kind(later), MemoryKind::not_labelled);
}

TEST(BlockKinds, what_a_backward_frees_of_code_without_modules_is_an_activation) {
  WrittenRun run;
  const std::size_t saved = run.request(1);
  const std::size_t kept = run.request(2);
  run.begin(Phase::backward);
  run.begin(Phase::recomputed, 1);
  run.begin(Phase::backward);
  run.free(1);
  run.begin(Phase::other);
  run.free(2);
  EXPECT_EQ(run.kind(saved), MemoryKind::activations);
  EXPECT_EQ(run.kind(kept), MemoryKind::not_labelled);
}

TEST(BlockKinds, memory_of_private_pools_that_nothing_else_names_is_that_of_graphs) {
  WrittenRun run;
  const std::size_t kept = run.request_in({1}, 1);
  const std::size_t other = run.request(2);
  run.begin(Phase::step);
  EXPECT_EQ(run.kind(kept), MemoryKind::graph_pools);
  EXPECT_EQ(run.kind(other), MemoryKind::not_labelled);
}

TEST(BlockKinds, parameters_that_compiled_code_gets_as_inputs_stay_parameters) {
  WrittenRun run;
  const std::size_t weight = run.request(1);
  run.scan({storage(1, MemoryKind::parameters, 1)});
  run.scan({storage(1, MemoryKind::inputs)});
  EXPECT_EQ(run.kind(weight), MemoryKind::parameters);
}

TEST(BlockKinds, what_a_backward_computes_again_is_an_activation) {
  WrittenRun run;
  run.begin(Phase::backward);
  run.begin(Phase::recomputed, 1);
  const std::size_t again = run.request(1);
  const std::size_t passing = run.request(2);
  run.free(2);
  run.begin(Phase::backward);
  run.free(1);
  EXPECT_EQ(run.kind(again), MemoryKind::activations);
  EXPECT_EQ(run.kind(passing), MemoryKind::temporary);
}

TEST(BlockKinds, listed_storages_have_their_kind_from_their_request_on) {
  WrittenRun run;
  const std::size_t weight = run.request(1);
  run.begin(Phase::backward);
  const std::size_t gradient = run.request(2);
  const std::size_t other = run.request(3);
  run.scan({storage(1, MemoryKind::parameters, 1), storage(2, MemoryKind::gradients, 1)});
  run.begin(Phase::step);
  const std::size_t state = run.request(4);
  const std::size_t passing = run.request(5);
  run.free(5);
  run.scan({storage(4, MemoryKind::optimizer_state, 1)});
  EXPECT_EQ(run.kind(weight), MemoryKind::parameters);
  EXPECT_EQ(run.kind(gradient), MemoryKind::gradients);
  EXPECT_EQ(run.kind(other), MemoryKind::activation_gradients);
  EXPECT_EQ(run.kind(state), MemoryKind::optimizer_state);
  EXPECT_EQ(run.kind(passing), MemoryKind::temporary);
}

TEST(BlockKinds, an_address_names_the_block_that_held_it_then) {
  WrittenRun run;
  const std::size_t before = run.request(1);
  run.free(1);
  const std::size_t listed = run.request(1);
  run.scan({storage(1, MemoryKind::parameters)});
  run.free(1);
  const std::size_t after = run.request(1);
  EXPECT_EQ(run.kind(before), MemoryKind::temporary);
  EXPECT_EQ(run.kind(listed), MemoryKind::parameters);
  EXPECT_EQ(run.kind(after), MemoryKind::not_labelled);
}

TEST(BlockKinds, the_output_of_a_forward_stays_so_as_input_of_another) {
  WrittenRun run;
  run.begin(Phase::forward);
  const std::size_t made = run.request(1);
  run.begin(Phase::other);
  const std::size_t batch = run.request(2);
  run.scan({storage(1, MemoryKind::inputs), storage(2, MemoryKind::inputs)});
  run.begin(Phase::forward);
  EXPECT_EQ(run.kind(made), MemoryKind::activations);
  EXPECT_EQ(run.kind(batch), MemoryKind::inputs);
}

TEST(BlockKinds, a_failure_finds_the_activations_of_an_open_forward) {
  WrittenRun run;
  run.begin(Phase::forward);
  const std::size_t held = run.request(1);
  run.fail();
  run.free(1);
  run.begin(Phase::other);
  EXPECT_EQ(run.kind(held), MemoryKind::activations);
}

TEST(BlockKinds, temporaries_of_a_step_are_those_that_fail_in_it) {
  WrittenRun run;
  run.begin(Phase::step);
  const std::size_t held = run.request(1);
  run.fail();
  run.free(1);
  EXPECT_EQ(run.kind(held), MemoryKind::temporary);
}

TEST(BlockKinds, blocks_from_before_the_history_are_known_by_their_address) {
  WrittenRun run;
  run.scan({storage(7, MemoryKind::parameters, 3)});
  run.request(1);
  const BlockKinds kinds = run.found();
  LiveBlock earlier;
  earlier.key = 7;
  EXPECT_EQ(kinds.of(earlier), (BlockKind{MemoryKind::parameters, 3, 0}));
  EXPECT_EQ(kinds.unknown_storages, 0U);
}

TEST(BlockKinds, storages_that_no_block_can_hold_are_counted) {
  WrittenRun run;
  run.request(1, 1024);
  run.scan({storage(1, MemoryKind::parameters)});
  run.free(1);
  run.scan({storage(1, MemoryKind::parameters)});
  const BlockKinds kinds = run.found();
  EXPECT_EQ(kinds.other_sizes, 1U);
  EXPECT_EQ(kinds.unknown_storages, 1U);
}

TEST(BlockKinds, a_guess_takes_what_outlives_a_phase_for_its_product) {
  WrittenRun run;
  run.begin(Phase::setup);
  const std::size_t weight = run.request(1);
  run.begin(Phase::forward);
  run.request(2);
  run.begin(Phase::backward);
  const std::size_t gradient = run.request(3);
  const std::size_t passing = run.request(4);
  run.free(4);
  run.begin(Phase::step);
  const std::size_t state = run.request(5);
  const std::size_t temporary = run.request(6);
  run.free(6);
  run.begin(Phase::other);
  const BlockKinds kinds = run.found(KindsFrom::stacks);
  EXPECT_EQ(WrittenRun::kind_in(kinds, weight), MemoryKind::parameters);
  EXPECT_EQ(WrittenRun::kind_in(kinds, gradient), MemoryKind::gradients);
  EXPECT_EQ(WrittenRun::kind_in(kinds, passing), MemoryKind::activation_gradients);
  EXPECT_EQ(WrittenRun::kind_in(kinds, state), MemoryKind::optimizer_state);
  EXPECT_EQ(WrittenRun::kind_in(kinds, temporary), MemoryKind::temporary);
}

TEST(FoldedPath, numbers_are_stars) {
  EXPECT_EQ(folded_path("layers.3.mlp.10"), "layers.*.mlp.*");
  EXPECT_EQ(folded_path("conv2.weight"), "conv2.weight");
  EXPECT_EQ(folded_path(""), "");
}

}  // namespace
}  // namespace vramlab::replay
