// Values of recorded cases as text, so that expected and actual can stand beside each other.
#pragma once

#include <string>

#include "allocator/words/allocator_event.h"
#include "allocator/words/snapshot.h"
#include "allocator/words/statistic_values.h"

namespace vramlab::replay {

std::string text_of(const allocator::AllocatorEvent& event);
std::string text_of(const allocator::SnapshotBlock& block);
/// Without its blocks.
std::string text_of(const allocator::SnapshotSegment& segment);
std::string text_of(const allocator::StatisticValue& value);

}  // namespace vramlab::replay
