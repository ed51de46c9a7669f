#include "tests/support/fuzz/snapshot_json_fuzz_body.h"

#include "tests/support/fuzz/snapshot_listing.h"

namespace vramlab::support {

std::optional<std::string> broken_rule_of_snapshot_json(const std::string& bytes) {
  const SnapshotReading whole = read_json_bytes(bytes);
  constexpr std::size_t few_bytes = 3;
  const SnapshotReading dribbled = read_json_bytes(bytes, few_bytes);
  if (whole.error != dribbled.error || whole.lines != dribbled.lines)
    return "the answer depends on how the bytes arrive";
  return std::nullopt;
}

}  // namespace vramlab::support
