#include "replay/kinds/levers.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "allocator/types/bytes_and_ids.h"

namespace vramlab::replay {
namespace {

using namespace allocator::literals;

constexpr std::uint64_t rank_count = 8;
/// bitsandbytes leaves states of fewer than 4,096 numbers as they are.
constexpr Bytes least_8_bit_state = 16_KiB;

/// Activations of a numbered module. The last one is its result, which the next module keeps as its
/// input.
struct LayerActivations {
  Bytes all;
  Bytes last;
  std::optional<std::uint64_t> last_event;
};

/// Layers by path.
using Layers = std::map<std::string, LayerActivations>;

/// The bytes at the moment.
struct HeldKinds {
  std::array<Bytes, traces::memory_kind_names.size()> by_kind;
  Bytes large_states;
  Bytes all;
  /// Activations of numbered modules: by the path with `*`, then by the path with the number.
  std::map<std::string, Layers> layers;

  Bytes of(MemoryKind kind) const { return by_kind[static_cast<std::size_t>(kind)]; }
};

/// A path up to its first number, which it includes; empty without one.
std::string layer_of(const std::string& path) {
  std::size_t begin = 0;
  while (begin < path.size()) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    if (folded_path(std::string_view(path).substr(begin, end - begin)) == "*")
      return path.substr(0, end);
    begin = end + 1;
  }
  return {};
}

void add_activation(const LiveBlock& block, LayerActivations& layer) {
  layer.all += block.bytes;
  if (layer.last_event && block.event < layer.last_event) return;
  layer.last_event = block.event;
  layer.last = block.bytes;
}

HeldKinds held_kinds(const std::vector<LiveBlock>& blocks, const BlockKinds& of_blocks,
                     const RecordingKinds& kinds) {
  HeldKinds held;
  for (const LiveBlock& block : blocks) {
    const BlockKind& kind = of_blocks.of(block);
    held.all += block.bytes;
    held.by_kind[static_cast<std::size_t>(kind.kind)] += block.bytes;
    if (kind.kind == MemoryKind::optimizer_state && block.requested >= least_8_bit_state)
      held.large_states += block.bytes;
    const std::string layer =
        kind.kind == MemoryKind::activations ? layer_of(kinds.names[kind.name]) : "";
    if (!layer.empty()) add_activation(block, held.layers[folded_path(layer)][layer]);
  }
  return held;
}

/// All that the layers saved, but for their inputs.
Lever checkpointing(const std::string& path, const Layers& layers) {
  Bytes saved;
  for (const auto& [layer, activations] : layers) saved += activations.all - activations.last;
  return {LeverFor::activations, "activation checkpointing of " + path, saved,
          "what " + std::to_string(layers.size()) +
              " layers keep for the backward, less their inputs: the last block of each"};
}

Bytes share_of_others(Bytes bytes) { return {bytes.count / rank_count * (rank_count - 1)}; }

std::vector<Lever> sharding(const HeldKinds& held) {
  const Bytes states = held.of(MemoryKind::optimizer_state);
  const Bytes gradients = held.of(MemoryKind::gradients);
  const Bytes parameters = held.of(MemoryKind::parameters);
  const std::string over = " over " + std::to_string(rank_count) + " ranks";
  const std::string left = ", of which each rank keeps 1/" + std::to_string(rank_count);
  return {
      {LeverFor::shards, "ZeRO-1" + over, share_of_others(states), "optimizer states" + left},
      {LeverFor::shards, "ZeRO-2" + over, share_of_others(states + gradients),
       "optimizer states and gradients" + left},
      {LeverFor::shards, "ZeRO-3 or FSDP" + over, share_of_others(states + gradients + parameters),
       "optimizer states, gradients and parameters" + left}};
}

}  // namespace

std::vector<Lever> find_levers(const std::vector<LiveBlock>& blocks, const BlockKinds& of_blocks,
                               const RecordingKinds& kinds) {
  const HeldKinds held = held_kinds(blocks, of_blocks, kinds);
  std::vector<Lever> levers = sharding(held);
  for (const auto& [path, layers] : held.layers) levers.push_back(checkpointing(path, layers));
  levers.push_back({LeverFor::states,
                    "8-bit optimizer states",
                    {held.large_states.count / 4 * 3},
                    "three quarters of states of 4,096 numbers and more, if they have 32 bits"});
  levers.push_back({LeverFor::states,
                    "16-bit optimizer states",
                    {held.of(MemoryKind::optimizer_state).count / 2},
                    "half of the states, if they have 32 bits"});
  std::erase_if(levers, [&](const Lever& lever) {
    return lever.saves_at_most == Bytes{} || 100 * lever.saves_at_most.count < held.all.count;
  });
  std::ranges::stable_sort(levers, std::greater<>(), &Lever::saves_at_most);
  return levers;
}

}  // namespace vramlab::replay
