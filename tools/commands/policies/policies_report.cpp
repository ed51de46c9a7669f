#include "tools/commands/policies/policies_report.h"

#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "tools/printers/json_text.h"
#include "tools/printers/metrics_json.h"
#include "tools/printers/share_text.h"
#include "tools/printers/text_lines.h"

namespace vramlab::tools {
namespace {

using nlohmann::ordered_json;
using replay::PolicyRun;

constexpr std::size_t column_count = 8;
using Cells = std::array<std::string, column_count>;

const Cells policy_headings = {"policy",   "reserved", "unused",      "cudaMalloc",
                               "cudaFree", "units",    "units again", "failed"};

std::uint64_t value_of(const PolicyRun& run, std::string_view name) {
  return static_cast<std::uint64_t>(find_value(run.metrics, name)->value);
}

Cells cells_of(const PolicyRun& run) {
  const auto count = [&](std::string_view name) { return std::to_string(value_of(run, name)); };
  return {std::string(run.policy) + (run.is_in_pytorch ? "" : " *"),
          allocator::format_bytes({value_of(run, "peak_reserved")}),
          ratio_text(run.unused_at_peak),
          count("device_allocs"),
          count("device_frees"),
          count("units_mapped"),
          std::to_string(run.report.units_remapped),
          count("out_of_memory")};
}

std::vector<std::string> notes_of(const PoliciesOfDevice& device) {
  std::vector<std::string> notes;
  for (const PolicyRun& run : device.runs) {
    for (const std::string& note : run.report.notes) notes.push_back(note);
    if (run.report.stream_waits > 0)
      notes.push_back(std::string(run.policy) + ": " + std::to_string(run.report.stream_waits) +
                      " streams were waited for, so that their memory could serve others");
  }
  return notes;
}

std::string head_of(const PoliciesOfDevice& device) {
  return "device " + std::to_string(device.device) + ": " +
         allocator::format_bytes(device.peak_requested) + " in use at most";
}

constexpr const char* star = "* not in PyTorch: an idea to compare with, which no setting turns on";

std::string text_row(const Cells& cells) {
  constexpr std::size_t first_width = 20;
  constexpr std::size_t width = 13;
  std::string row = "  " + padded(cells[0], first_width);
  for (std::size_t i = 1; i < cells.size(); ++i) row += right(cells[i], width);
  return row + "\n";
}

std::string markdown_row(const Cells& cells) {
  std::string row = "|";
  for (const std::string& cell : cells) row += " " + cell + " |";
  return row + "\n";
}

ordered_json run_json(const PolicyRun& run) {
  return {{"policy", run.policy},
          {"is_in_pytorch", run.is_in_pytorch},
          {"metrics", metrics_json(run.metrics)},
          {"unused_at_peak", metric_number({"external_fragmentation", run.unused_at_peak})},
          {"units_remapped", run.report.units_remapped},
          {"stream_waits", run.report.stream_waits},
          {"notes", run.report.notes}};
}

}  // namespace

std::string policies_text(const PoliciesOutcome& outcome) {
  std::string text = outcome.file + "\n";
  for (const std::string& note : outcome.notes) text += "  note: " + note + "\n";
  for (const PoliciesOfDevice& device : outcome.devices) {
    text += head_of(device) + "\n" + text_row(policy_headings);
    for (const PolicyRun& run : device.runs) text += text_row(cells_of(run));
    for (const std::string& note : notes_of(device)) text += "  " + note + "\n";
  }
  return text + "  " + star + "\n";
}

std::string policies_markdown(const PoliciesOutcome& outcome) {
  std::string text;
  for (const std::string& note : outcome.notes) text += "note: " + note + "\n\n";
  for (const PoliciesOfDevice& device : outcome.devices) {
    text += head_of(device) + "\n\n" + markdown_row(policy_headings);
    text += "|---|---:|---:|---:|---:|---:|---:|---:|\n";
    for (const PolicyRun& run : device.runs) text += markdown_row(cells_of(run));
    text += "\n";
    for (const std::string& note : notes_of(device)) text += note + "\n\n";
  }
  return text + "\\" + star + "\n";
}

std::string policies_json(const PoliciesOutcome& outcome) {
  ordered_json json = {{"schema_version", 1},
                       {"file", outcome.file},
                       {"options", outcome.options},
                       {"notes", outcome.notes}};
  json["devices"] = ordered_json::array();
  for (const PoliciesOfDevice& device : outcome.devices) {
    ordered_json runs = ordered_json::array();
    for (const PolicyRun& run : device.runs) runs.push_back(run_json(run));
    json["devices"].push_back({{"device", device.device},
                               {"peak_requested", device.peak_requested.count},
                               {"policies", std::move(runs)}});
  }
  return json_text(json);
}

}  // namespace vramlab::tools
