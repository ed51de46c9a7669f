// What the subcommands share: how one is declared, the flags that all of them have, and the logger.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "traces/files/scratch_file.h"

namespace vramlab::tools {

/// The exit statuses of the whole program.
enum class ExitStatus : int {
  done = 0,
  /// What was asked does not hold: a failed case, a limit exceeded.
  answer_is_no = 1,
  bad_input = 2,
};

/// What a subcommand does once its arguments are read.
using CommandAction = std::function<ExitStatus()>;

/// Declares one subcommand's arguments; `action` receives what to do if it is the chosen one.
using AddCommand = void (*)(CLI::App& program, CommandAction& action);

struct CommonFlags {
  bool json = false;
  bool quiet = false;
  bool verbose = false;
};

/// --reference, whose text ends with what it is by default. The name must outlive the parsing.
void add_reference(CLI::App& command, std::string& name, const std::string& usual);

/// --json, --quiet and --verbose. The flags must outlive the parsing.
void add_common_flags(CLI::App& command, CommonFlags& flags);

/// A sentence that refuses 0; empty for any other number.
std::string refusal_of_nothing(const std::string& number);

/// Logs go to standard error: warnings, all with --verbose, errors only with --quiet.
void start_logging(const CommonFlags& flags);

/// Makes bytes of a size, parts of a byte left out.
CLI::Validator size_in_bytes();

traces::ScratchPlace scratch_place();

}  // namespace vramlab::tools
