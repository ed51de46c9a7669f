#include "tools/kit/table_output.h"

#include <cstdio>

#include "traces/files/input_error.h"

namespace vramlab::tools {
namespace {

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

}  // namespace

void add_table_output(CLI::App& command, TableOutput& output) {
  command
      .add_option("--format", output.format,
                  "text, json, csv or markdown; without it, the output's ending says (.json, .csv, "
                  ".md), and otherwise it is text")
      ->check(CLI::IsMember({"text", "json", "csv", "markdown"}));
  command.add_option("-o,--output", output.path, "Write to a file");
  command.add_flag("--force", output.may_overwrite, "Overwrite the output");
  command.add_option("--limit", output.row_limit, "Rows of text to show (0 for all)")
      ->capture_default_str();
}

OpenTableOutput::OpenTableOutput(const TableOutput& output, const CommonFlags& flags,
                                 const std::string& usual)
    : format_(wanted_format(output, flags, usual)) {
  if (output.path.empty()) {
    removal_.begin({});
    return;
  }
  file_.emplace(output.path,
                output.may_overwrite ? traces::Overwrite::allowed : traces::Overwrite::refused);
  removal_.begin({file_->temporary_path()});
}

void OpenTableOutput::write(const std::string& text) {
  if (!file_) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    return;
  }
  file_->write(text);
  file_->finish();
}

}  // namespace vramlab::tools
