#include "tools/cli/kit/outputs.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
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

}  // namespace

void add_table_output(CLI::App& command, TableOutput& output) {
  command
      .add_option("--format", output.format,
                  "text, json, csv or markdown; without it, the output's ending says (.json, .csv, "
                  ".md), and otherwise it is text")
      ->check(CLI::IsMember({"text", "json", "csv", "markdown"}));
  add_output(command, output, "Write to a file");
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

OpenOutput::OpenOutput(const OutputArguments& output) {
  if (output.path.empty()) return;
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

void write_snapshot_file(traces::OutputFile& output, const replay::StatesAtMoment& at,
                         const traces::GenericPointer& settings,
                         const traces::SnapshotTables& tables) {
  const auto writer =
      make_trace_writer(output.name().ends_with(".json") ? traces::TraceFormat::snapshot_json
                                                         : traces::TraceFormat::snapshot_pickle,
                        output, tables);
  write_states(at.states, settings, writer->sinks().recorded);
  writer->finish();
  output.finish();
}

}  // namespace vramlab::tools
