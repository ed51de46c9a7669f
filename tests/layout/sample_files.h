// What the tests of the layout's rules share: the tree, and files that are made up.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/layout/layout_rules.h"
#include "tests/support/processes/places.h"

namespace vramlab::tests {

/// Read once for all tests.
inline const std::vector<SourceFile>& tree() {
  static const std::vector<SourceFile> files = read_tree(support::source_dir());
  return files;
}

inline SourceFile file_including(std::string path, std::string target,
                                 IncludeForm form = IncludeForm::quoted) {
  return {std::move(path), 1, {{std::move(target), form}}};
}

}  // namespace vramlab::tests
