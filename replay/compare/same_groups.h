// Which groups of two files are one, although their texts differ: the same program lay in another
// folder, or one run had PyTorch's libraries without their symbols.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "replay/call_sites/call_sites.h"

namespace vramlab::replay {

/// The name that a group goes by in both files, by its key. Groups that are not here keep theirs.
struct GroupNames {
  std::map<std::string, std::string> base;
  std::map<std::string, std::string> now;
};

/// A call site in a file of that name in another folder is the same one if nothing else in either
/// file could be meant. A stack of C++ is the same one if it differs only by frames that the other
/// file could not name.
GroupNames same_groups(const std::vector<HeldGroup>& base, const std::vector<HeldGroup>& now);

}  // namespace vramlab::replay
