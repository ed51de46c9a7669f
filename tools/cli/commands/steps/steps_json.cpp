#include <algorithm>
#include <nlohmann/json.hpp>

#include "allocator/checks/out_of_memory.h"
#include "tools/cli/commands/steps/rule_texts.h"
#include "tools/cli/commands/steps/steps_report.h"
#include "tools/cli/printers/json_text.h"
#include "traces/io/letters.h"
#include "traces/native/native_text_writer.h"

namespace vramlab::tools {
namespace {

using nlohmann::ordered_json;
using replay::Step;

class LastRecord : public traces::LineSink {
 public:
  void line(std::string_view line, traces::LineKind kind) override {
    if (kind == traces::LineKind::record) text = line;
  }
  std::string text;
};

ordered_json pool_json(PoolId pool) { return ordered_json::array({pool.graph, pool.user}); }

ordered_json entry_json(const AllocatorEvent& entry) {
  ordered_json json = {{"action", action_name(entry.action)}};
  json[entry.action == Action::oom ? "device_free_bytes" : "address"] = entry.address.value;
  json["bytes"] = entry.size.count;
  json["stream"] = entry.stream.value;
  return json;
}

ordered_json segment_json(const SnapshotSegment& segment, const Step& step) {
  return {{"address", segment.address.value},
          {"bytes", segment.total_size.count},
          {"stream", segment.stream.value},
          {"kind", pool_kind_name(segment.kind)},
          {"pool", pool_json(segment.pool)},
          {"is_expandable", segment.is_expandable},
          {"blocks", json_list(segment.blocks, [&](const SnapshotBlock& block) {
             const auto named = step.ids.find(block.address);
             const bool has_name = named != step.ids.end() && block.state != BlockState::inactive;
             return ordered_json{{"address", block.address.value},
                                 {"bytes", block.size.count},
                                 {"requested_bytes", block.requested.count},
                                 {"state", block_state_name(block.state)},
                                 {"id", has_name ? ordered_json(named->second) : ordered_json()}};
           })}};
}

ordered_json step_json(const Step& step, const traces::SnapshotTables& tables) {
  return {{"event", step.number},
          {"device", step.event.device.value},
          {"record", record_text(step.event, tables)},
          {"rules", json_list(step.rules, [](auto rule) { return ordered_json(rule_name(rule)); })},
          {"entries", json_list(step.entries, entry_json)},
          {"failure",
           step.failure ? ordered_json(out_of_memory_message(*step.failure)) : ordered_json()},
          {"allocated_bytes", step.allocated.count},
          {"reserved_bytes", step.reserved.count},
          {"segments", json_list(step.state.segments, [&](const SnapshotSegment& segment) {
             return segment_json(segment, step);
           })}};
}

ordered_json memory_json(const replay::DeviceReport& device) {
  const bool has_memory = !device.memory_origin.empty();
  return {{"device", device.device.value},
          {"memory_bytes", has_memory ? ordered_json(device.memory.count) : ordered_json()}};
}

}  // namespace

std::string record_text(const traces::ProgramEvent& event, const traces::SnapshotTables& tables) {
  LastRecord last;
  traces::ProgramEvent told = event;
  told.stack = {};
  traces::NativeRecordWriter writer(last, tables);
  traces::TraceHeader header;
  header.version = traces::trace_version_of(event.kind);
  writer.header(header);
  writer.program_event(told);
  // A long text stands elsewhere in a trace, and is the first text of this one.
  constexpr std::string_view reference = "{\"$text\":1}";
  if (const std::size_t at = last.text.find(reference); at != std::string::npos) {
    std::string text;
    traces::add_json_text(text, tables.texts.text(event.text));
    last.text.replace(at, reference.size(), text);
  }
  return last.text;
}

std::string steps_json(const StepsOutcome& outcome, const traces::SnapshotTables& tables) {
  ordered_json rules = ordered_json::object();
  for (const RuleText& row : rule_texts()) {
    const auto acts = [&](const Step& step) {
      return std::ranges::find(step.rules, row.rule) != step.rules.end();
    };
    if (std::ranges::any_of(outcome.steps, acts)) rules[rule_name(row.rule)] = rule_text(row.rule);
  }
  return json_text({{"schema_version", 1},
                    {"file", outcome.file},
                    {"reference", outcome.report.reference},
                    {"options", outcome.report.options},
                    {"notes", outcome.report.notes},
                    {"devices", json_list(outcome.report.devices, memory_json)},
                    {"events", outcome.report.events},
                    {"stopped_at", or_null(outcome.report.stopped_at)},
                    {"rules", std::move(rules)},
                    {"steps", json_list(outcome.steps, [&](const Step& step) {
                       return step_json(step, tables);
                     })}});
}

}  // namespace vramlab::tools
