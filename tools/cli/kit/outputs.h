// The destination and the format of an answer: the options, and an output that is opened before
// the work.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/cli/kit/arguments.h"
#include "tools/cli/kit/interrupts.h"
#include "traces/io/byte_sink.h"

namespace vramlab::tools {

/// -o and --force.
struct OutputArguments {
  /// Empty for standard output.
  std::string path;
  bool may_overwrite = false;

  traces::Overwrite overwrite() const {
    return may_overwrite ? traces::Overwrite::allowed : traces::Overwrite::refused;
  }
};

// The output must outlive the parsing.
CLI::Option* add_output(CLI::App& command, OutputArguments& output, const std::string& description);
void add_force(CLI::App& command, OutputArguments& output);

/// Opened before the work, which can take long: a name that can't be written to is refused at once.
class OpenOutput : public traces::ByteSink {
 public:
  /// Throws InputError.
  explicit OpenOutput(const OutputArguments& output);

  void write(std::string_view bytes) override;
  /// Writes the last of it. A file that is not finished is removed.
  void finish(std::string_view last = {});
  /// Null for standard output.
  traces::OutputFile* file() { return file_ ? &*file_ : nullptr; }

 private:
  std::optional<RemovalOnInterrupt> removal_;
  std::optional<traces::OutputFile> file_;
};

struct TableOutput : OutputArguments {
  std::string format;
  /// Rows of the text for people; 0 for all.
  std::size_t row_limit = 0;
};

/// --format, -o, --force and --limit. The output must outlive the parsing.
void add_table_output(CLI::App& command, TableOutput& output);

/// What was asked for: without a format the output's ending says it, and otherwise it is the usual
/// one. Throws InputError.
std::string wanted_format(const TableOutput& output, const CommonFlags& flags,
                          const std::string& usual = "text");

/// To standard output.
void print(std::string_view text);

}  // namespace vramlab::tools
