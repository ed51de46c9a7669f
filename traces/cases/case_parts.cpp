#include "traces/cases/case_parts.h"

namespace vramlab::traces {

using namespace allocator;

const ReferenceVersion& read_reference(const JsonValue& value) {
  std::string known;
  for (const ReferenceVersion& row : allocator::reference_versions()) {
    if (row.description == value.text()) return row;
    known += (known.empty() ? "\"" : " or \"") + std::string(row.description) + "\"";
  }
  value.fail(known);
}

Action read_action(const JsonValue& value) {
  constexpr int action_count = static_cast<int>(Action::oom) + 1;
  for (int i = 0; i < action_count; ++i)
    if (value.text() == action_name(static_cast<Action>(i))) return static_cast<Action>(i);
  value.fail("the name of an action");
}

RecordedFailure read_failure(const JsonValue& failure) {
  if (failure.array_size() != 2) failure.fail("an error: the call's index and the text");
  return {failure.at(0).signed_number(), failure.at(1).text()};
}

StatisticValue read_statistic(const JsonValue& value) {
  if (value.array_size() != 4) value.fail("a statistic: current, peak, allocated, freed");
  return {value.at(0).signed_number(), value.at(1).signed_number(), value.at(2).signed_number(),
          value.at(3).signed_number()};
}

PoolId read_pool_id(const JsonValue& id) {
  if (id.array_size() != 2) id.fail("a pool id of two numbers");
  return {id.at(0).number(), id.at(1).number()};
}

}  // namespace vramlab::traces
