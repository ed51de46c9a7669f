// A grid of settings: alternatives for some options, as option strings, every combination of them
// once (docs/guide/sweep.md).
//
//   max_split_size_mb=64|128|none expandable_segments=True|False
//
// Blanks part options, `|` parts values; commas and brackets belong to values. `none` leaves the
// option out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "allocator/types/reference_version.h"

namespace vramlab::replay {

struct GridOption {
  std::string name;
  /// `none` among them leaves the option out.
  std::vector<std::string> values;
};
using OptionGrid = std::vector<GridOption>;

inline constexpr std::string_view left_out_value = "none";
/// No more combinations than this are made.
inline constexpr std::size_t most_settings = 1'000'000;

/// Whether a word of the command line is part of a grid: a name, `=`, and more.
bool is_grid_word(std::string_view text);

/// `where` is for messages. Throws InputError where there is an option that this version does not
/// know, and names the nearest one that it does.
OptionGrid parse_grid(std::string_view text, const ReferenceVersion& version,
                      const std::string& where);

/// All combinations, as option strings; the last option changes fastest. Throws InputError where
/// there are too many.
std::vector<std::string> settings_of_grid(const OptionGrid& grid);

/// The option strings of a file: on each line a grid, or an option string as it is; `none` is the
/// empty one, `#` begins a comment. Throws InputError.
std::vector<std::string> read_grid_file(const std::string& path, const ReferenceVersion& version);

}  // namespace vramlab::replay
