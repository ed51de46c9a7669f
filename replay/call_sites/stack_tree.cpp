#include "replay/call_sites/stack_tree.h"

#include <algorithm>
#include <map>

namespace vramlab::replay {
namespace {

/// One stack's blocks, and whether they are from before the history.
using StackKey = std::pair<traces::StackId, bool>;

std::map<StackKey, GroupTotals> totals_by_stack(const std::vector<LiveBlock>& blocks) {
  std::map<StackKey, GroupTotals> stacks;
  for (const LiveBlock& block : blocks)
    // The age of a block with a stack is not asked for.
    stacks[{block.stack, block.stack == traces::StackId{} && !block.event}].add(block);
  return stacks;
}

/// Outermost first.
std::vector<std::string> path_of(const StackKey& key, const traces::SnapshotTables& tables,
                                 traces::FrameChoice choice) {
  std::vector<std::string> path;
  for (const traces::FrameId frame : frames_of(key.first, tables, choice))
    path.push_back(frame_text(frame, tables));
  if (path.empty()) path.emplace_back(key.second ? earlier_name : no_stack_name);
  std::ranges::reverse(path);
  return path;
}

std::string escaped(std::string frame) {
  for (char& letter : frame) {
    if (letter == ';') letter = ':';
    if (letter == '\n' || letter == '\r' || letter == '\0') letter = ' ';
  }
  return frame.empty() ? "(no name)" : frame;
}

}  // namespace

StackTree stack_tree_of(const std::vector<LiveBlock>& blocks, const traces::SnapshotTables& tables,
                        traces::FrameChoice choice) {
  StackTree tree;
  tree.nodes.emplace_back();
  std::map<std::pair<std::size_t, std::string>, std::size_t> known;
  for (const auto& [key, totals] : totals_by_stack(blocks)) {
    std::size_t at = 0;
    tree.nodes[at].totals.add(totals);
    for (const std::string& frame : path_of(key, tables, choice)) {
      const auto [child, is_new] = known.try_emplace({at, frame}, tree.nodes.size());
      if (is_new) {
        tree.nodes[at].children.push_back(child->second);
        tree.nodes.emplace_back().frame = frame;
      }
      at = child->second;
      tree.nodes[at].totals.add(totals);
    }
    tree.nodes[at].own.add(totals);
  }
  for (StackTreeNode& node : tree.nodes)
    std::ranges::sort(node.children, [&](std::size_t a, std::size_t b) {
      const StackTreeNode& left = tree.nodes[a];
      const StackTreeNode& right = tree.nodes[b];
      if (left.totals.bytes != right.totals.bytes) return left.totals.bytes > right.totals.bytes;
      return left.frame < right.frame;
    });
  return tree;
}

std::string folded_stacks(const StackTree& tree, const std::string& root) {
  std::vector<std::string> paths(tree.nodes.size());
  paths.front() = escaped(root);
  if (root.empty()) paths.front().clear();
  std::map<std::string, std::uint64_t> bytes;
  for (std::size_t at = 0; at < tree.nodes.size(); ++at) {
    const StackTreeNode& node = tree.nodes[at];
    for (const std::size_t child : node.children)
      paths[child] = (paths[at].empty() ? "" : paths[at] + ";") + escaped(tree.nodes[child].frame);
    if (node.own.blocks > 0) bytes[paths[at]] += node.own.bytes.count;
    // Its children have their own now.
    paths[at].clear();
    paths[at].shrink_to_fit();
  }
  std::string text;
  for (const auto& [path, count] : bytes) text += path + " " + std::to_string(count) + "\n";
  return text;
}

}  // namespace vramlab::replay
