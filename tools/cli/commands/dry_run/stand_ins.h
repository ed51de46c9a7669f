// The stand-ins for CUDA's libraries: where they are, and what a program finds in its environment
// so that it uses them. The names of the variables are an interface to tools/cuda_standins.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tools/cli/commands/dry_run/dry_run_arguments.h"

namespace vramlab::tools {

/// `dry_run` beside the program, as it is built, or below the folder of the libraries. Throws where
/// this build has none, and InputError where it is missing.
std::filesystem::path stand_in_folder();

/// All of them, for every version of CUDA, in the order in which they are loaded: the driver, the
/// runtimes, what is built on them. Throws InputError where there is none.
std::vector<std::filesystem::path> stand_in_libraries(const std::filesystem::path& folder);

/// A program in machine code that is no Python and starts none, as its name says: its history is
/// the driver's calls.
bool is_plain_program(const std::string& word);

using Variables = std::vector<std::pair<std::string, std::string>>;

/// In the folder of a run: what the program compiles while it runs, and keeps.
std::filesystem::path place_of_compiled_code(const std::filesystem::path& scratch);

/// What is there already stays behind ours in PATH and PYTHONPATH. `scratch`: the folder of this
/// run, for notes and histories.
Variables stand_in_variables(const DryRunArguments& arguments,
                             const std::filesystem::path& stand_ins,
                             const std::filesystem::path& scratch);

}  // namespace vramlab::tools
