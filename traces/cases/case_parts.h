// What recorded cases of several kinds have in common; for the readers in this room only.
#pragma once

#include <vector>

#include "allocator/types/reference_version.h"
#include "allocator/types/snapshot.h"
#include "traces/cases/recorded_case.h"
#include "traces/json/json_value.h"

namespace vramlab::traces {

template <typename Value, typename Read>
std::vector<Value> read_array(const JsonValue& array, Read read) {
  std::vector<Value> values;
  values.reserve(array.array_size());
  for (std::size_t i = 0; i < array.array_size(); ++i) values.push_back(read(array.at(i)));
  return values;
}

/// The version with that description.
const ReferenceVersion& read_reference(const JsonValue& value);
allocator::Action read_action(const JsonValue& value);
/// An array of the call's number and a text.
RecordedFailure read_failure(const JsonValue& failure);
StatisticValue read_statistic(const JsonValue& value);
PoolId read_pool_id(const JsonValue& id);

}  // namespace vramlab::traces
