// Budget: the limits that a repository keeps in a file (`.vramlab.json`), for all comparisons or
// for those of certain files.
#pragma once

#include <string>
#include <vector>

#include "replay/compare/comparison.h"

namespace vramlab::replay {

/// The limits of the file at `path` that hold for a comparison with `new_file`. Throws InputError.
std::vector<AskedLimit> limits_of_budget(const std::string& path, const std::string& new_file);

/// Whether a name is as a pattern says, in which `*` stands for any letters but `/`, `**` for any,
/// and `?` for one.
bool matches_pattern(std::string_view name, std::string_view pattern);

}  // namespace vramlab::replay
