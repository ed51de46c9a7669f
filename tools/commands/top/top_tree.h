// The tables of `vramlab top`: their columns, and a tree of stacks in them.
#pragma once

#include <cstdint>
#include <string>

#include "replay/holders/stack_tree.h"

namespace vramlab::tools {

/// The head of a table, whose last column has this name.
std::string top_heading(const std::string& name);
/// A row up to its last column.
std::string top_columns(const replay::GroupTotals& part, const replay::GroupTotals& all);
/// What a limit left out; empty where that is nothing.
std::string hidden_text(std::size_t count, const replay::GroupTotals& hidden);

/// The tree as rows, with the stacks that hold most, so many of them (0: all). Frames without
/// branches are written in one row, the outermost and the innermost of them.
std::string tree_text(const replay::StackTree& tree, std::uint64_t stack_limit);

}  // namespace vramlab::tools
