#include "tools/cli/commands/watch/watched_processes.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <system_error>
#include <tuple>

#include "tools/cli/commands/watch/asking.h"
#include "tools/cli/printers/json_text.h"

namespace vramlab::tools {
namespace {

using nlohmann::ordered_json;

/// Shorter than the time between two looks.
constexpr std::chrono::milliseconds longest_answer_time(500);

std::uint64_t number_in(const ordered_json& object, const char* name) {
  const auto member = object.find(name);
  return member != object.end() && member->is_number_unsigned() ? member->get<std::uint64_t>() : 0;
}

WatchedDevice watched_device_from(const ordered_json& told) {
  return {.device = static_cast<std::int64_t>(number_in(told, "device")),
          .allocated = Bytes{number_in(told, "allocated_bytes")},
          .reserved = Bytes{number_in(told, "reserved_bytes")},
          .stranded = Bytes{number_in(told, "stranded_bytes")},
          .peak_allocated = Bytes{number_in(told, "peak_allocated_bytes")},
          .peak_reserved = Bytes{number_in(told, "peak_reserved_bytes")},
          .peak_stranded = Bytes{number_in(told, "peak_stranded_bytes")},
          .failures = number_in(told, "failures")};
}

/// The process of `4711.sock`; 0 for another name.
std::int64_t process_of(const std::filesystem::path& socket) {
  const std::string name = socket.stem().string();
  std::int64_t process = 0;
  std::from_chars(name.data(), name.data() + name.size(), process);
  return process;
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

std::uint64_t WatchedProcess::failures() const {
  std::uint64_t all = 0;
  for (const WatchedDevice& device : devices) all += device.failures;
  return all;
}

std::optional<WatchedProcess> watched_process_from(const std::string& line) {
  const ordered_json told = ordered_json::parse(line, nullptr, false);
  if (!told.is_object() || number_in(told, "pid") == 0) return std::nullopt;
  WatchedProcess process;
  process.process = static_cast<std::int64_t>(number_in(told, "pid"));
  if (const auto rank = told.find("rank"); rank != told.end() && rank->is_number_unsigned())
    process.rank = rank->get<std::int64_t>();
  process.program = text_in(told, "program");
  process.explanation = text_in(told, "explanation");
  if (const auto devices = told.find("devices"); devices != told.end() && devices->is_array())
    for (const ordered_json& device : *devices)
      if (device.is_object()) process.devices.push_back(watched_device_from(device));
  return process;
}

std::string name_of(const WatchedProcess& process) {
  const std::string rank =
      process.rank ? "rank " + std::to_string(*process.rank) + ", " : std::string();
  const std::string program =
      process.program.empty() ? std::string() : " (" + process.program + ")";
  return rank + "process " + std::to_string(process.process) + program;
}

void WatchedProcesses::take(const std::string& line, WatchedState state) {
  std::optional<WatchedProcess> told = watched_process_from(line);
  if (!told) return;
  told->state = state;
  seen_[told->process] = *std::move(told);
}

void WatchedProcesses::ask(const std::vector<std::filesystem::path>& sockets) {
  const std::vector<std::string> answers = answers_to("figures", sockets, longest_answer_time);
  for (auto& [number, process] : seen_) {
    process.answered = false;
    if (process.state == WatchedState::running) process.state = WatchedState::gone;
  }
  for (std::size_t i = 0; i < sockets.size(); ++i) {
    take(answers[i], WatchedState::running);
    // A process that is busy keeps its figures.
    const auto busy = seen_.find(process_of(sockets[i]));
    if (answers[i].empty() && busy != seen_.end() && is_listening(sockets[i]))
      busy->second.state = WatchedState::running;
  }
}

void WatchedProcesses::look() {
  std::vector<std::filesystem::path> sockets;
  std::vector<std::filesystem::path> ends;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, error)) {
    if (entry.path().extension() == ".sock") sockets.push_back(entry.path());
    if (entry.path().extension() == ".json") ends.push_back(entry.path());
  }
  ask(sockets);
  for (const std::filesystem::path& end : ends) take(bytes_of(end), WatchedState::ended);
}

std::vector<WatchedProcess> WatchedProcesses::in_order() const {
  std::vector<WatchedProcess> all;
  for (const auto& [number, process] : seen_) all.push_back(process);
  const auto place = [](const WatchedProcess& process) {
    return std::tuple(!process.rank, process.rank.value_or(0), process.process);
  };
  std::ranges::sort(all, {}, place);
  return all;
}

}  // namespace vramlab::tools
