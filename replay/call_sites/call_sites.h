// Call sites: live blocks in groups: by the place in the program where they were allocated, by
// size, age, stream or pool; and by their whole stacks, as a tree. A group has a text that is the
// same in every file, so that groups of two files can be compared by it: no text depends on
// addresses or on the order of a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "replay/call_sites/memory_events.h"
#include "replay/kinds/block_kinds.h"
#include "traces/model/snapshot_tables.h"
#include "traces/model/user_frame.h"

namespace vramlab::replay {

enum class GroupBy : std::uint8_t {
  /// The innermost frame of the user's own code.
  site,
  /// All readable frames (user_frame.h).
  stack,
  /// The powers of two around the size.
  size,
  stream,
  pool,
  /// The time from the allocation to the moment.
  age,
  /// The name that the program gave the block.
  label,
  /// The kind of memory (replay/kinds), where the recording says it.
  kind,
  /// The path of the module, with `*` for its numbers.
  module,
  /// The parameter, with its state in an optimizer, or else the module.
  parameter,
};

/// Whether blocks are grouped by what they hold.
constexpr bool needs_kinds(GroupBy by) { return by >= GroupBy::kind; }

struct GroupTotals {
  /// As LiveBlock::bytes.
  Bytes bytes;
  Bytes requested;
  std::uint64_t blocks = 0;

  void add(const LiveBlock& block);
  void add(const GroupTotals& other);
  friend bool operator==(const GroupTotals&, const GroupTotals&) = default;
};

struct HeldGroup {
  std::string key;
  GroupTotals totals;
  /// The stack of the largest block.
  traces::StackId sample_stack;
};

/// The moment that ages are counted back from.
struct AgeReference {
  std::optional<std::uint64_t> event;
  std::optional<std::uint64_t> time_ns;
};

/// Facts beside the blocks of one device.
struct BlockFacts {
  AgeReference moment = {};
  /// Null where the recording has no kinds; then nothing is labelled.
  const RecordingKinds* kinds = nullptr;
  std::int64_t device = 0;
};

/// The groups, the most bytes first, equal ones by key.
std::vector<HeldGroup> group_blocks(const std::vector<LiveBlock>& blocks, GroupBy by,
                                    const traces::SnapshotTables& tables,
                                    const BlockFacts& facts = {});
/// The groups of several devices as one list.
std::vector<HeldGroup> joined(const std::vector<std::vector<HeldGroup>>& lists);

GroupTotals totals_of(const std::vector<LiveBlock>& blocks);

/// The names of call sites, such as `project/train.py:12 step`; each is looked up once.
class SiteNames {
 public:
  /// The tables must outlive it.
  explicit SiteNames(const traces::SnapshotTables& tables) : tables_(tables) {}

  /// The reference is valid as long as this object. A stack without frames has a name that says so.
  const std::string& of(traces::StackId stack);

 private:
  const traces::SnapshotTables& tables_;
  std::map<traces::StackId, std::string> names_;
};

/// The names of sites without a stack in the file: mostly of memory from before the recording.
inline constexpr const char* no_stack_name = "(no stack was recorded)";
inline constexpr const char* earlier_name = "(no stack: older than the recording)";

/// The readable frames as one text, innermost first, ` < ` between.
std::string stack_text(traces::StackId stack, const traces::SnapshotTables& tables);

struct StackTreeNode {
  /// The frame as frame_text() names it; empty for the root.
  std::string frame;
  /// All blocks whose stacks go through the frame.
  GroupTotals totals;
  /// Blocks whose innermost frame it is.
  GroupTotals own;
  /// The most bytes first, equal ones by frame.
  std::vector<std::size_t> children;
};

/// Blocks by their whole stacks, as a tree from the outermost frame inwards.
struct StackTree {
  /// The root, which is no frame, comes first, and parents come before children.
  std::vector<StackTreeNode> nodes;
};

StackTree stack_tree_of(const std::vector<LiveBlock>& blocks, const traces::SnapshotTables& tables,
                        traces::FrameChoice choice);

/// Folded stacks, from which flame graphs are drawn (flamegraph.pl): one sorted line for each
/// stack, outermost frame first: `frame;frame BYTES`. A `;` in a frame becomes `:`. `root` is put
/// before all of them, unless it is empty.
std::string folded_stacks(const StackTree& tree, const std::string& root);

}  // namespace vramlab::replay
