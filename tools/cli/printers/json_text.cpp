#include "tools/cli/printers/json_text.h"

#include <nlohmann/json.hpp>

#include "allocator/types/check.h"
#include "tools/cli/printers/shown_text.h"

namespace vramlab::tools {
namespace {

std::string dumped(const nlohmann::ordered_json& value, int indent) {
  return shown_json(
      value.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

}  // namespace

std::string json_text(const nlohmann::ordered_json& document) { return dumped(document, 2) + "\n"; }

std::string compact_json_text(const nlohmann::ordered_json& value) {
  constexpr int no_indent = -1;
  return dumped(value, no_indent);
}

std::string text_in(const nlohmann::ordered_json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() || !found->is_string() ? "" : found->get<std::string>();
}

nlohmann::ordered_json metric_number(const replay::MetricValue& value) {
  const replay::Metric* metric = replay::find_metric(value.name);
  check(metric != nullptr, "a metric that is printed is one of the table");
  if (metric->unit != replay::MetricUnit::ratio) return value.value;
  return static_cast<double>(value.value) / static_cast<double>(replay::whole_ratio);
}

nlohmann::ordered_json metrics_json(const replay::MetricValues& values) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const replay::MetricValue& value : values)
    json[std::string(value.name)] = metric_number(value);
  return json;
}

}  // namespace vramlab::tools
