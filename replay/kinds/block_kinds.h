// BlockKinds: what each block of a device's history holds. The notes of the run say where phases
// and calls of modules begin, and which storages were known at some places; the history says how
// long each block lived. Both together name blocks, each from its request on:
//
// * a storage that was listed is of the listed kind, but a block of a forward stays the forward's
//   where it is listed as an input of another, as is a parameter;
// * a request in a forward is an activation if its block outlives the outermost call, or lives when
//   a request fails in it; otherwise it is temporary. Without gradients it is an output. In between
//   a forward and its backward it is an activation if it lives until the backward begins, and
//   outside of modules if the next backward frees it;
// * a request in a backward is a gradient of activations;
// * a block that does not outlive the step, or the stretch between phases, that it was requested
//   in, is temporary;
// * a request while a model is made or moved is a parameter if its block outlives that.
//
// Blocks in private pools that no rule names are memory of graphs; all others are not labelled.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "replay/recording/live_blocks.h"
#include "replay/recording/recording.h"
#include "traces/model/kinds_notes.h"

namespace vramlab::replay {

using traces::KindNameIndex;
using traces::MemoryKind;

struct BlockKind {
  MemoryKind kind = MemoryKind::not_labelled;
  /// The module's path, or the name of the parameter, buffer or input.
  KindNameIndex name = 0;
  /// The key of an optimizer's state.
  KindNameIndex part = 0;
  friend bool operator==(const BlockKind&, const BlockKind&) = default;
};

class BlockKinds {
 public:
  /// `block`: of this device's history, in use at any time.
  const BlockKind& of(const LiveBlock& block) const;

  /// The ends of the optimizer's steps: how many events were before each. Several steps without a
  /// backward in between, as of two optimizers, are one.
  std::vector<std::uint64_t> step_ends;
  /// Storages that were listed, and no block held their addresses; and those whose block has
  /// another size.
  std::uint64_t unknown_storages = 0;
  std::uint64_t other_sizes = 0;

 private:
  friend class KindFinder;
  /// By the event of the request.
  std::vector<BlockKind> by_event_;
  /// Blocks from before the first event, by address.
  std::map<std::uint64_t, BlockKind> earlier_;
  BlockKind nothing_;
};

/// The source of marks: notes of the run, or a guess from call stacks, which has no scans. Then
/// blocks that outlive a step count as states, and those that outlive a backward as gradients.
enum class KindsFrom : std::uint8_t { notes, stacks };

/// The notes have places among events.
BlockKinds find_block_kinds(const DeviceHistory& history, const traces::DeviceKindsNotes& notes,
                            KindsFrom from);

/// The kinds in a recording.
struct RecordingKinds {
  std::vector<std::string> names;
  /// By the number of the device.
  std::map<std::int64_t, BlockKinds> devices;
  /// Sentences: what is not sure about them.
  std::vector<std::string> doubts;

  /// Null for a device without notes.
  const BlockKinds* of_device(std::int64_t device) const;
};

/// Null where the recording has no notes of kinds and nobody asked for a guess. Throws InputError
/// if they are no such notes.
std::unique_ptr<RecordingKinds> find_kinds(const Recording& recording,
                                           KindsFrom otherwise = KindsFrom::notes);

/// The path of the module that a block belongs to: of its request, or of its parameter.
std::string module_of(const BlockKind& kind, const RecordingKinds& kinds);
/// A path with `*` for each number in it: `layers.3.mlp` is `layers.*.mlp`.
std::string folded_path(std::string_view path);
/// Such as `exp_avg of layers.3.mlp.weight`; empty for a block without a name.
std::string full_name(const BlockKind& kind, const RecordingKinds& kinds);

/// The kind in words, such as `optimizer state`.
std::string shown_name_of(MemoryKind kind);
/// The folded path of the module and the kind, such as `layers.*.mlp, activations`.
std::string module_key(const BlockKind& kind, const RecordingKinds& kinds);
/// The same as a phrase, such as `activations of layers.*.mlp`.
std::string module_text(const BlockKind& kind, const RecordingKinds& kinds);
/// A module's key as such a phrase.
std::string text_of_module_key(const std::string& key);
/// The full name and the kind.
std::string parameter_key(const BlockKind& kind, const RecordingKinds& kinds);

}  // namespace vramlab::replay
