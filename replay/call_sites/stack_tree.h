// StackTree: blocks by their whole stacks, as a tree from the outermost frame inwards; and the same
// as folded stacks, which flame graphs are drawn from.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "replay/call_sites/call_sites.h"
#include "traces/model/user_frame.h"

namespace vramlab::replay {

struct StackTreeNode {
  /// As frame_text() names it; the root's is empty.
  std::string frame;
  /// All blocks whose stacks go through it.
  GroupTotals totals;
  /// Blocks whose stacks end here: it is their innermost frame.
  GroupTotals own;
  /// The most bytes first, equal ones by frame.
  std::vector<std::size_t> children;
};

struct StackTree {
  /// The root first, which is no frame; parents before children.
  std::vector<StackTreeNode> nodes;
};

StackTree stack_tree_of(const std::vector<LiveBlock>& blocks, const traces::SnapshotTables& tables,
                        traces::FrameChoice choice);

/// A line a stack, outermost frame first, as flamegraph.pl reads them: `frame;frame BYTES`, sorted,
/// each with its line end. A `;` in a frame becomes `:`. `root` is put before all of them, unless
/// it is empty.
std::string folded_stacks(const StackTree& tree, const std::string& root);

}  // namespace vramlab::replay
