// Names of files that several processes write: one pattern in which each process puts itself.
//
// `%p` is the number of the process, `%h` the host, `%q{NAME}` a variable of the environment
// (nothing if it is not set), `%%` a percent sign. Other letters stay as they are.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace vramlab::names {

/// The facts that a pattern can ask for.
struct ProcessFacts {
  long process = 0;
  std::string host;
  /// Null if the variable is not set.
  std::function<const char*(const char* name)> variable;
};

/// Setuid programs have no variables.
ProcessFacts facts_of_this_process();

std::string expanded_name(std::string_view pattern, const ProcessFacts& facts);
/// Says whether each process gets a name of its own.
bool names_process(std::string_view pattern);
/// The pattern of exactly this name.
std::string literal_name(std::string_view name);
/// An absolute pattern: the process may go to another folder before it is expanded.
std::string from_this_folder(std::string_view pattern);

}  // namespace vramlab::names
