#include "tests/support/fuzz/snapshot_pickle_fuzz_body.h"

#include "tests/support/fuzz/snapshot_listing.h"

namespace vramlab::support {

std::optional<std::string> broken_rule_of_snapshot_pickle(const std::string& bytes) {
  const SnapshotReading whole = read_pickle_bytes(bytes);
  constexpr std::size_t few_bytes = 3;
  const SnapshotReading dribbled = read_pickle_bytes(bytes, few_bytes);
  if (whole.error != dribbled.error || whole.lines != dribbled.lines)
    return "the answer depends on how the bytes arrive";
  return std::nullopt;
}

}  // namespace vramlab::support
