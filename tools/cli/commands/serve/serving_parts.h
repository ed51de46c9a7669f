// ServingParts: an engine's memory by its parts, from PyTorch's history between the marks at the
// engine's functions. A figure whose marks are not there is unknown; no other one takes its place.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "replay/recording/recording.h"
#include "tools/cli/commands/serve/serving_notes.h"

namespace vramlab::tools {

/// Graphs that were captured one after another for one size.
struct GraphSize {
  /// Such as `full 512`; empty if nobody knows.
  std::string label;
  std::uint64_t graphs = 0;
  /// By how much they made their pools grow.
  Bytes bytes;
};

struct ServingParts {
  std::int64_t device = 0;
  /// Held by the model once it is loaded.
  std::optional<Bytes> weights;
  /// The most that the profiling run held beside all that it left behind.
  std::optional<Bytes> activations;
  /// Pools of graphs once all of them were captured, by what the device gave for them.
  std::optional<Bytes> graphs;
  /// Memory beside the pools that capturing left, above the least that there was meanwhile.
  std::optional<Bytes> beside_graphs;
  std::vector<GraphSize> sizes;
  /// Memory of the device, which may be less than PyTorch counts for it: see `unbacked`.
  std::optional<Bytes> cache;
  /// The part of it that was asked for: a block may be larger.
  std::optional<Bytes> requested_cache;
  /// Addresses that PyTorch counts as reserved for the cache, and behind which is no memory.
  Bytes unbacked;
  /// All else that is allocated when the engine is ready.
  std::optional<Bytes> buffers;
  /// In use, but not by PyTorch's allocator, when the engine is ready.
  std::optional<Bytes> outside;
  /// The most that steps of the engine held beside all that there was before the first one.
  std::optional<Bytes> activations_in_steps;
  /// The most that PyTorch had reserved once the cache was there, to the end of the history.
  std::optional<Bytes> peak_with_cache;
  /// Never in use on the device from then on.
  std::optional<Bytes> left;
  /// The cache that there would be room for beside all other parts.
  std::optional<Bytes> possible_cache;
  /// Sentences about reasons to doubt the figures.
  std::vector<std::string> doubts;

  /// Whole blocks of the engine in so much memory, in tokens; empty if the engine does not say its
  /// blocks.
  static std::optional<std::uint64_t> tokens_in(Bytes bytes, const EngineFigures& says);
};

/// `memory`: the device's, with all that is outside of PyTorch. Throws InputError.
ServingParts find_serving_parts(const ServingNotes& notes, replay::Recording& recording,
                                std::optional<Bytes> memory);

}  // namespace vramlab::tools
