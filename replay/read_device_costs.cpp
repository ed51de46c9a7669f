#include "replay/read_device_costs.h"

#include <nlohmann/json.hpp>
#include <set>

#include "traces/input_bytes.h"
#include "traces/json_value.h"

namespace vramlab::replay {
namespace {

using streams::CallCost;
using streams::DeviceCall;
using traces::JsonValue;

/// A year; sums of many of them still fit.
constexpr std::uint64_t longest_call_ns = 1ULL << 45;
constexpr std::size_t most_rows = 10'000;

DeviceCall call_of(const JsonValue& name) {
  std::string names;
  for (std::size_t i = 0; i < streams::device_call_count; ++i) {
    const auto call = static_cast<DeviceCall>(i);
    if (streams::device_call_name(call) == name.text()) return call;
    names += (names.empty() ? "" : ", ") + std::string(streams::device_call_name(call));
  }
  name.fail("one of " + names);
}

CallCost row_of(const JsonValue& row) {
  row.only_keys({"call", "bytes", "nanoseconds"});
  CallCost cost;
  cost.call = call_of(row.key("call"));
  const auto bytes = row.find("bytes");
  if (bytes) cost.bytes = {bytes->number(1ULL << 60)};
  if (has_size(cost.call) != (cost.bytes.count > 0))
    row.fail(has_size(cost.call) ? "bytes above 0, as the call has a size"
                                 : "no bytes, as the call has no size");
  cost.nanoseconds = row.key("nanoseconds").number(longest_call_ns);
  return cost;
}

std::string origin_of(const JsonValue& document, const std::string& path) {
  std::string origin = path;
  for (const char* key : {"gpu", "driver", "date"})
    if (const auto value = document.find(key)) origin += ", " + value->text();
  return origin;
}

}  // namespace

streams::DeviceCosts read_device_costs(const std::string& path) {
  const nlohmann::json parsed = traces::parse_json(traces::read_input_bytes(path), path);
  const JsonValue document(parsed, path);
  document.only_keys({"schema_version", "gpu", "driver", "date", "calls"});
  if (document.key("schema_version").number() != 1) document.key("schema_version").fail("1");
  const JsonValue calls = document.key("calls");
  if (calls.array_size() == 0 || calls.array_size() > most_rows)
    calls.fail("between 1 and " + std::to_string(most_rows) + " calls");
  std::vector<CallCost> rows;
  std::set<std::pair<DeviceCall, allocator::Bytes>> seen;
  for (std::size_t i = 0; i < calls.array_size(); ++i) {
    rows.push_back(row_of(calls.at(i)));
    if (!seen.emplace(rows.back().call, rows.back().bytes).second)
      calls.at(i).fail("each call and size once");
  }
  return {origin_of(document, path), std::move(rows)};
}

}  // namespace vramlab::replay
