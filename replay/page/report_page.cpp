#include "replay/page/report_page.h"

#include <nlohmann/json.hpp>

#include "replay/history/history_checks.h"
#include "replay/page/page_bytes.h"
#include "replay/page/page_texts.h"
#include "replay/page/report_device.h"
#include "traces/files/input_error.h"

namespace vramlab::replay {
namespace {

using nlohmann::ordered_json;

ordered_json texts_json(const PageTexts& texts, const traces::SnapshotTables& tables,
                        std::string& bytes) {
  ordered_json json;
  json["texts"] = ordered_json::array();
  for (const traces::TextId id : texts.texts()) json["texts"].push_back(tables.texts.text(id));
  json["sites"] = texts.sites();
  PageBytes frames;
  for (const PageTexts::Frame& frame : texts.frames()) {
    frames.add(frame.name);
    frames.add(frame.file);
    frames.add_signed(frame.line);
  }
  json["frames"] = add_section(bytes, frames.bytes(), texts.frames().size());
  PageBytes nodes;
  for (const PageTexts::Node& node : texts.nodes()) {
    nodes.add(node.parent);
    nodes.add(node.frame);
    nodes.add(node.site);
  }
  json["nodes"] = add_section(bytes, nodes.bytes(), texts.nodes().size());
  return json;
}

ordered_json spans_json(const std::vector<AnnotationSpan>& spans, const traces::TextTable& texts) {
  constexpr std::size_t most = 5'000;
  ordered_json json = ordered_json::array();
  for (const AnnotationSpan& span : spans) {
    if (json.size() == most) break;
    ordered_json one = {{"device", span.device}, {"name", texts.text(span.name)}};
    if (span.begin_us) one["begin_us"] = *span.begin_us;
    if (span.end_us) one["end_us"] = *span.end_us;
    json.push_back(std::move(one));
  }
  return json;
}

}  // namespace

ReportLimits ReportLimits::halved() const {
  ReportLimits half = *this;
  half.moments /= 2;
  half.changes /= 2;
  half.events /= 2;
  half.snapshots /= 2;
  return half;
}

ordered_json report_run(const ReportInput& input, const traces::SnapshotTables& tables,
                        const VerifyConditions& conditions, const ReportLimits& limits,
                        std::string& bytes) {
  PageTexts texts(tables);
  ordered_json json = {{"file", input.file},
                       {"title", input.title},
                       {"origin", input.origin == ReportOrigin::recorded ? "recorded" : "replayed"},
                       {"reference", input.reference},
                       {"options", input.options},
                       {"notes", input.notes}};
  json["devices"] = ordered_json::array();
  for (const DeviceHistory& history : input.devices) {
    if (history.events.empty() && history.final_segments.empty()) continue;
    if (std::string reason = impossible_part(history); !reason.empty())
      throw traces::InputError({input.file, "device " + std::to_string(history.device),
                                "a history that an allocator can have", reason});
    json["devices"].push_back(report_device({history, conditions, limits}, texts, bytes));
  }
  json["spans"] = spans_json(input.spans, tables.texts);
  json["stacks"] = texts_json(texts, tables, bytes);
  return json;
}

}  // namespace vramlab::replay
