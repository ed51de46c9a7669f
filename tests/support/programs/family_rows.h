// Parameters of tests that run once for each family of random programs in each version.
#pragma once

#include <gtest/gtest.h>

#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/programs/random_programs.h"

namespace vramlab::tests {

struct FamilyRow {
  const allocator::ReferenceVersion* version;
  std::string_view family;
};

inline std::vector<FamilyRow> family_rows() {
  std::vector<FamilyRow> rows;
  for (const allocator::ReferenceVersion& version : allocator::reference_versions())
    for (const std::string_view family : random_families(version))
      rows.push_back({&version, family});
  return rows;
}

inline std::string name_of_row(const testing::TestParamInfo<FamilyRow>& row) {
  std::string name = std::string(row.param.family) + "_" + std::string(row.param.version->name);
  for (char& letter : name)
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '_';
  return name;
}

}  // namespace vramlab::tests
