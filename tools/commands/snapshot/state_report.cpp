#include "tools/commands/snapshot/state_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "allocator/words/ids.h"
#include "replay/state/holes.h"
#include "tools/printers/fragmentation_text.h"
#include "tools/printers/json_text.h"
#include "tools/printers/table.h"
#include "tools/printers/text_lines.h"

namespace vramlab::tools {
namespace {

using allocator::SnapshotBlock;
using allocator::SnapshotSegment;
using nlohmann::ordered_json;

constexpr std::size_t map_width = 48;

std::string segment_line(const SnapshotSegment& segment) {
  std::string pool = pool_name(segment.pool, segment.kind);
  if (segment.is_expandable) pool += ", expandable";
  return "  " + name_of(segment.address) + "  " + padded(format_bytes(segment.total_size), 11) +
         replay::occupancy_map(segment, map_width) + "  " + pool + ", stream " +
         std::to_string(segment.stream.value) + "\n";
}

/// The largest so many, in order of address.
std::vector<const SnapshotSegment*> shown_segments(const allocator::Snapshot& snapshot,
                                                   std::uint64_t limit) {
  std::vector<const SnapshotSegment*> shown;
  for (const SnapshotSegment& segment : snapshot.segments) shown.push_back(&segment);
  if (limit == 0 || limit >= shown.size()) return shown;
  std::ranges::stable_sort(shown, [](const SnapshotSegment* a, const SnapshotSegment* b) {
    return a->total_size > b->total_size;
  });
  shown.resize(limit);
  std::ranges::sort(shown, [](const SnapshotSegment* a, const SnapshotSegment* b) {
    return a->address < b->address;
  });
  return shown;
}

std::string map_text(const replay::DeviceState& state, std::uint64_t limit) {
  std::string text;
  const auto shown = shown_segments(state.snapshot, limit);
  for (const SnapshotSegment* segment : shown) text += segment_line(*segment);
  return text +
         rest_line(state.snapshot.segments.size() - shown.size(), "--segments", "smaller segments");
}

std::string device_text(const StateOutcome& outcome, const replay::DeviceState& state) {
  const replay::Fragmentation found = find_fragmentation(state.snapshot, state.rules);
  const replay::StateFigures& total = found.total;
  std::string text = "device " + std::to_string(state.device.value) + ": " +
                     format_bytes(total.reserved) + " reserved in " +
                     std::to_string(total.segments) + " segments, " + std::to_string(total.blocks) +
                     " blocks\n";
  text += "  " + format_bytes(total.allocated) + " allocated, " + format_bytes(total.waiting) +
          " waiting, " + format_bytes(total.free) + " free (largest block " +
          format_bytes(total.largest_free) + ")\n";
  return text + figures_text(found) + map_text(state, outcome.segment_limit) + holes_text(state) +
         pinners_text(state, outcome.tables, outcome.pinner_limit);
}

replay::StateFigures sum_of(const std::vector<replay::DeviceState>& states) {
  replay::StateFigures sum;
  for (const replay::DeviceState& state : states)
    sum += find_fragmentation(state.snapshot, state.rules).total;
  return sum;
}

ordered_json segment_json(const SnapshotSegment& segment) {
  ordered_json json = {{"address", segment.address.value},
                       {"total_bytes", segment.total_size.count},
                       {"stream", segment.stream.value},
                       {"pool_kind", pool_kind_name(segment.kind)},
                       {"pool_id", {segment.pool.graph, segment.pool.user}},
                       {"is_expandable", segment.is_expandable},
                       {"map", replay::occupancy_map(segment, map_width)}};
  json["blocks"] = ordered_json::array();
  for (const SnapshotBlock& block : segment.blocks)
    json["blocks"].push_back({{"address", block.address.value},
                              {"bytes", block.size.count},
                              {"requested_bytes", block.requested.count},
                              {"state", block_state_name(block.state)}});
  return json;
}

ordered_json device_json(const StateOutcome& outcome, const replay::DeviceState& state) {
  const replay::StateFigures total = find_fragmentation(state.snapshot, state.rules).total;
  ordered_json json = {{"device", state.device.value},
                       {"reserved_bytes", total.reserved.count},
                       {"allocated_bytes", total.allocated.count},
                       {"waiting_bytes", total.waiting.count},
                       {"free_bytes", total.free.count},
                       {"largest_free_bytes", total.largest_free.count},
                       {"releasable_bytes", total.releasable.count}};
  add_fragmentation(json, state, outcome.tables, outcome.pinner_limit);
  json["segments"] = ordered_json::array();
  for (const SnapshotSegment& segment : state.snapshot.segments)
    json["segments"].push_back(segment_json(segment));
  return json;
}

}  // namespace

std::string state_text(const StateOutcome& outcome) {
  std::string text = outcome.file + ", " + outcome.moment + "   (# in use, ~ waiting, . free)\n";
  for (const std::string& note : outcome.notes) text += "  note: " + note + "\n";
  for (const replay::DeviceState& state : outcome.states) text += device_text(outcome, state);
  for (const ToldOutOfMemory& told : outcome.told) text += out_of_memory_text(told, outcome.tables);
  return text;
}

std::string state_json(const StateOutcome& outcome) {
  ordered_json json = {{"schema_version", 1}, {"file", outcome.file}, {"moment", outcome.moment}};
  json["notes"] = outcome.notes;
  json["metrics"] = metrics_json(state_metrics(sum_of(outcome.states)));
  json["out_of_memory"] = ordered_json::array();
  for (const ToldOutOfMemory& told : outcome.told)
    json["out_of_memory"].push_back(out_of_memory_json(told, outcome.tables));
  json["devices"] = ordered_json::array();
  for (const replay::DeviceState& state : outcome.states)
    json["devices"].push_back(device_json(outcome, state));
  return json_text(json);
}

}  // namespace vramlab::tools
