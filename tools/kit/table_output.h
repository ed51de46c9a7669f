// Where a table goes and in which format: the options of the commands that print one, and the
// output they open before the work.
#pragma once

#include <optional>
#include <string>

#include "tools/kit/arguments.h"
#include "tools/kit/removal_on_interrupt.h"
#include "traces/files/output_file.h"

namespace vramlab::tools {

struct TableOutput {
  std::string format;
  std::string path;
  bool may_overwrite = false;
  /// Of the text for people; 0 for all.
  std::size_t row_limit = 0;
};

/// --format, -o, --force and --limit. The output must outlive the parsing.
void add_table_output(CLI::App& command, TableOutput& output);

class OpenTableOutput {
 public:
  /// Without a format the output's ending says it, and otherwise it is the usual one. Throws
  /// InputError.
  OpenTableOutput(const TableOutput& output, const CommonFlags& flags, const std::string& usual);

  const std::string& format() const { return format_; }
  void write(const std::string& text);

 private:
  std::string format_;
  RemovalOnInterrupt removal_;
  std::optional<traces::OutputFile> file_;
};

}  // namespace vramlab::tools
