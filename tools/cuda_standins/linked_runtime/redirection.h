// Redirection: the functions of a linked runtime become jumps to those of a stand-in.
//
// `plan_of` decides, from the names alone; `write` changes the memory of a loaded file, or leaves
// it as it is. A function that the stand-in does not have becomes a call that names it and answers
// "not supported".
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/cuda_standins/linked_runtime/elf_file.h"

namespace vramlab::linked_runtime {

/// A stand-in for the runtime in this process. Requires: its names are never destroyed.
struct StandInRuntime {
  std::map<std::string_view, std::uint64_t> functions;
  /// Called with the name of a function that is not among them.
  std::uint64_t unknown_function = 0;
};

/// By the version's first number.
using StandInRuntimes = std::map<int, StandInRuntime>;

struct Jump {
  /// In memory once the place at which the file is loaded is added.
  std::uint64_t address = 0;
  /// The bytes to write, and those that must be there before.
  std::vector<unsigned char> code;
  ByteView before;
};

struct Plan {
  std::vector<Jump> jumps;
  /// A reason why the runtime of the file stays as it is, or what of it does; empty if all of it
  /// goes, or the file has none.
  std::string stays;
};

/// The version of the runtime with these functions: 11, 12 or 13; nothing where there is none.
std::optional<int> version_of(const std::vector<NamedFunction>& functions);

/// Requires: the names of the functions are never destroyed.
Plan plan_of(const std::vector<NamedFunction>& functions, const StandInRuntimes& runtimes);

/// A jump in a function that only returns; nothing if it does more, or has no room for it. The code
/// goes from its first byte to the next function at the earliest.
std::optional<Jump> jump_in_empty_function(ByteView code, std::uint64_t address,
                                           std::uint64_t target);

/// Writes the jumps into the file that is loaded at this address, all or none. Returns why not;
/// empty if it did.
std::string write(const std::vector<Jump>& jumps, std::uint64_t loaded_at);

}  // namespace vramlab::linked_runtime
