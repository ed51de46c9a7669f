#include "tools/cli/commands/watch/watch_text.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tools/cli/printers/json_text.h"
#include "tools/cli/printers/shown_text.h"
#include "tools/cli/printers/table.h"
#include "tools/cli/printers/text_lines.h"

namespace vramlab::tools {
namespace {

using nlohmann::ordered_json;

std::string growth_text(Bytes before, Bytes now) {
  return now < before ? "-" + format_bytes(before - now) : "+" + format_bytes(now - before);
}

std::string device_line(const WatchedProcess& process, const WatchedDevice& device,
                        WatchedGrowth& growth) {
  const std::string grown = growth.since_before(process, device);
  return "vramlab: " + shown_name(name_of(process)) + ", GPU " + std::to_string(device.device) +
         ": allocated " + format_bytes(device.allocated) +
         (grown.empty() ? "" : " (" + grown + ")") + ", reserved " + format_bytes(device.reserved) +
         ", stranded " + format_bytes(device.stranded) + "; peak allocated " +
         format_bytes(device.peak_allocated) + ", reserved " + format_bytes(device.peak_reserved) +
         "\n";
}

std::vector<WatchedProcess> with_memory(std::vector<WatchedProcess> processes) {
  std::erase_if(processes, [](const WatchedProcess& one) { return one.devices.empty(); });
  return processes;
}

Table summary_table(const std::vector<WatchedProcess>& processes) {
  Table table({{"rank"},
               {"process"},
               left("program"),
               {"GPU"},
               {"peak allocated"},
               {"peak reserved"},
               {"peak stranded"},
               {"failed"}});
  for (const WatchedProcess& process : processes)
    for (const WatchedDevice& device : process.devices)
      table.add({process.rank ? std::to_string(*process.rank) : "-",
                 std::to_string(process.process), process.program, std::to_string(device.device),
                 format_bytes(device.peak_allocated), format_bytes(device.peak_reserved),
                 format_bytes(device.peak_stranded), std::to_string(device.failures)});
  return table;
}

constexpr const char* no_memory =
    "vramlab: no process told of memory of a GPU: none used PyTorch's on CUDA, or its Python runs "
    "no "
    "start-up hook (-I, -E and -S switch it off)\n";

ordered_json watched_device_json(const WatchedDevice& device) {
  return {{"device", device.device},
          {"allocated_bytes", device.allocated.count},
          {"reserved_bytes", device.reserved.count},
          {"stranded_bytes", device.stranded.count},
          {"peak_allocated_bytes", device.peak_allocated.count},
          {"peak_reserved_bytes", device.peak_reserved.count},
          {"peak_stranded_bytes", device.peak_stranded.count},
          {"failures", device.failures}};
}

std::string state_name(WatchedState state) {
  switch (state) {
    case WatchedState::running:
      return "running";
    case WatchedState::ended:
      return "ended";
    case WatchedState::gone:
      return "gone";
  }
  return {};
}

ordered_json watched_process_json(const WatchedProcess& process) {
  return {{"pid", process.process},
          {"rank", or_null(process.rank)},
          {"program", process.program},
          {"state", state_name(process.state)},
          {"failures", process.failures()},
          {"explanation", text_or_null(process.explanation)},
          {"devices", json_list(process.devices, watched_device_json)}};
}

}  // namespace

std::string WatchedGrowth::since_before(const WatchedProcess& process,
                                        const WatchedDevice& device) {
  const auto [before, is_first] =
      before_.try_emplace({process.process, device.device}, device.allocated);
  if (is_first) return {};
  return growth_text(std::exchange(before->second, device.allocated), device.allocated);
}

std::string watched_lines(const std::vector<WatchedProcess>& processes, WatchedGrowth& growth) {
  std::string text;
  for (const WatchedProcess& process : processes) {
    if (process.state != WatchedState::running) continue;
    if (!process.answered)
      text += "vramlab: " + shown_name(name_of(process)) + ": no answer in time\n";
    else
      for (const WatchedDevice& device : process.devices)
        text += device_line(process, device, growth);
  }
  return text;
}

std::string watched_table(const WatchedProcess& process, WatchedGrowth& growth) {
  Table table({{"GPU"},
               {"allocated"},
               {"growth"},
               {"reserved"},
               {"stranded"},
               {"peak allocated"},
               {"peak reserved"},
               {"failed"}});
  for (const WatchedDevice& device : process.devices)
    table.add({std::to_string(device.device), format_bytes(device.allocated),
               growth.since_before(process, device), format_bytes(device.reserved),
               format_bytes(device.stranded), format_bytes(device.peak_allocated),
               format_bytes(device.peak_reserved), std::to_string(device.failures)});
  std::string text = shown_name(name_of(process)) + "\n";
  text += table.is_empty() ? "  no memory of a GPU yet\n" : table.text();
  if (!process.explanation.empty()) add_line(text, "explanation", process.explanation);
  return text;
}

std::string watch_summary(const std::vector<WatchedProcess>& processes, int status) {
  const std::vector<WatchedProcess> shown = with_memory(processes);
  if (shown.empty()) return no_memory;
  std::string text = "vramlab: " + counted(shown.size(), "process", "processes") +
                     " used memory of a GPU; the program ended with exit status " +
                     std::to_string(status) + "\n" + summary_table(shown).text_within(widest_line);
  for (const WatchedProcess& process : shown) {
    if (!process.explanation.empty()) add_line(text, "explanation", process.explanation);
    if (process.state == WatchedState::gone)
      add_line(text, "note",
               "process " + std::to_string(process.process) +
                   " was killed, or left without a word: its figures are those of its last answer");
    if (process.state == WatchedState::running)
      add_line(text, "note", "process " + std::to_string(process.process) + " still runs");
  }
  return text;
}

std::string watch_json(const std::vector<WatchedProcess>& processes, int status) {
  return json_text({{"schema_version", 1},
                    {"exit_status", status},
                    {"processes", json_list(with_memory(processes), watched_process_json)}});
}

}  // namespace vramlab::tools
