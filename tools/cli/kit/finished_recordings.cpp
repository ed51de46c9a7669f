#include "tools/cli/kit/finished_recordings.h"
#include "tools/cli/kit/input_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <tuple>

#include "traces/formats/trace_formats.h"
#include "traces/io/input_error.h"

namespace vramlab::tools {
namespace {

/// Reads `4711` and `4711.2`.
std::optional<RecordingPart> part_from(std::string_view name) {
  RecordingPart part;
  const char* const end = name.data() + name.size();
  auto read = std::from_chars(name.data(), end, part.process);
  if (read.ec == std::errc() && read.ptr != end && *read.ptr == '.')
    read = std::from_chars(read.ptr + 1, end, part.number);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return part;
}

/// A program that was ended within a write leaves half a line at most, which no reader takes.
void cut_half_line(const RecordingPart& part) {
  std::ifstream file(part.path, std::ios::binary);
  std::uintmax_t whole = part.bytes;
  while (whole > 0) {
    file.seekg(static_cast<std::streamoff>(whole - 1));
    if (file.get() == '\n') break;
    --whole;
  }
  file.close();
  if (whole != part.bytes) std::filesystem::resize_file(part.path, whole);
}

std::string name_with_process(const RecordingPart& part) {
  const std::string name = part.output + "." + std::to_string(part.process);
  return part.number == 1 ? name : name + "." + std::to_string(part.number);
}

/// Several ranks may end at once with one name, so an empty file holds it. False: it is another's.
bool claim(const std::string& name, const FinishedRecordings& to) {
  const int file = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file >= 0) close(file);
  // Other errors are told by what writes the file.
  if (file >= 0 || errno != EEXIST) return true;
  return to.overwrite == traces::Overwrite::allowed &&
         std::filesystem::last_write_time(name) < to.begun;
}

std::string finish_claimed(const RecordingPart& part, std::string name, FinishedRecordings to) {
  if (!claim(name, to)) {
    name = name_with_process(part);
    if (!claim(name, to))
      throw traces::InputError({name, "", "no file of this name (or --force)", "one"});
  }
  to.overwrite = traces::Overwrite::allowed;
  try {
    finish_recording(part, name, to);
  } catch (...) {
    std::error_code ignored;
    if (std::filesystem::is_empty(name, ignored)) std::filesystem::remove(name, ignored);
    throw;
  }
  return name;
}

void put_main_first(std::vector<RecordingPart>& parts, int process) {
  const auto main = std::max_element(
      parts.begin(), parts.end(), [&](const RecordingPart& a, const RecordingPart& b) {
        const bool a_is_own = a.process == process;
        const bool b_is_own = b.process == process;
        return std::tie(a_is_own, a.bytes) < std::tie(b_is_own, b.bytes);
      });
  std::rotate(parts.begin(), main, main + 1);
}

}  // namespace

void finish_recording(const RecordingPart& part, const std::string& name,
                      const FinishedRecordings& to) {
  cut_half_line(part);
  traces::OpenTrace trace = open_input(part.path, nullptr);
  traces::OutputFile output(name, to.overwrite);
  traces::SnapshotTables tables;
  const auto writer = make_trace_writer(to.format, output, tables);
  traces::read_trace(trace, tables, writer->sinks());
  writer->finish();
  output.finish();
  std::filesystem::remove(part.path);
}

std::vector<RecordingPart> recording_parts(const std::filesystem::path& folder,
                                           const std::string& mark) {
  std::vector<RecordingPart> parts;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    const std::size_t at = name.rfind(mark + ".");
    if (at == std::string::npos) continue;
    auto part = part_from(std::string_view(name).substr(at + mark.size() + 1));
    if (!part) continue;
    part->path = entry.path().string();
    part->output = (folder / name.substr(0, at)).string();
    part->bytes = entry.file_size();
    parts.push_back(*part);
  }
  std::sort(parts.begin(), parts.end(), [](const RecordingPart& a, const RecordingPart& b) {
    return std::tie(a.process, a.number) < std::tie(b.process, b.number);
  });
  return parts;
}

std::vector<std::string> finish_recordings(const std::vector<RecordingPart>& parts, int process,
                                           const FinishedRecordings& to) {
  std::map<std::string, std::vector<RecordingPart>> of_outputs;
  for (const RecordingPart& part : parts) of_outputs[part.output].push_back(part);
  std::vector<std::string> names;
  for (auto& [output, own] : of_outputs) {
    put_main_first(own, process);
    for (const RecordingPart& part : own)
      names.push_back(
          finish_claimed(part, &part == &own.front() ? output : name_with_process(part), to));
  }
  return names;
}

}  // namespace vramlab::tools
