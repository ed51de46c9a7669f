#include "tools/commands/generate/workload_list.h"

#include <nlohmann/json.hpp>

#include "tools/printers/json_text.h"
#include "tools/printers/text_lines.h"
#include "traces/workloads/workload.h"

namespace vramlab::tools {
namespace {

using nlohmann::ordered_json;
using traces::Workload;
using traces::WorkloadOption;

std::string option_line(const WorkloadOption& option) {
  constexpr std::size_t name_width = 14;
  constexpr std::size_t usual_width = 8;
  const std::string usual = option.is_switch() ? "off" : std::to_string(option.usual);
  return "  --" + padded(std::string(option.name), name_width) + padded(usual, usual_width) +
         std::string(option.meaning) + "\n";
}

ordered_json option_json(const WorkloadOption& option) {
  return {{"name", option.name},
          {"meaning", option.meaning},
          {"default", option.usual},
          {"least", option.least},
          {"most", option.most}};
}

}  // namespace

std::string workload_list_text() {
  constexpr std::size_t name_width = 12;
  std::string text;
  for (const Workload& workload : traces::workloads()) {
    text +=
        padded(std::string(workload.name), name_width) + std::string(workload.description) + "\n";
    for (const WorkloadOption& option : workload.options) text += option_line(option);
  }
  return text;
}

std::string workload_list_json() {
  ordered_json rows = ordered_json::array();
  for (const Workload& workload : traces::workloads()) {
    ordered_json options = ordered_json::array();
    for (const WorkloadOption& option : workload.options) options.push_back(option_json(option));
    rows.push_back(
        {{"name", workload.name}, {"description", workload.description}, {"options", options}});
  }
  const ordered_json document = {{"schema_version", 1}, {"workloads", rows}};
  return json_text(document);
}

}  // namespace vramlab::tools
