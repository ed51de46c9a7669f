// `vramlab record`: runs a CUDA program and records its allocations.
#include <unistd.h>
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "tools/kit/commands.h"
#include "tools/kit/preloaded_program.h"
#include "traces/files/input_error.h"
#include "traces/files/output_file.h"
#include "traces/formats/open_trace.h"
#include "traces/formats/trace_formats.h"

namespace vramlab::tools {
namespace {

struct RecordingPart {
  std::string path;
  int process = 0;
  /// A process that became another program leaves a second one.
  int number = 1;
  std::uintmax_t bytes = 0;
};

struct FinishedRecordings {
  std::string output;
  traces::TraceFormat format = traces::TraceFormat::native_binary;
  traces::Overwrite overwrite = traces::Overwrite::refused;
};

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

std::string name_of(const RecordingPart& part, const std::string& output) {
  const std::string name = output + "." + std::to_string(part.process);
  return part.number == 1 ? name : name + "." + std::to_string(part.number);
}

/// Those whose name is `base`, a dot and what names a process; by process and number.
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

/// Writes each part whole and removes it. The output's name goes to the part of this process, else
/// to the largest; the others' names end in their process. Gives the names, the output's first.
/// Throws InputError where a part can't be read or written; it stays then.
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

struct RecordArguments {
  std::string output;
  std::string format;
  bool has_stacks = false;
  bool may_overwrite = false;
  std::vector<std::string> program;
  CommonFlags flags;
};

/// Before the program runs for hours.
void check_output(const RecordArguments& arguments) {
  const auto path = std::filesystem::absolute(arguments.output);
  if (!std::filesystem::is_directory(path.parent_path()))
    throw traces::InputError({arguments.output, "", "a folder to write to", "none"});
  if (!arguments.may_overwrite && std::filesystem::exists(path))
    throw traces::InputError(
        {arguments.output, "", "a new file (or --force)", "one that is there already"});
}

/// What the program ended with, unless that is "all went well" and it did not for us.
ExitStatus finish(const RecordArguments& arguments, const FinishedRecordings& to,
                  const std::string& base, const ProgramEnd& end) {
  try {
    const auto names = finish_recordings(recording_parts(base), end.process, to);
    if (names.empty())
      std::fprintf(stderr,
                   "vramlab: nothing was recorded: the program requested no memory through the "
                   "CUDA driver\n");
    if (!arguments.flags.quiet)
      for (const std::string& name : names)
        std::fprintf(stderr, "vramlab: recorded in %s\n", name.c_str());
    return static_cast<ExitStatus>(end.status);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "vramlab: the recording stays unfinished at %s.*: %s\n", base.c_str(),
                 error.what());
    return end.status == 0 ? ExitStatus::bad_input : static_cast<ExitStatus>(end.status);
  }
}

ExitStatus record(const RecordArguments& arguments) {
  const FinishedRecordings to{
      arguments.output,
      traces::output_format(arguments.output, arguments.format, traces::native_formats),
      arguments.may_overwrite ? traces::Overwrite::allowed : traces::Overwrite::refused};
  check_output(arguments);
  const std::string base =
      std::filesystem::absolute(arguments.output).string() + ".part-" + std::to_string(getpid());
  PreloadedProgram program{arguments.program,
                           {{"VRAMLAB_SHIM", "record"}, {"VRAMLAB_RECORD", base}},
                           {preload_library()}};
  program.variables.emplace_back("VRAMLAB_RECORD_STACKS", arguments.has_stacks ? "1" : "0");
  return finish(arguments, to, base, run_preloaded(program));
}

void add_options(CLI::App& command, RecordArguments& arguments) {
  command.add_option("-o,--output", arguments.output, "The native trace to write")->required();
  command
      .add_option("--format", arguments.format,
                  traces::listed(traces::format_options(traces::native_formats)) +
                      "; without it, the output's ending says")
      ->check(CLI::IsMember(traces::format_options(traces::native_formats)));
  command.add_flag("--stacks", arguments.has_stacks, "Record the stack of each call");
  command.add_flag("--force", arguments.may_overwrite, "Overwrite the output");
  command.add_option("PROGRAM", arguments.program, "The program and its arguments, after --")
      ->required();
  add_common_flags(command, arguments.flags);
  command.get_option("--json")->description("Ignored: the output is the file");
}

}  // namespace

Command record_command() {
  return {"record", "Run a CUDA program, record its allocations, and end with its exit status",
          "Example: vramlab record -o train.vtrace -- ./train --steps 10",
          with<RecordArguments>(add_options, record)};
}

}  // namespace vramlab::tools
