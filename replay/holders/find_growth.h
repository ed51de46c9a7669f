// The growth of a recording of any format, between iterations that are told or found. Where they
// have to be found the file is read twice.
#pragma once

#include <string>
#include <vector>

#include "replay/holders/growth.h"
#include "traces/files/byte_source.h"

namespace vramlab::replay {

struct FoundGrowth {
  /// Of no source: iterations can't be told.
  IterationRule rule;
  std::vector<DeviceGrowth> devices;
  traces::SnapshotTables tables;
};

/// `path` may be `-`, standard input, where the rule is told. A rule without a source is looked
/// for. Throws InputError.
FoundGrowth find_growth(const std::string& path, const IterationRule& told,
                        const traces::ProgressListener& listener);

}  // namespace vramlab::replay
