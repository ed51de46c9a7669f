// Values of recorded cases as text, so that expected and actual can stand beside each other.
#pragma once

#include <string>

#include "allocator/words/snapshot.h"
#include "allocator/words/statistic_values.h"

namespace vramlab::replay {

std::string text_of(const AllocatorEvent& event);
std::string text_of(const SnapshotBlock& block);
/// Without its blocks.
std::string text_of(const SnapshotSegment& segment);
std::string text_of(const StatisticValue& value);

}  // namespace vramlab::replay
