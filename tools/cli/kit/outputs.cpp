#include "tools/cli/kit/outputs.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "tools/cli/printers/shown_text.h"
#include "tools/cli/printers/text_lines.h"
#include "traces/formats/trace_formats.h"
#include "traces/io/input_error.h"

namespace vramlab::tools {
namespace {

[[noreturn]] void fail_to_write(int error) {
  if (error == EPIPE) throw ReaderGone();
  throw std::runtime_error("standard output: the answer could not be written: " +
                           std::generic_category().message(error));
}

void put(std::string_view bytes, std::FILE* stream) {
  const bool is_written = std::fwrite(bytes.data(), 1, bytes.size(), stream) == bytes.size();
  if (!is_written && stream == stdout) fail_to_write(errno);
}

/// Whether both names lead to one place; another name of the same bytes, a hard link, is safe.
/// Standard input has no name.
bool is_same_file(const std::string& output, const std::string& input) {
  struct stat read{};
  struct stat written{};
  if (input == "-")
    return ::fstat(STDIN_FILENO, &read) == 0 && ::stat(output.c_str(), &written) == 0 &&
           S_ISREG(read.st_mode) && read.st_dev == written.st_dev && read.st_ino == written.st_ino;
  std::error_code error;
  const auto real_output = std::filesystem::canonical(output, error);
  if (error) return false;
  const auto real_input = std::filesystem::canonical(input, error);
  return !error && real_output == real_input;
}

}  // namespace

void add_table_output(CLI::App& command, TableOutput& output) {
  command
      .add_option("--format", output.format,
                  "text, json, csv or markdown; without it, the output's ending says (.json, .csv, "
                  ".md), and otherwise it is text")
      ->check(CLI::IsMember({"text", "json", "csv", "markdown"}));
  add_output(command, output, "Write to a file (- is standard output)");
  add_force(command, output);
  command.add_option("--limit", output.row_limit, "Rows of text to show (0 for all)")
      ->capture_default_str();
}

std::string wanted_format(const TableOutput& output, const CommonFlags& flags,
                          const std::string& usual) {
  if (flags.json && !output.format.empty() && output.format != "json")
    throw traces::InputError({"--format", "", "json, or no --json", output.format});
  if (flags.json) return "json";
  if (!output.format.empty()) return output.format;
  if (output.path.ends_with(".json")) return "json";
  if (output.path.ends_with(".csv")) return "csv";
  return output.path.ends_with(".md") ? "markdown" : usual;
}

CLI::Option* add_output(CLI::App& command, OutputArguments& output,
                        const std::string& description) {
  return command.add_option("-o,--output", output.path, description)->type_name("FILE");
}

void add_force(CLI::App& command, OutputArguments& output) {
  command.add_flag("--force", output.may_overwrite, "Overwrite the output");
}

void refuse_input_as_output(const std::string& output, const std::vector<std::string>& inputs) {
  for (const std::string& input : inputs)
    if (is_same_file(output, input))
      throw traces::InputError({output, "", "another file than the input", "the same file"});
}

void refuse_standard_output(const std::string& output, const std::string& use) {
  if (output == "-")
    throw traces::InputError(
        {output, "", "the name of a file, as standard output is " + use, "standard output"});
}

void check_new_output(const std::string& path, traces::Overwrite overwrite) {
  if (path.empty()) return;
  refuse_standard_output(path, "the program's own");
  const auto absolute = std::filesystem::absolute(path);
  if (!std::filesystem::is_directory(absolute.parent_path()))
    throw traces::InputError({path, "", "a folder to write to", "none"});
  if (overwrite == traces::Overwrite::refused && std::filesystem::exists(absolute))
    throw traces::InputError({path, "", "a new file (or --force)", "one that is there already"});
}

OpenOutput::OpenOutput(const OutputArguments& output, const std::vector<std::string>& inputs) {
  if (!output.is_file()) return;
  refuse_input_as_output(output.path, inputs);
  removal_.emplace();
  file_.emplace(output.path, output.overwrite());
  removal_->begin({file_->temporary_path()});
}

void OpenOutput::write(std::string_view bytes) {
  if (file_)
    file_->write(bytes);
  else
    put(bytes, stdout);
}

void OpenOutput::finish(std::string_view text) {
  if (!text.empty()) write(shown_lines(text));
  if (file_) file_->finish();
}

void hold_closed_streams() {
  constexpr int standard_streams = 3;
  for (int stream = 0; stream < standard_streams; ++stream)
    if (::fcntl(stream, F_GETFD) < 0 && errno == EBADF) ::open("/dev/null", O_RDONLY);
}

void flush_output() {
  if (std::fflush(stdout) != 0) fail_to_write(errno);
  if (std::ferror(stdout) != 0) fail_to_write(EIO);
}

std::size_t screen_columns(std::size_t usual) {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return usual;
  return size.ws_col;
}

std::size_t table_columns() { return std::max(widest_line, screen_columns(widest_line)); }

void print(std::string_view text) { put(shown_lines(text), stdout); }

void tell(std::string_view text) { put(shown_lines(text), stderr); }

void write_snapshot(traces::ByteSink& output, std::string_view name,
                    const replay::StatesAtMoment& at, const traces::GenericPointer& settings,
                    const traces::SnapshotTables& tables) {
  const auto format = name.ends_with(".json") ? traces::TraceFormat::snapshot_json
                                              : traces::TraceFormat::snapshot_pickle;
  const auto writer = make_trace_writer(format, output, tables);
  write_states(at.states, settings, writer->sinks().recorded);
  writer->finish();
}

}  // namespace vramlab::tools
