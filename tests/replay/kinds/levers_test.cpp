// Levers: estimates from the kinds of blocks.
#include "replay/kinds/levers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace vramlab::replay {
namespace {

constexpr std::uint64_t mib = 1 << 20;

/// Activations, each requested by the layer of its name.
class Activations {
 public:
  Activations() {
    kinds_.names = {"", "layers.0", "layers.1"};
    history_.traits.requests_frees = true;
  }
  void request(traces::KindNameIndex layer, Bytes bytes) {
    const std::uint64_t event = history_.events.size();
    notes_.marks.push_back({event, traces::Phase::forward, layer});
    allocator::AllocatorEvent request;
    request.action = allocator::Action::alloc;
    request.address = {(event + 1) << 30};
    request.size = bytes;
    history_.events.push_back(request);
    LiveBlock block;
    block.event = event;
    block.bytes = block.requested = bytes;
    blocks_.push_back(block);
  }
  std::vector<Lever> levers() {
    notes_.marks.push_back({history_.events.size(), traces::Phase::backward, 0});
    return find_levers(blocks_, find_block_kinds(history_, notes_, KindsFrom::notes), kinds_);
  }

 private:
  DeviceHistory history_;
  traces::DeviceKindsNotes notes_;
  RecordingKinds kinds_;
  std::vector<LiveBlock> blocks_;
};

TEST(Levers, checkpointing_keeps_the_result_of_each_layer) {
  Activations saved;
  for (const traces::KindNameIndex layer : {1U, 2U}) {
    saved.request(layer, {5 * mib});
    saved.request(layer, {2 * mib});
    saved.request(layer, {mib});
  }
  const std::vector<Lever> levers = saved.levers();
  const auto lever = std::ranges::find(levers, LeverFor::activations, &Lever::part);
  ASSERT_NE(lever, levers.end());
  EXPECT_EQ(lever->name, "activation checkpointing of layers.*");
  EXPECT_EQ(lever->saves_at_most, Bytes{14 * mib});
}

}  // namespace
}  // namespace vramlab::replay
