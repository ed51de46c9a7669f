// The destination and the format of an answer: the options, and an output that is opened before
// the work.
#pragma once

#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "replay/replayer/replayed_states.h"
#include "tools/cli/kit/arguments.h"
#include "tools/cli/kit/interrupts.h"
#include "traces/io/byte_sink.h"

namespace vramlab::tools {

/// -o and --force.
struct OutputArguments {
  /// Empty or `-` for standard output.
  std::string path;
  bool may_overwrite = false;

  bool is_file() const { return !path.empty() && path != "-"; }

  traces::Overwrite overwrite() const {
    return may_overwrite ? traces::Overwrite::allowed : traces::Overwrite::refused;
  }
};

// The output must outlive the parsing.
CLI::Option* add_output(CLI::App& command, OutputArguments& output, const std::string& description);
void add_force(CLI::App& command, OutputArguments& output);

/// An output that is opened before the work, which can take long. So a name that can't be written
/// to is refused at once.
class OpenOutput : public traces::ByteSink {
 public:
  /// `inputs`: the files that the command reads, none of which the output may be. Throws
  /// InputError.
  OpenOutput(const OutputArguments& output, const std::vector<std::string>& inputs);

  /// Bytes of a format for programs.
  void write(std::string_view bytes) override;
  /// Writes the end of a text, as shown_lines() shows it, and completes the file. A file that is
  /// not finished is removed.
  void finish(std::string_view text = {});
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

/// The format that was asked for, else the one of the output's ending, else the usual one. Throws
/// InputError.
std::string wanted_format(const TableOutput& output, const CommonFlags& flags,
                          const std::string& usual = "text");

/// Refuses an output that is one of the inputs, by whatever name: the recording would be lost.
/// Throws InputError.
void refuse_input_as_output(const std::string& output, const std::vector<std::string>& inputs);
/// Refuses - where standard output has another use. `use`: such as `the program's own`. Throws
/// InputError.
void refuse_standard_output(const std::string& output, const std::string& use);
/// Checks an output before a program runs for minutes, whose standard output is its own. Empty for
/// no output. Throws InputError if it has no folder or exists already.
void check_new_output(const std::string& path, traces::Overwrite overwrite);

/// Writes a pickle, or JSON if the name of the output ends in .json. The tables belong to the
/// states and to the settings, which may be null.
void write_snapshot(traces::ByteSink& output, std::string_view name,
                    const replay::StatesAtMoment& at, const traces::GenericPointer& settings,
                    const traces::SnapshotTables& tables);

/// The width of the terminal on standard output; the usual one if it is no terminal.
std::size_t screen_columns(std::size_t usual);
/// The longest line of a table: widest_line, or the width of a wider terminal.
std::size_t table_columns();

/// Prints a text to standard output, as shown_lines() shows it.
void print(std::string_view text);

/// Whoever read standard output wants no more: the program ends without a word.
class ReaderGone : public std::exception {};

/// Keeps files that are opened later away from the numbers of standard streams that are closed, so
/// that writing to those still fails.
void hold_closed_streams();
/// Writes all that was printed. Throws where it, or an earlier print, could not be written.
void flush_output();
/// The same to standard error.
void tell(std::string_view text);

}  // namespace vramlab::tools
