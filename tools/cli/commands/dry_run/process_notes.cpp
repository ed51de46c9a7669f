#include "tools/cli/commands/dry_run/process_notes.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "tools/cli/kit/outputs.h"
#include "traces/io/input_error.h"

namespace vramlab::tools {
namespace {

using nlohmann::ordered_json;

std::string text_of(const ordered_json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() || !found->is_string() ? "" : found->get<std::string>();
}

template <class Value>
Value value_of(const ordered_json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !(found->is_number() || found->is_boolean())) return Value();
  return found->get<Value>();
}

std::vector<ordered_json> list_of(const ordered_json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_array()) return {};
  return {found->begin(), found->end()};
}

std::vector<std::string> texts_of(const ordered_json& object, const char* key) {
  std::vector<std::string> texts;
  for (const ordered_json& each : list_of(object, key))
    if (each.is_string()) texts.push_back(each.get<std::string>());
  return texts;
}

Note note_from(const ordered_json& object) {
  Note note{text_of(object, "kind"),
            text_of(object, "subject"),
            value_of<std::uint64_t>(object, "count"),
            text_of(object, "last_place"),
            {}};
  for (const ordered_json& place : list_of(object, "places"))
    note.places.push_back({text_of(place, "place"), value_of<std::uint64_t>(place, "count")});
  return note;
}

std::vector<NotedFile> files_from(const ordered_json& object) {
  std::vector<NotedFile> files;
  for (const ordered_json& file : list_of(object, "files"))
    if (file.is_array() && file.size() == 3 && file[0].is_string() && file[1].is_number_integer() &&
        file[2].is_number_integer())
      files.push_back({file[0], file[1], file[2]});
  return files;
}

std::vector<NotedSize> sizes_from(const ordered_json& object) {
  std::vector<NotedSize> sizes;
  const auto found = object.find("sizes");
  if (found == object.end() || !found->is_object()) return sizes;
  for (const auto& [place, counts] : found->items())
    if (counts.is_array() && counts.size() == 2 && counts[0].is_number_unsigned() &&
        counts[1].is_number_unsigned())
      sizes.push_back({place, counts[0], counts[1]});
  std::ranges::stable_sort(sizes, std::greater<>(), &NotedSize::count);
  return sizes;
}

PythonNotes python_from(const ordered_json& object) {
  PythonNotes notes;
  notes.torch = text_of(object, "torch");
  notes.torch_cuda = text_of(object, "torch_cuda");
  notes.has_cuda = value_of<bool>(object, "has_cuda");
  notes.cuda_came_up = value_of<bool>(object, "cuda_came_up");
  notes.history = text_of(object, "history");
  notes.output = text_of(object, "output");
  notes.rank = text_of(object, "rank");
  notes.steps = value_of<std::uint64_t>(object, "steps");
  notes.ended_after_steps = object.contains("ended_after_steps");
  if (const auto error = object.find("error"); error != object.end() && error->is_object())
    notes.error = NotedError{text_of(*error, "type"), text_of(*error, "place"),
                             value_of<bool>(*error, "may_come_from_values")};
  notes.waits_at = text_of(object, "waits_at");
  notes.sizes = sizes_from(object);
  notes.kernel_code = texts_of(object, "kernel_code");
  notes.missing_functions = texts_of(object, "missing_functions");
  notes.troubles = texts_of(object, "troubles");
  notes.files = files_from(object);
  notes.has_ended = value_of<bool>(object, "has_ended");
  if (const auto serving = object.find("serving"); serving != object.end())
    notes.serving = *serving;
  if (const auto failures = object.find("out_of_memory"); failures != object.end()) {
    notes.failure_count = value_of<std::uint64_t>(*failures, "count");
    for (const ordered_json& failure : list_of(*failures, "first"))
      notes.failures.push_back({value_of<std::int64_t>(failure, "device"),
                                value_of<std::uint64_t>(failure, "requested_bytes"),
                                text_of(failure, "place")});
  }
  return notes;
}

NotedPinned pinned_from(const ordered_json& object) {
  NotedPinned pinned{
      value_of<std::uint64_t>(object, "peak_bytes"), value_of<std::uint64_t>(object, "count"), {}};
  for (const ordered_json& call : list_of(object, "calls"))
    if (call.is_array() && call.size() == 2 && call[0].is_string() && call[1].is_number_unsigned())
      pinned.calls.push_back({call[0].get<std::string>(), call[1].get<std::uint64_t>()});
  return pinned;
}

struct NotesFile {
  int process = 0;
  bool is_of_python = false;
};

/// Reads `4711.json` and `python.4711.json`.
std::optional<NotesFile> notes_file(std::string_view name) {
  constexpr std::string_view hook = "python.";
  NotesFile file;
  file.is_of_python = name.starts_with(hook);
  if (file.is_of_python) name.remove_prefix(hook.size());
  const char* const end = name.data() + name.size();
  const auto read = std::from_chars(name.data(), end, file.process);
  if (read.ec != std::errc() || std::string_view(read.ptr, end) != ".json") return std::nullopt;
  return file;
}

void add_notes(const ordered_json& object, const NotesFile& file, ProcessNotes& process) {
  process.process = file.process;
  if (file.is_of_python) {
    process.python = python_from(object);
  } else {
    process.has_driver_notes = true;
    for (const ordered_json& note : list_of(object, "notes"))
      process.notes.push_back(note_from(note));
    for (const ordered_json& gpu : list_of(object, "gpus"))
      process.gpus.push_back({value_of<std::int64_t>(gpu, "index"),
                              value_of<std::uint64_t>(gpu, "peak_used_bytes"),
                              value_of<std::uint64_t>(gpu, "peak_managed_bytes"),
                              value_of<std::uint64_t>(gpu, "managed_at_peak_bytes"),
                              value_of<std::uint64_t>(gpu, "peak_with_managed_bytes")});
  }
  if (const auto pinned = object.find("pinned"); pinned != object.end() && pinned->is_object())
    process.pinned = pinned_from(*pinned);
  // Only the hook knows the script and its arguments behind the interpreter's name.
  if (file.is_of_python || process.program.empty()) process.program = text_of(object, "program");
}

/// Copies the whole file or nothing, also to another file system.
void copy_history(const std::string& from, const std::string& to, traces::Overwrite overwrite) {
  std::ifstream source(from, std::ios::binary);
  traces::OutputFile output(to, overwrite);
  std::string part(std::size_t{1} << 20, '\0');
  while (source.read(part.data(), static_cast<std::streamsize>(part.size())) || source.gcount() > 0)
    output.write({part.data(), static_cast<std::size_t>(source.gcount())});
  output.finish();
}

}  // namespace

std::vector<const Note*> ProcessNotes::of_kind(const std::string& kind) const {
  std::vector<const Note*> found;
  for (const Note& note : notes)
    if (note.kind == kind) found.push_back(&note);
  return found;
}

std::string short_place(const std::string& place) {
  const std::size_t name_end = place.find(':');
  std::size_t slash = place.rfind('/', name_end);
  if (slash == std::string::npos || slash == 0) return place;
  slash = place.rfind('/', slash - 1);
  return slash == std::string::npos ? place : place.substr(slash + 1);
}

std::string ProcessNotes::name() const {
  return python && !python->rank.empty() ? "rank " + python->rank
                                         : "process " + std::to_string(process);
}

std::string ProcessNotes::last_read() const {
  // All such notes have one subject.
  const std::vector<const Note*> reads = of_kind("host_read");
  if (reads.empty()) return "";
  return reads.front()->last_place.empty() ? "an unknown place" : reads.front()->last_place;
}

std::optional<NotedPlace> ProcessNotes::most_read() const {
  std::optional<NotedPlace> most;
  for (const Note* note : of_kind("host_read"))
    for (const NotedPlace& place : note->places)
      if (!most || place.count > most->count) most = place;
  return most;
}

std::vector<ProcessNotes> read_process_notes(const std::string& folder,
                                             std::vector<std::string>& troubles) {
  std::map<int, ProcessNotes> processes;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const auto file = notes_file(entry.path().filename().string());
    if (!file) continue;
    std::ifstream stream(entry.path());
    const ordered_json object = ordered_json::parse(stream, nullptr, false);
    if (object.is_object())
      add_notes(object, *file, processes[file->process]);
    else
      troubles.push_back("the notes of process " + std::to_string(file->process) +
                         " can't be read");
  }
  std::vector<ProcessNotes> sorted;
  for (auto& [number, process] : processes) sorted.push_back(std::move(process));
  return sorted;
}

std::map<int, std::string> name_histories(const std::vector<ProcessNotes>& processes,
                                          const NamedHistories& named) {
  std::map<std::string, std::vector<const ProcessNotes*>> asked;
  for (const ProcessNotes& process : processes)
    if (!process.history().empty() && !process.output().empty())
      asked[process.output()].push_back(&process);
  std::map<int, std::string> names;
  for (const auto& [name, owners] : asked) {
    const auto main = std::ranges::max_element(owners, {}, [&](const ProcessNotes* process) {
      return std::tuple(process->process == named.process,
                        std::filesystem::file_size(process->history()));
    });
    for (const ProcessNotes* process : owners) {
      const std::string own =
          process == *main ? name : name + "." + std::to_string(process->process);
      copy_history(process->history(), own, named.overwrite);
      names[process->process] = own;
    }
  }
  return names;
}

}  // namespace vramlab::tools
