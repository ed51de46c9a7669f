// The first difference of two snapshots.
#pragma once

#include <optional>
#include <string>

#include "allocator/words/snapshot.h"

namespace vramlab::replay {

struct SnapshotDifference {
  /// Such as `[2].blocks[5]`, to stand after the snapshot's own name.
  std::string where;
  std::string expected;
  std::string actual;
  Address address;
};

std::optional<SnapshotDifference> find_difference(const Snapshot& expected, const Snapshot& actual);

}  // namespace vramlab::replay
