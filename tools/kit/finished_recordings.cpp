#include "tools/kit/finished_recordings.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
#include <tuple>

#include "traces/formats/trace_formats.h"

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

std::string name_of(const RecordingPart& part, const std::string& output) {
  const std::string name = output + "." + std::to_string(part.process);
  return part.number == 1 ? name : name + "." + std::to_string(part.number);
}

}  // namespace

void finish_recording(const RecordingPart& part, const std::string& name,
                      const FinishedRecordings& to) {
  cut_half_line(part);
  traces::OpenTrace trace = traces::open_trace(part.path);
  traces::OutputFile output(name, to.overwrite);
  traces::SnapshotTables tables;
  const auto writer = make_trace_writer(to.format, output, tables);
  traces::read_trace(trace, tables, writer->sinks());
  writer->finish();
  output.finish();
  std::filesystem::remove(part.path);
}

std::vector<RecordingPart> recording_parts(const std::string& base) {
  const std::filesystem::path path = std::filesystem::absolute(base);
  const std::string prefix = path.filename().string() + ".";
  std::vector<RecordingPart> parts;
  for (const auto& entry : std::filesystem::directory_iterator(path.parent_path())) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(prefix)) continue;
    auto part = part_from(std::string_view(name).substr(prefix.size()));
    if (!part) continue;
    part->path = entry.path().string();
    part->bytes = entry.file_size();
    parts.push_back(*part);
  }
  std::sort(parts.begin(), parts.end(), [](const RecordingPart& a, const RecordingPart& b) {
    return std::tie(a.process, a.number) < std::tie(b.process, b.number);
  });
  return parts;
}

std::vector<std::string> finish_recordings(std::vector<RecordingPart> parts, int process,
                                           const FinishedRecordings& to) {
  if (parts.empty()) return {};
  const auto main = std::max_element(
      parts.begin(), parts.end(), [&](const RecordingPart& a, const RecordingPart& b) {
        const bool a_is_own = a.process == process;
        const bool b_is_own = b.process == process;
        return std::tie(a_is_own, a.bytes) < std::tie(b_is_own, b.bytes);
      });
  std::rotate(parts.begin(), main, main + 1);
  std::vector<std::string> names;
  for (const RecordingPart& part : parts) {
    names.push_back(names.empty() ? to.output : name_of(part, to.output));
    finish_recording(part, names.back(), to);
  }
  return names;
}

}  // namespace vramlab::tools
