#include "tools/commands/conform/conform_report.h"
#include "tools/printers/json_or_null.h"
#include "tools/printers/json_text.h"

#include <nlohmann/json.hpp>

namespace vramlab::tools {
namespace {

using nlohmann::ordered_json;

constexpr int conform_schema_version = 1;

ordered_json difference_json(const replay::Difference& difference) {
  return {{"where", difference.where},
          {"call", or_null(difference.call)},
          {"expected", difference.expected},
          {"actual", difference.actual}};
}

ordered_json outcome_json(const ConformOutcome& outcome) {
  if (!outcome.verdict) return {{"file", outcome.file}, {"error", outcome.error}};
  const replay::CaseVerdict& verdict = *outcome.verdict;
  ordered_json json = {
      {"file", outcome.file}, {"name", verdict.name}, {"passed", verdict.passed()}};
  if (verdict.passed()) return json;
  json["first_call"] = or_null(verdict.first_call);
  json["call"] = verdict.call_text;
  json["differences"] = ordered_json::array();
  for (const replay::Difference& difference : verdict.differences)
    json["differences"].push_back(difference_json(difference));
  json["segments"] = verdict.segments;
  return json;
}

}  // namespace

ConformCounts count_outcomes(const std::vector<ConformOutcome>& outcomes) {
  ConformCounts counts;
  for (const ConformOutcome& outcome : outcomes) {
    if (!outcome.verdict)
      ++counts.unreadable;
    else if (outcome.verdict->passed())
      ++counts.passed;
    else
      ++counts.failed;
  }
  return counts;
}

std::string counts_text(const ConformCounts& counts) {
  std::string text =
      std::to_string(counts.passed) + " passed, " + std::to_string(counts.failed) + " failed";
  if (counts.unreadable > 0) text += ", " + std::to_string(counts.unreadable) + " unreadable";
  return text;
}

std::string outcomes_json(const std::vector<ConformOutcome>& outcomes) {
  const ConformCounts counts = count_outcomes(outcomes);
  ordered_json document = {{"schema_version", conform_schema_version},
                           {"passed", counts.passed},
                           {"failed", counts.failed},
                           {"unreadable", counts.unreadable},
                           {"cases", ordered_json::array()}};
  for (const ConformOutcome& outcome : outcomes) document["cases"].push_back(outcome_json(outcome));
  // Names come from files and may hold anything.
  return json_text(document);
}

}  // namespace vramlab::tools
