// The rule of the writers of snapshots: every snapshot, written in any format, is read back as it
// was.
#pragma once

#include <optional>
#include <string>

namespace vramlab::support {

/// A sentence about the first broken rule, or nothing; also where the bytes are no snapshot. Bytes
/// that begin as JSON are read as JSON, all others as a pickle.
std::optional<std::string> broken_rule_of_snapshot_writing(const std::string& bytes);

}  // namespace vramlab::support
