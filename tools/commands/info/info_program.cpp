#include "tools/commands/info/info_report.h"

#include <nlohmann/json.hpp>

#include "tools/printers/json_text.h"
#include "tools/printers/text_lines.h"

namespace vramlab::tools {
namespace {

using nlohmann::ordered_json;
using traces::ProgramEventKind;
using traces::ProgramSummary;

void add_known(std::string& text, const std::string& name, const std::string& value) {
  if (!value.empty()) add_line(text, name, value);
}

std::string device_text(const traces::TraceDevice& device) {
  std::string text = "device " + std::to_string(device.index.value);
  if (!device.name.empty()) text += ", " + device.name;
  if (device.memory.count != 0) text += ", " + format_bytes(device.memory);
  return text;
}

std::string header_text(const traces::TraceHeader& header) {
  std::string text;
  add_known(text, "origin", header.origin);
  add_known(text, "reference", header.reference);
  add_known(text, "settings", header.settings);
  for (const traces::TraceDevice& device : header.devices)
    add_known(text, "on", device_text(device));
  return text.empty() ? text : "header\n" + text;
}

template <typename Use>
void for_each_count(const ProgramSummary& summary, const Use& use) {
  for (std::size_t i = 0; i < summary.counts.size(); ++i)
    if (summary.counts[i] != 0)
      use(std::string(program_event_name(static_cast<ProgramEventKind>(i))), summary.counts[i]);
}

}  // namespace

std::string program_text(const ProgramSummary& summary) {
  std::string text = header_text(summary.header);
  if (summary.event_count() == 0) return text;
  text += "program\n";
  std::string kinds;
  for_each_count(summary, [&](const std::string& name, std::uint64_t count) {
    kinds += (kinds.empty() ? " (" : ", ") + name + " " + std::to_string(count);
  });
  add_known(text, "events", std::to_string(summary.event_count()) + kinds + ")");
  add_known(text, "requested", format_bytes(summary.requested) + " in all");
  if (summary.times)
    add_known(text, "time",
              "from " + std::to_string(summary.times->first_ns) + " ns to " +
                  std::to_string(summary.times->last_ns) + " ns");
  return text;
}

ordered_json program_json(const ProgramSummary& summary) {
  ordered_json events = ordered_json::object();
  for_each_count(summary,
                 [&](const std::string& name, std::uint64_t count) { events[name] = count; });
  const auto device_json = [](const traces::TraceDevice& device) -> ordered_json {
    return {{"device", device.index.value},
            {"memory_bytes", device.memory.count},
            {"name", device.name}};
  };
  const auto time_ns = [&](std::uint64_t traces::ProgramTimes::*end) {
    return or_null(summary.times, [end](const traces::ProgramTimes& times) { return times.*end; });
  };
  return {{"origin", summary.header.origin},
          {"reference", summary.header.reference},
          {"settings", summary.header.settings},
          {"devices", json_list(summary.header.devices, device_json)},
          {"events", summary.event_count()},
          {"events_by_kind", events},
          {"requested_bytes", summary.requested.count},
          {"first_time_ns", time_ns(&traces::ProgramTimes::first_ns)},
          {"last_time_ns", time_ns(&traces::ProgramTimes::last_ns)}};
}

std::string log_text(const traces::LogFacts& log) {
  struct Row {
    const char* name;
    std::uint64_t count;
    const char* meaning;
  };
  const Row rows[] = {
      {"out of memory", log.failures, " failed requests, which are markers"},
      {"before the log", log.mallocs_before_begin,
       " blocks that are only freed in it: a malloc was added at its start"},
      {"frees missing", log.assumed_frees, " blocks allocated again without one: a free was added"},
      {"mallocs missing", log.lone_frees, " blocks freed again without one: left out"},
      {"empty requests", log.empty_requests, " events of 0 bytes: left out"},
      {"other devices", log.of_other_devices, " events of the CPU or other devices: left out"},
  };
  std::string text;
  for (const Row& row : rows)
    if (row.count > 0) add_known(text, row.name, std::to_string(row.count) + row.meaning);
  if (log.was_sorted) add_known(text, "order", "events were not in order of time: sorted");
  return text.empty() ? text : "log\n" + text;
}

ordered_json log_json(const traces::LogFacts& log) {
  return {
      {"failed_requests", log.failures},      {"mallocs_before_begin", log.mallocs_before_begin},
      {"assumed_frees", log.assumed_frees},   {"lone_frees", log.lone_frees},
      {"empty_requests", log.empty_requests}, {"events_of_other_devices", log.of_other_devices},
      {"was_sorted", log.was_sorted}};
}

}  // namespace vramlab::tools
