#include "tools/commands/top/top_report.h"

#include <algorithm>

#include "tools/printers/table.h"
#include "tools/printers/text_lines.h"

namespace vramlab::tools {
namespace {

using replay::GroupTotals;
using replay::StackTree;

/// Which nodes lead to one of the stacks that hold most; and what the other stacks hold.
struct Selection {
  std::vector<bool> is_shown;
  std::size_t hidden_stacks = 0;
  GroupTotals hidden;
};

std::vector<std::size_t> ends_by_size(const StackTree& tree) {
  std::vector<std::size_t> ends;
  for (std::size_t i = 0; i < tree.nodes.size(); ++i)
    if (tree.nodes[i].own.blocks > 0) ends.push_back(i);
  std::ranges::stable_sort(ends, [&](std::size_t a, std::size_t b) {
    return tree.nodes[a].own.bytes > tree.nodes[b].own.bytes;
  });
  return ends;
}

Selection select(const StackTree& tree, std::uint64_t stack_limit) {
  Selection selection;
  selection.is_shown.assign(tree.nodes.size(), false);
  const std::vector<std::size_t> ends = ends_by_size(tree);
  for (std::size_t i = 0; i < ends.size(); ++i) {
    if (stack_limit == 0 || i < stack_limit) {
      selection.is_shown[ends[i]] = true;
      continue;
    }
    ++selection.hidden_stacks;
    selection.hidden.add(tree.nodes[ends[i]].own);
  }
  // Parents stand before their children, so one way back reaches all of them.
  for (std::size_t i = tree.nodes.size(); i-- > 0;)
    for (const std::size_t child : tree.nodes[i].children)
      if (selection.is_shown[child]) selection.is_shown[i] = true;
  return selection;
}

struct Row {
  std::size_t node = 0;
  std::size_t depth = 0;
};

/// The last frame before the stacks part or one of them ends.
std::size_t end_of_chain(const StackTree& tree, std::size_t at, std::size_t& skipped) {
  while (tree.nodes[at].own.blocks == 0 && tree.nodes[at].children.size() == 1) {
    at = tree.nodes[at].children.front();
    ++skipped;
  }
  return at;
}

std::string chain_text(const std::string& first, const std::string& last, std::size_t steps) {
  if (steps == 0) return shortened(first, top_name_width);
  const std::string between = steps == 1 ? " > " : " > (" + std::to_string(steps - 1) + " more) > ";
  return shortened(first, top_name_width / 2) + between + shortened(last, top_name_width / 2);
}

}  // namespace

Table top_table(const std::string& name) {
  return Table({{"bytes", 14}, {"share", 7}, {"blocks", 6}, left(name)});
}

std::vector<std::string> top_cells(const GroupTotals& part, const GroupTotals& all,
                                   const std::string& name) {
  const bool is_share = all.bytes.count > 0;
  return {format_bytes(part.bytes), is_share ? share_text(part.bytes.count, all.bytes.count) : "-",
          std::to_string(part.blocks), name};
}

std::string hidden_text(std::size_t count, const GroupTotals& hidden) {
  if (count == 0) return "";
  return "  and " + std::to_string(count) + " more, " + format_bytes(hidden.bytes) + " in " +
         std::to_string(hidden.blocks) + (hidden.blocks == 1 ? " block" : " blocks") +
         " (--limit 0 shows all)\n";
}

std::string tree_text(const StackTree& tree, std::uint64_t stack_limit) {
  const Selection selection = select(tree, stack_limit);
  Table table = top_table("stack, outermost frame first");
  std::vector<Row> open;
  const auto open_children = [&](std::size_t node, std::size_t depth) {
    const auto& children = tree.nodes[node].children;
    for (std::size_t i = children.size(); i-- > 0;)
      if (selection.is_shown[children[i]]) open.push_back({children[i], depth});
  };
  open_children(0, 0);
  while (!open.empty()) {
    const Row row = open.back();
    open.pop_back();
    std::size_t steps = 0;
    const std::size_t end = end_of_chain(tree, row.node, steps);
    table.add(top_cells(tree.nodes[row.node].totals, tree.nodes.front().totals,
                        std::string(2 * row.depth, ' ') +
                            chain_text(tree.nodes[row.node].frame, tree.nodes[end].frame, steps)));
    open_children(end, row.depth + 1);
  }
  return table.text() + hidden_text(selection.hidden_stacks, selection.hidden);
}

}  // namespace vramlab::tools
