#include "tools/printers/fragmentation_json.h"

#include "replay/state/holes.h"
#include "tools/printers/json_or_null.h"
#include "tools/printers/metrics_json.h"
#include "traces/values/user_frame.h"

namespace vramlab::tools {
namespace {

using nlohmann::ordered_json;

ordered_json pool_id(allocator::PoolId pool) { return {pool.graph, pool.user}; }

ordered_json holes_json(const replay::DeviceState& state) {
  ordered_json json = ordered_json::array();
  for (const replay::HoleClass& of : replay::holes_by_size(state.snapshot))
    json.push_back({{"pool_kind", pool_kind_name(of.kind)},
                    {"from_bytes", of.from.count},
                    {"count", of.count},
                    {"bytes", of.bytes.count}});
  return json;
}

}  // namespace

ordered_json pinner_json(const replay::DeviceState& state, const replay::Pinner& pinner,
                         const traces::SnapshotTables& tables) {
  ordered_json json = {{"address", pinner.at.value},
                       {"bytes", pinner.size.count},
                       {"requested_bytes", pinner.requested.count},
                       {"stranded_bytes", pinner.strands.count},
                       {"released_alone_bytes", pinner.released_alone.count},
                       {"live_blocks_beside", pinner.beside},
                       {"segment", pinner.segment.value},
                       {"segment_bytes", pinner.segment_size.count},
                       {"is_expandable", pinner.is_expandable},
                       {"pool_kind", pool_kind_name(pinner.lane.kind)},
                       {"pool_id", pool_id(pinner.lane.pool)},
                       {"stream", pinner.lane.stream.value}};
  const auto origin = state.origins.find(pinner.at);
  const bool is_known = origin != state.origins.end();
  json["event"] = is_known ? or_null(origin->second.event) : nullptr;
  json["time_ns"] = is_known ? or_null(origin->second.time_ns) : nullptr;
  const auto frame =
      is_known ? traces::innermost_user_frame(origin->second.stack, tables) : std::nullopt;
  json["call_site"] =
      frame ? ordered_json(traces::frame_text(*frame, tables)) : ordered_json(nullptr);
  return json;
}

void add_fragmentation(ordered_json& device, const replay::DeviceState& state,
                       const traces::SnapshotTables& tables, std::size_t pinner_limit) {
  const replay::Fragmentation found = find_fragmentation(state.snapshot, state.rules);
  device["event"] = state.moment ? ordered_json(state.moment->event) : ordered_json(nullptr);
  device["time_ns"] = state.moment ? or_null(state.moment->time_ns) : nullptr;
  device["metrics"] = metrics_json(state_metrics(found.total));
  device["pools"] = ordered_json::array();
  for (const replay::PoolFigures& pool : by_pool(found))
    device["pools"].push_back({{"pool_id", pool_id(pool.pool)},
                               {"pool_kind", pool_kind_name(pool.kind)},
                               {"metrics", metrics_json(state_metrics(pool.figures))}});
  device["streams"] = ordered_json::array();
  for (const replay::StreamSums& stream : by_stream(found))
    device["streams"].push_back({{"stream", stream.stream.value},
                                 {"metrics", metrics_json(state_metrics(stream.figures))}});
  device["holes"] = holes_json(state);
  device["pinners"] = ordered_json::array();
  for (const replay::Pinner& pinner : find_pinners(state.snapshot, state.rules, pinner_limit))
    device["pinners"].push_back(pinner_json(state, pinner, tables));
}

}  // namespace vramlab::tools
