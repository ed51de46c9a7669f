#include "tools/cli/printers/fragmentation_text.h"

#include "allocator/types/bytes_and_ids.h"
#include "replay/metrics/fragmentation.h"
#include "tools/cli/printers/json_text.h"
#include "tools/cli/printers/table.h"
#include "tools/cli/printers/text_lines.h"
#include "traces/model/user_frame.h"

namespace vramlab::tools {
namespace {

using nlohmann::ordered_json;
using replay::StateFigures;

std::string percent_text(Bytes part, Bytes whole) {
  return ratio_text(replay::ratio_of(part.count, whole.count));
}

std::string release_text(const StateFigures& figures) {
  std::string text = "releasing the cache would return " + format_bytes(figures.releasable) + "; " +
                     format_bytes(figures.stranded()) + " would stay, stranded beside live blocks";
  if (figures.pool_held > Bytes{})
    text += ", " + format_bytes(figures.pool_held) + " with private pools";
  return text;
}

std::string waste_text(const StateFigures& figures) {
  return format_bytes(figures.requested) + " requested, " + format_bytes(figures.rounding_waste()) +
         " lost to rounding; " + format_bytes(figures.inactive_split) + " free in split segments";
}

std::string largest_text(const StateFigures& figures) {
  std::string text = "largest request that would succeed: " + format_bytes(figures.largest_cached) +
                     " in memory that is cached";
  if (figures.largest_possible)
    text += ", " + format_bytes(*figures.largest_possible) + " with more from the GPU";
  return text;
}

std::string shares_text(const StateFigures& figures) {
  std::string text =
      "external fragmentation " + percent_text(figures.free - figures.largest_free, figures.free);
  if (figures.usable)
    text += "; an average request of this workload could use " +
            percent_text(*figures.usable, figures.free) + " of the free memory";
  return text;
}

std::vector<std::string> cells_of(const std::string& name, const StateFigures& figures) {
  return {name,
          format_bytes(figures.reserved),
          format_bytes(figures.allocated),
          format_bytes(figures.free),
          format_bytes(figures.releasable),
          format_bytes(figures.stranded())};
}

/// A table, if there is more than one pool or stream.
std::string parts_text(const replay::Fragmentation& fragmentation) {
  const auto pools = by_pool(fragmentation);
  const auto streams = by_stream(fragmentation);
  if (pools.size() < 2 && streams.size() < 2) return {};
  Table table({left("", 24),
               {"reserved", 10},
               {"allocated", 10},
               {"free", 10},
               {"releasable", 10},
               {"stranded", 10}});
  if (pools.size() > 1)
    for (const auto& [half, figures] : pools)
      table.add(cells_of(pool_name(half.first, half.second), figures));
  if (streams.size() > 1)
    for (const auto& [stream, figures] : streams)
      table.add(cells_of("stream " + std::to_string(stream.value), figures));
  return table.text();
}

std::string pinner_text(const replay::DeviceState& state, const replay::Pinner& pinner,
                        const traces::SnapshotTables& tables) {
  std::string text = pool_name(pinner.lane.pool, pinner.lane.kind);
  if (pinner.is_expandable) text += ", expandable";
  text += ", stream " + std::to_string(pinner.lane.stream.value);
  if (pinner.beside > 0) text += ", beside " + std::to_string(pinner.beside) + " more";
  const std::string origin = origin_text(state, pinner.at, tables);
  return text + (origin.empty() ? "" : "; " + origin);
}

std::string age_text(const replay::RequestOrigin& origin, const replay::StateMoment& now) {
  if (!origin.event || now.event < *origin.event) return {};
  std::string text = std::to_string(now.event - *origin.event) + " events";
  if (origin.time_ns && now.time_ns && *now.time_ns >= *origin.time_ns)
    text += " (" + nanoseconds_text(*now.time_ns - *origin.time_ns) + ")";
  return text + " old";
}

ordered_json pool_id(PoolId pool) { return {pool.graph, pool.user}; }

ordered_json hole_json(const replay::HoleClass& hole) {
  return {{"pool_kind", pool_kind_name(hole.kind)},
          {"from_bytes", hole.from.count},
          {"count", hole.count},
          {"bytes", hole.bytes.count}};
}

ordered_json pool_json(const std::pair<const std::pair<PoolId, PoolKind>, StateFigures>& pool) {
  const auto& [half, figures] = pool;
  return {{"pool_id", pool_id(half.first)},
          {"pool_kind", pool_kind_name(half.second)},
          {"metrics", metrics_json(state_metrics(figures))}};
}

ordered_json stream_json(const std::pair<const StreamId, StateFigures>& stream) {
  return {{"stream", stream.first.value}, {"metrics", metrics_json(state_metrics(stream.second))}};
}

}  // namespace

std::string pool_name(PoolId pool, PoolKind kind) {
  std::string name(pool_kind_name(kind));
  if (pool != default_pool) name += " of pool " + name_of(pool);
  return name;
}

std::string figures_text(const replay::Fragmentation& fragmentation) {
  const StateFigures& total = fragmentation.total;
  std::string text;
  for (const std::string& line :
       {release_text(total), waste_text(total), largest_text(total), shares_text(total)})
    text += "  " + line + "\n";
  return text + parts_text(fragmentation);
}

std::string holes_text(const replay::DeviceState& state) {
  Table table({left("pool", 5), left("free blocks", 24), {"count", 8}, {"together", 11}});
  for (const replay::HoleClass& of : replay::holes_by_size(state.snapshot))
    table.add({std::string(pool_kind_name(of.kind)),
               format_bytes(of.from) + " to " + format_bytes(of.from * 2), std::to_string(of.count),
               format_bytes(of.bytes)});
  return table.is_empty() ? "" : table.text();
}

std::string origin_text(const replay::DeviceState& state, Address at,
                        const traces::SnapshotTables& tables) {
  const auto found = state.origins.find(at);
  if (found == state.origins.end())
    return state.moment ? "older than the recording" : std::string();
  const std::string text = call_site_text(state, at, tables);
  const std::string age = state.moment ? age_text(found->second, *state.moment) : std::string();
  return text.empty() || age.empty() ? text + age : text + ", " + age;
}

std::string pinners_text(const replay::DeviceState& state, const traces::SnapshotTables& tables,
                         std::size_t limit) {
  Table table({{"strands", 11},
               {"if freed", 11},
               {"block"},
               {"size", 11},
               left("pool, stream, call site")});
  for (const replay::Pinner& pinner : find_pinners(state.snapshot, state.rules, limit))
    table.add({format_bytes(pinner.strands), format_bytes(pinner.released_alone),
               name_of(pinner.at), format_bytes(pinner.size), pinner_text(state, pinner, tables)});
  return table.is_empty() ? "" : table.text();
}

std::string call_site_text(const replay::DeviceState& state, Address at,
                           const traces::SnapshotTables& tables) {
  const auto origin = state.origins.find(at);
  if (origin == state.origins.end()) return {};
  const auto frame = traces::innermost_user_frame(origin->second.stack, tables);
  return frame ? traces::frame_text(*frame, tables) : std::string();
}

ordered_json pinner_json(const replay::DeviceState& state, const replay::Pinner& pinner,
                         const traces::SnapshotTables& tables) {
  const auto found = state.origins.find(pinner.at);
  const replay::RequestOrigin origin =
      found == state.origins.end() ? replay::RequestOrigin{} : found->second;
  return {{"address", pinner.at.value},
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
          {"stream", pinner.lane.stream.value},
          {"event", or_null(origin.event)},
          {"time_ns", or_null(origin.time_ns)},
          {"call_site", text_or_null(call_site_text(state, pinner.at, tables))}};
}

void add_fragmentation(ordered_json& device, const replay::DeviceState& state,
                       const traces::SnapshotTables& tables, std::size_t pinner_limit) {
  const replay::Fragmentation found = find_fragmentation(state.snapshot, state.rules);
  device["event"] = state.moment ? ordered_json(state.moment->event) : ordered_json(nullptr);
  device["time_ns"] = state.moment ? or_null(state.moment->time_ns) : nullptr;
  device["metrics"] = metrics_json(state_metrics(found.total));
  device["pools"] = json_list(by_pool(found), pool_json);
  device["streams"] = json_list(by_stream(found), stream_json);
  device["holes"] = json_list(replay::holes_by_size(state.snapshot), hole_json);
  device["pinners"] =
      json_list(find_pinners(state.snapshot, state.rules, pinner_limit),
                [&](const replay::Pinner& pinner) { return pinner_json(state, pinner, tables); });
}

}  // namespace vramlab::tools
