#include "tools/cli/commands/dry_run/shared_memory.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "tools/cli/kit/outputs.h"
#include "tools/cli/printers/json_text.h"
#include "tools/cli/printers/shown_text.h"
#include "tools/cli/printers/table.h"
#include "tools/cli/printers/text_lines.h"

namespace vramlab::tools {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t most_shared_refusals_shown = 3;
constexpr std::size_t most_shared_rows_shown = 40;
constexpr std::size_t most_shared_events_in_json = 2000;

Bytes sum_of_held(const HeldByProcess& held) {
  Bytes sum;
  for (const auto& [process, bytes] : held) sum = sum + bytes;
  return sum;
}

struct SharedLogLine {
  std::uint64_t time_ns = 0;
  std::int64_t process = 0;
  std::uint32_t device = 0;
  std::string use;
  std::uint64_t bytes = 0;
  std::uint64_t held = 0;
  std::string name;
};

bool read_log_line(std::istream& log, SharedLogLine& line) {
  std::string text;
  while (std::getline(log, text)) {
    std::istringstream words(text);
    if (words >> line.time_ns >> line.process >> line.device >> line.use >> line.bytes >>
        line.held) {
      std::getline(words >> std::ws, line.name);
      return true;
    }
  }
  return false;
}

/// The words of a command line without the folders of files.
std::string without_folders(const std::string& command) {
  std::istringstream words(command);
  std::string text;
  for (std::string word; words >> word;)
    text += (text.empty() ? "" : " ") + word.substr(word.rfind('/') + 1);
  return text;
}

class SharedLogReader {
 public:
  SharedMemory read(std::istream& log) {
    for (SharedLogLine line; read_log_line(log, line);) {
      if (first_ns_ == 0) first_ns_ = line.time_ns;
      shared_.processes[line.process] = without_folders(line.name);
      take(line, (std::max(line.time_ns, first_ns_) - first_ns_) / 1000);
    }
    for (auto& [index, device] : devices_) shared_.devices.push_back(std::move(device));
    return std::move(shared_);
  }

 private:
  void take(const SharedLogLine& line, std::uint64_t time_us) {
    SharedDevice& device = devices_[line.device];
    device.index = line.device;
    HeldByProcess& held = held_[line.device];
    held[line.process] = Bytes{line.held};
    if (line.held == 0) held.erase(line.process);
    const Bytes all = sum_of_held(held);
    device.events.push_back(
        {time_us, line.process, line.use, Bytes{line.bytes}, Bytes{line.held}, all});
    if (line.use == "refused")
      device.refusals.push_back({time_us, line.process, Bytes{line.bytes}, held});
    if (all <= device.peak) return;
    device.peak = all;
    device.peak_time_us = time_us;
    device.held_at_peak = held;
  }

  SharedMemory shared_;
  std::uint64_t first_ns_ = 0;
  std::map<std::uint32_t, SharedDevice> devices_;
  std::map<std::uint32_t, HeldByProcess> held_;
};

/// Most first.
std::string shared_holders_text(const HeldByProcess& held, std::int64_t but = 0) {
  std::vector<std::pair<Bytes, std::int64_t>> sorted;
  for (const auto& [process, bytes] : held)
    if (process != but) sorted.emplace_back(bytes, process);
  std::ranges::sort(sorted, std::greater<>());
  std::string text;
  for (const auto& [bytes, process] : sorted)
    text += (text.empty() ? "process " : ", process ") + std::to_string(process) + " " +
            format_bytes(bytes);
  return text.empty() ? "no other process anything" : text;
}

void add_shared_refusals(std::string& text, const SharedDevice& device) {
  std::set<std::int64_t> shown;
  for (const SharedRefusal& refusal : device.refusals) {
    // A request that failed was tried again; the last one of each process says most.
    if (!shown.insert(refusal.process).second || shown.size() > most_shared_refusals_shown)
      continue;
    const auto last = std::ranges::find(device.refusals.rbegin(), device.refusals.rend(),
                                        refusal.process, &SharedRefusal::process);
    const auto own = last->held.find(last->process);
    add_line(text, "no room",
             "process " + std::to_string(last->process) + " at " + duration_text(last->time_us) +
                 ": asked for " + format_bytes(last->bytes) + ", held " +
                 format_bytes(own == last->held.end() ? Bytes{} : own->second) +
                 "; beside it held " + shared_holders_text(last->held, last->process));
  }
}

ordered_json shared_held_json(const HeldByProcess& held) {
  ordered_json list = ordered_json::array();
  for (const auto& [process, bytes] : held)
    list.push_back({{"process", process}, {"held_bytes", bytes.count}});
  return list;
}

ordered_json shared_refusal_json(const SharedRefusal& refusal) {
  return {{"time_us", refusal.time_us},
          {"process", refusal.process},
          {"bytes", refusal.bytes.count},
          {"held", shared_held_json(refusal.held)}};
}

ordered_json shared_event_json(const SharedEvent& event) {
  return {{"time_us", event.time_us},
          {"process", event.process},
          {"use", event.use},
          {"bytes", event.bytes.count},
          {"held_bytes", event.held.count},
          {"held_by_all_bytes", event.held_by_all.count}};
}

ordered_json shared_device_json(const SharedDevice& device) {
  const std::vector<SharedEvent> events = main_events(device, most_shared_events_in_json);
  return {{"index", device.index},
          {"peak_bytes", device.peak.count},
          {"peak_time_us", device.peak_time_us},
          {"held_at_peak", shared_held_json(device.held_at_peak)},
          {"refusals", json_list(device.refusals, shared_refusal_json)},
          {"events_left_out", device.events.size() - events.size()},
          {"events", json_list(events, shared_event_json)}};
}

}  // namespace

SharedMemory read_shared_memory(const std::string& folder) {
  std::ifstream log(folder + "/shared_devices.log");
  return SharedLogReader().read(log);
}

std::vector<SharedEvent> main_events(const SharedDevice& device, std::size_t most) {
  for (std::uint64_t share = device.events.size() <= most ? 0 : 1;; share = 2 * share + 1) {
    std::vector<SharedEvent> chosen;
    std::map<std::int64_t, std::uint64_t> told;
    for (const SharedEvent& event : device.events) {
      const std::uint64_t before = told.contains(event.process) ? told[event.process] : 0;
      const std::uint64_t change =
          std::max(before, event.held.count) - std::min(before, event.held.count);
      const bool is_first = !told.contains(event.process);
      if (!is_first && event.use != "ended" && change * 1000 < device.peak.count * share) continue;
      told[event.process] = event.held.count;
      chosen.push_back(event);
    }
    if (chosen.size() <= most || share > 1000) return chosen;
  }
}

void add_shared(std::string& text, const SharedMemory& shared) {
  for (const SharedDevice& device : shared.devices) {
    add_line(text, "shared GPU " + std::to_string(device.index),
             "at most " + format_bytes(device.peak) + " held by all processes, at " +
                 duration_text(device.peak_time_us) + ": " +
                 shared_holders_text(device.held_at_peak));
    add_shared_refusals(text, device);
  }
}

std::string shared_timeline_text(const SharedMemory& shared) {
  std::string text;
  for (const SharedDevice& device : shared.devices) {
    text += "GPU " + std::to_string(device.index) +
            " over time, in the order of the calls (wall clock of this machine):\n";
    Table table({{"time"}, {"held by all"}, {"of it"}, {"process"}, left("command"), left("")});
    for (const SharedEvent& event : main_events(device, most_shared_rows_shown))
      table.add({duration_text(event.time_us), format_bytes(event.held_by_all),
                 format_bytes(event.held), std::to_string(event.process),
                 shown_name(shared.processes.at(event.process)),
                 event.use == "refused" ? "no room for " + format_bytes(event.bytes)
                 : event.use == "ended" ? "ended"
                                        : ""});
    text += table.text_within(table_columns());
  }
  return text;
}

ordered_json shared_json(const SharedMemory& shared) {
  ordered_json processes = ordered_json::array();
  for (const auto& [process, name] : shared.processes)
    processes.push_back({{"process", process}, {"command", name}});
  return {{"order", "wall clock of the calls"},
          {"processes", processes},
          {"devices", json_list(shared.devices, shared_device_json)}};
}

}  // namespace vramlab::tools
