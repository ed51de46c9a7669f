// The kinds of memory, and the phases of a program, by the names that they have everywhere: in
// recordings, tables, metrics and JSON (docs/guide/kinds.md).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace vramlab::traces {

enum class MemoryKind : std::uint8_t {
  parameters,
  buffers,
  gradients,
  optimizer_state,
  inputs,
  /// Blocks that a forward with gradients leaves for the backward.
  activations,
  activation_gradients,
  /// Blocks that a forward without gradients leaves, such as caches of generation.
  outputs,
  workspaces,
  communication,
  graph_pools,
  temporary,
  not_labelled,
};

inline constexpr std::array<std::string_view, 13> memory_kind_names = {
    "parameters",           "buffers",     "gradients",
    "optimizer_state",      "inputs",      "activations",
    "activation_gradients", "outputs",     "workspaces",
    "communication",        "graph_pools", "temporary",
    "not_labelled"};

constexpr std::string_view name_of(MemoryKind kind) {
  return memory_kind_names[static_cast<std::size_t>(kind)];
}

enum class Phase : std::uint8_t {
  /// Outside of all others.
  other,
  forward,
  /// A forward without gradients.
  inference,
  /// A forward that a backward runs again.
  recomputed,
  backward,
  step,
  /// A model is made, or moved to the GPU.
  setup,
};

inline constexpr std::array<std::string_view, 7> phase_names = {
    "other", "forward", "inference", "recomputed", "backward", "step", "setup"};

}  // namespace vramlab::traces
