// What the subcommands share: the exit statuses, the options and flags that many have, the logger.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "traces/io/long_sequence.h"

namespace vramlab::tools {

/// The exit statuses of the whole program.
enum class ExitStatus : int {
  done = 0,
  /// What was asked does not hold: a failed case, a limit exceeded.
  answer_is_no = 1,
  bad_input = 2,
  /// By Ctrl-C, as shells say it; what was found until then was printed.
  interrupted = 130,
};

struct CommonFlags {
  bool json = false;
  bool quiet = false;
  bool verbose = false;
};

/// --reference, whose text ends with what it is by default. The name must outlive the parsing.
void add_reference(CLI::App& command, std::string& name, const std::string& usual);

/// --json, --quiet and --verbose. The flags must outlive the parsing.
void add_common_flags(CLI::App& command, CommonFlags& flags);

/// FILE, which must be given. What it is put into must outlive the parsing.
template <class Value>
CLI::Option* add_file(CLI::App& command, Value& file, const std::string& description) {
  return command.add_option("FILE", file, description)->required();
}

/// -j. The number must outlive the parsing.
void add_jobs(CLI::App& command, std::size_t& threads);

/// --conf, which may be given several times. The options must outlive the parsing.
void add_several_confs(CLI::App& command, std::vector<std::string>& options,
                       const std::string& description);

/// A sentence that refuses 0; empty for any other number.
std::string refusal_of_nothing(const std::string& number);

/// Makes bytes of a size, parts of a byte left out.
CLI::Validator size_in_bytes();

/// Makes nanoseconds of a time such as 10us.
CLI::Validator time_in_nanoseconds();

traces::ScratchPlace scratch_place();

}  // namespace vramlab::tools
