#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "replay/compare/compared_file.h"
#include "traces/io/input_error.h"

namespace vramlab::replay {
namespace {

using nlohmann::json;
using traces::InputError;

constexpr std::size_t first_look = 256;
/// Reports are short; what is longer is something else.
constexpr std::size_t longest_report = 64U << 20;

std::string read_bytes(traces::ByteSource& source, std::size_t most) {
  std::string text;
  std::vector<char> piece(std::min<std::size_t>(most, 1U << 16));
  while (text.size() < most) {
    const std::size_t count = source.read(piece.data(), std::min(piece.size(), most - text.size()));
    if (count == 0) break;
    text.append(piece.data(), count);
  }
  return text;
}

/// The JSON of vramlab's own commands begins so.
bool is_report(const std::string& beginning) {
  const std::size_t begin = beginning.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos || beginning[begin] != '{') return false;
  const std::size_t key = beginning.find_first_not_of(" \t\r\n", begin + 1);
  return key != std::string::npos && beginning.compare(key, 16, "\"schema_version\"") == 0;
}

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

ComparedFile read_report(const std::string& file, traces::ByteSource& source, std::string beginning,
                         const CompareConditions& conditions) {
  beginning += read_bytes(source, longest_report);
  ComparedFile compared;
  compared.kind = "a report";
  try {
    const json document = json::parse(beginning);
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

}  // namespace

std::optional<ComparedFile> read_report(const std::string& path,
                                        const CompareConditions& conditions) {
  const auto source = traces::open_file_source(path);
  std::string beginning = read_bytes(*source, first_look);
  if (!is_report(beginning)) return std::nullopt;
  return read_report(traces::input_name(path), *source, std::move(beginning), conditions);
}

ComparedFile read_compared_file(const std::string& path, const CompareConditions& conditions,
                                const traces::ProgressListener& listener) {
  const std::string name = traces::input_name(path);
  if (path == "-")
    throw traces::InputError(
        {name, "", "a file, as this goes through it more than once", "standard input"});
  if (std::optional<ComparedFile> report = read_report(path, conditions)) {
    report->name = path;
    return *std::move(report);
  }
  ComparedFile compared;
  compared.name = path;
  add_groups(path, conditions, listener, compared);
  if (compared.kind == "a program")
    add_program_metrics(path, conditions, listener, compared);
  else
    add_recorded_metrics(path, conditions, listener, compared);
  return compared;
}

}  // namespace vramlab::replay
