#include "replay/replayer/read_device_costs.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "traces/io/byte_source.h"
#include "traces/json/json_value.h"

namespace vramlab::replay {
namespace {

using streams::CallCost;
using streams::DeviceCall;
using traces::JsonValue;

/// A year; sums of many of them still fit.
constexpr std::uint64_t longest_call_ns = 1ULL << 45;
constexpr std::size_t most_rows = 10'000;

struct DriverFunction {
  std::string_view name;
  DeviceCall part_of;
};
/// The driver's calls that a call of a device consists of; other calls of the driver are left out.
constexpr std::array driver_functions{
    DriverFunction{"cuMemAlloc", DeviceCall::allocate},
    DriverFunction{"cuMemFree", DeviceCall::release},
    DriverFunction{"cuMemCreate", DeviceCall::create},
    DriverFunction{"cuMemMap", DeviceCall::map},
    DriverFunction{"cuMemSetAccess", DeviceCall::map},
    DriverFunction{"cuMemUnmap", DeviceCall::unmap},
    DriverFunction{"cuMemRelease", DeviceCall::unmap},
    DriverFunction{"cuEventRecord", DeviceCall::record_event},
    DriverFunction{"cuEventQuery", DeviceCall::query_event},
    DriverFunction{"cuEventSynchronize", DeviceCall::synchronise},
};

/// Empty if the driver's function is no part of a call.
std::optional<DeviceCall> call_of(const JsonValue& name) {
  if (!name.text().starts_with("cu")) name.fail("a function of the driver, such as cuMemAlloc");
  const auto* const found =
      std::ranges::find(driver_functions, std::string_view(name.text()), &DriverFunction::name);
  if (found == driver_functions.end()) return std::nullopt;
  return found->part_of;
}

std::optional<CallCost> row_of(const JsonValue& row) {
  row.only_keys({"call", "bytes", "nanoseconds", "p95_nanoseconds", "max_nanoseconds", "count"});
  const auto call = call_of(row.key("call"));
  const auto bytes = row.find("bytes");
  CallCost cost;
  cost.nanoseconds = row.key("nanoseconds").number(longest_call_ns);
  if (bytes) cost.bytes = {bytes->number(1ULL << 60)};
  if (!call) return std::nullopt;
  cost.call = *call;
  if (has_size(cost.call) != (cost.bytes.count > 0))
    row.fail(has_size(cost.call) ? "bytes above 0, as the call has a size"
                                 : "no bytes, as the call has no size");
  return cost;
}

/// The costs of a call that is made of several functions add up.
void add_row(std::vector<CallCost>& rows, const CallCost& added) {
  const auto same = std::ranges::find_if(rows, [&](const CallCost& row) {
    return row.call == added.call && row.bytes == added.bytes;
  });
  if (same == rows.end())
    rows.push_back(added);
  else
    same->nanoseconds += added.nanoseconds;
}

std::string origin_of(const JsonValue& document, const std::string& path) {
  std::string origin = path;
  for (const char* key : {"gpu", "driver", "date"})
    if (const auto value = document.find(key))
      origin += ", " + (value->is_text() ? value->text() : value->shown());
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
  std::set<std::pair<std::string, std::uint64_t>> seen;
  for (std::size_t i = 0; i < calls.array_size(); ++i) {
    const JsonValue row = calls.at(i);
    const auto cost = row_of(row);
    const auto bytes = row.find("bytes");
    if (!seen.emplace(row.key("call").text(), bytes ? bytes->number() : 0).second)
      row.fail("each call and size once");
    if (cost) add_row(rows, *cost);
  }
  return {origin_of(document, path), std::move(rows)};
}

}  // namespace vramlab::replay
