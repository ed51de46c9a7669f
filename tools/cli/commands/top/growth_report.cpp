#include "tools/cli/commands/top/top_report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <span>

#include "tools/cli/printers/json_text.h"
#include "tools/cli/printers/table.h"
#include "tools/cli/printers/text_lines.h"
#include "traces/model/user_frame.h"

namespace vramlab::tools {
namespace {

using nlohmann::ordered_json;
using replay::DeviceGrowth;
using replay::GrowingSite;
using replay::IterationRule;
using replay::IterationSource;

constexpr std::size_t growing_name_width = 90;

constexpr std::pair<IterationSource, const char*> source_names[] = {
    {IterationSource::none, "none"},        {IterationSource::events, "events"},
    {IterationSource::every, "every"},      {IterationSource::ranges, "ranges"},
    {IterationSource::markers, "markers"},  {IterationSource::annotations, "annotations"},
    {IterationSource::requests, "requests"}};

const char* source_name(IterationSource source) {
  return std::ranges::find(source_names, source, &std::pair<IterationSource, const char*>::first)
      ->second;
}

/// What a round begins with.
std::string request_text(const replay::RepeatedRequest& request,
                         const traces::SnapshotTables& tables) {
  const auto frame = traces::innermost_user_frame(request.stack, tables);
  if (!frame) return "a request of " + format_bytes(request.requested);
  return "a request at " + traces::frame_text(*frame, tables);
}

std::string how_found(const IterationRule& rule, std::int64_t device,
                      const traces::SnapshotTables& tables) {
  switch (rule.source) {
    case IterationSource::events:
      return "they end after the given events";
    case IterationSource::every:
      return "every " + std::to_string(rule.every) + " events, as given";
    case IterationSource::ranges:
      return "from the ranges '" + rule.name + "'";
    case IterationSource::markers:
      return "from the markers '" + rule.name + "'";
    case IterationSource::annotations:
      return "from the annotations '" + rule.name + "'";
    case IterationSource::requests: {
      const auto request = rule.requests.find(device);
      if (request == rule.requests.end()) return "none found";
      return "guessed from repeated requests: each begins with " +
             request_text(request->second, tables);
    }
    case IterationSource::none:
      break;
  }
  return "none found";
}

std::string blocks_per_iteration(const GrowingSite& site) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f",
                static_cast<double>(site.grown_blocks) / static_cast<double>(site.iterations));
  return text;
}

Bytes whole_bytes(double bytes) { return {static_cast<std::uint64_t>(std::llround(bytes))}; }

std::string sites_text(const DeviceGrowth& device, std::uint64_t limit) {
  Table table({{"growth/iter.", 14},
               {"blocks/iter.", 12},
               {"held at end", 12},
               {"blocks", 6},
               left("call site")});
  const std::size_t shown = shown_of(device.sites.size(), limit);
  for (const GrowingSite& site : std::span(device.sites).first(shown))
    table.add({format_bytes(whole_bytes(site.bytes_per_iteration())), blocks_per_iteration(site),
               format_bytes(site.held), std::to_string(site.held_blocks),
               shortened(site.key, growing_name_width)});
  return table.text() + rest_line(device.sites.size() - shown);
}

std::string device_text(const GrowthOutcome& outcome, const DeviceGrowth& device) {
  std::string text = "device " + std::to_string(device.device) + ": " +
                     std::to_string(device.iterations) +
                     (device.iterations == 1 ? " end of an iteration, " : " ends of iterations, ") +
                     how_found(outcome.found.rule, device.device, outcome.tables) + "\n";
  if (device.iterations < replay::least_iteration_ends)
    return text + "  too few to tell growth from warm-up: " +
           std::to_string(replay::least_iteration_ends) + " are needed\n";
  if (outcome.found.rule.source == IterationSource::requests)
    text +=
        "  these iterations are guessed: they may be layers or parameters of one step; --iteration "
        "and --every\n  set where steps end\n";
  text += "  held at the end of the first one " + format_bytes(device.held_first) +
          ", of the last one " + format_bytes(device.held_last) + ", as requested\n";
  if (device.sites.empty()) return text + "  no call site grows steadily\n";
  return text + sites_text(device, outcome.limit);
}

ordered_json site_json(const GrowingSite& site, const traces::SnapshotTables& tables) {
  return {{"key", site.key},
          {"bytes_per_iteration", site.bytes_per_iteration()},
          {"blocks_per_iteration",
           static_cast<double>(site.grown_blocks) / static_cast<double>(site.iterations)},
          {"steady_iterations", site.iterations},
          {"grown_bytes", site.grown.count},
          {"grown_blocks", site.grown_blocks},
          {"held_bytes", site.held.count},
          {"held_blocks", site.held_blocks},
          {"stack", stack_json(site.sample_stack, tables)}};
}

ordered_json growth_device_json(const GrowthOutcome& outcome, const DeviceGrowth& device) {
  const auto shown = std::span(device.sites).first(shown_of(device.sites.size(), outcome.limit));
  const auto of_site = [&](const auto& site) { return site_json(site, outcome.tables); };
  return {{"device", device.device},
          {"iteration_ends", device.iterations},
          {"how_found", how_found(outcome.found.rule, device.device, outcome.tables)},
          {"is_enough", device.iterations >= replay::least_iteration_ends},
          {"first_held_bytes", device.held_first.count},
          {"last_held_bytes", device.held_last.count},
          {"growing_sites", device.sites.size()},
          {"sites", json_list(shown, of_site)}};
}

}  // namespace

std::string growth_text(const GrowthOutcome& outcome) {
  std::string text = outcome.file + "\n";
  if (outcome.found.rule.source == IterationSource::none)
    return text +
           "  no iterations found: nothing is named like one, and no request repeats at even "
           "distances;\n  give their ends with --iteration or --every\n";
  for (const DeviceGrowth& device : outcome.found.devices) text += device_text(outcome, device);
  return text;
}

std::string growth_json(const GrowthOutcome& outcome) {
  const replay::FoundGrowth& found = outcome.found;
  return json_text({{"schema_version", 1},
                    {"kind", "growth"},
                    {"file", outcome.file},
                    {"iterations_by", source_name(found.rule.source)},
                    {"iteration_name", found.rule.name},
                    {"is_guess", found.rule.source == IterationSource::requests},
                    {"devices", json_list(found.devices, [&](const DeviceGrowth& device) {
                       return growth_device_json(outcome, device);
                     })}});
}

}  // namespace vramlab::tools
