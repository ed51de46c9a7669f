#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "replay/compare/compared_file.h"
#include "traces/io/input_error.h"

namespace vramlab::replay {
namespace {

using nlohmann::json;
using traces::InputError;

/// Reports are short; a longer file is something else.
constexpr std::size_t longest_report = 64U << 20;

std::int64_t value_of_json(const Metric& metric, const json& value, const std::string& file) {
  constexpr std::uint64_t largest = INT64_MAX;
  const bool is_ratio = metric.unit == MetricUnit::ratio;
  if (is_ratio ? value.is_number() && value.get<double>() >= 0 && value.get<double>() <= 1
               : value.is_number_unsigned() && value.get<std::uint64_t>() <= largest)
    return is_ratio ? std::llround(value.get<double>() * static_cast<double>(whole_ratio))
                    : value.get<std::int64_t>();
  throw InputError({file, "metrics." + std::string(metric.name),
                    is_ratio ? "a number from 0 to 1" : "a whole number, not negative",
                    value.dump()});
}

MetricValues metrics_of_json(const json& metrics, const std::string& file) {
  if (!metrics.is_object())
    throw InputError({file, "metrics", "an object", std::string(metrics.type_name())});
  MetricValues values;
  for (const Metric& metric : all_metrics()) {
    const auto found = metrics.find(metric.name);
    if (found == metrics.end()) continue;
    values.push_back({metric.name, value_of_json(metric, *found, file)});
  }
  return values;
}

const json& metrics_in(const json& document, const CompareConditions& conditions,
                       const std::string& file) {
  const json* holder = &document;
  if (conditions.device) {
    holder = nullptr;
    if (const auto devices = document.find("devices"); devices != document.end())
      for (const json& device : *devices)
        if (const auto number = device.find("device");
            number != device.end() && *number == *conditions.device)
          holder = &device;
    if (holder == nullptr)
      throw InputError({file, "devices", "device " + std::to_string(*conditions.device), "none"});
  }
  const auto metrics = holder->find("metrics");
  if (metrics == holder->end())
    throw InputError(
        {file, "", "a report with metrics, such as vramlab replay --json writes", "one without"});
  return *metrics;
}

}  // namespace

bool is_report(std::string_view start) {
  const std::size_t begin = start.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos || start[begin] != '{') return false;
  const std::size_t key = start.find_first_not_of(" \t\r\n", begin + 1);
  return key != std::string_view::npos && start.substr(key).starts_with("\"schema_version\"");
}

ComparedFile read_report(traces::OpenBytes& bytes, const CompareConditions& conditions) {
  const std::string& file = bytes.file;
  ComparedFile compared;
  compared.kind = "a report";
  try {
    const json document = json::parse(traces::read_all(bytes, longest_report));
    if (const json& version = document.at("schema_version"); version != 1)
      throw InputError({file, "schema_version", "1", version.dump()});
    compared.metrics = metrics_of_json(metrics_in(document, conditions, file), file);
    if (const auto notes = document.find("notes"); notes != document.end() && notes->is_array())
      for (const json& note : *notes)
        if (note.is_string()) compared.notes.push_back(note.get<std::string>());
  } catch (const json::parse_error& error) {
    throw InputError({file, "byte " + std::to_string(error.byte), "JSON", "something else"});
  }
  return compared;
}

ComparedFile compared_file_of(std::shared_ptr<Recording> recording,
                              const CompareConditions& conditions) {
  ComparedFile compared;
  compared.name = recording->file();
  compared.device = conditions.device;
  add_groups(*recording, conditions, compared);
  if (recording->is_program()) {
    add_program_metrics(*recording, conditions, compared);
  } else {
    compared.recorded = std::move(recording);
    add_recorded_metrics(*compared.recorded, conditions, compared);
  }
  return compared;
}

std::vector<const DeviceHistory*> ComparedFile::devices() const {
  std::vector<const DeviceHistory*> counted;
  if (!recorded) return counted;
  for (const DeviceHistory& history : recorded->history().devices)
    if (!device || history.device == *device) counted.push_back(&history);
  return counted;
}

}  // namespace vramlab::replay
