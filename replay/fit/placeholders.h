// PlaceholderTexts: the words of a command line and files with placeholders in them, and the texts
// with values filled in (docs/guide/fit.md).
//
//   {batch:1..512}  {batch:8..512:8}  {batch:1..512:x2}   ranges, with a step or a factor
//   {seq:512,1024}  {conf:@settings.txt}                  lists, or the lines of a file
//   {accumulate=256/batch}                                derived; left out where it is no integer
//   {batch}                                               the value again
//   {{                                                    a brace
//
// In files, a brace that begins nothing of this kind stays as it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vramlab::replay {

/// The most values of a placeholder, and the most points of a grid.
inline constexpr std::size_t most_placeholder_values = 100'000;
inline constexpr std::size_t most_grid_points = 10'000;

struct Placeholder {
  std::string name;
  /// The values as they were written, such as `1..512`.
  std::string written;
  std::vector<std::string> values;
  bool is_range = false;
};

/// From names to values.
using PlaceholderValues = std::map<std::string, std::string>;

/// A value of the placeholder that is searched.
struct SearchedValue {
  std::string text;
  double number = 0;
};

enum class TextKind : std::uint8_t { word, file };

class PlaceholderTexts {
 public:
  /// Returns the number of the text. `where` names it in messages. Throws InputError.
  std::size_t add(std::string_view text, const std::string& where, TextKind kind);
  /// Called after the last text. Throws InputError if a name has no values anywhere.
  void refuse_unknown_names() const;

  /// In the order in which they appear, without derived ones.
  const std::vector<Placeholder>& placeholders() const { return placeholders_; }
  /// The placeholder to search: that of the name, else the first range; null without one. Throws
  /// InputError if it can't be searched.
  const Placeholder* searched(const std::string& name) const;
  /// All combinations of the values of the other placeholders; the last one changes fastest. Throws
  /// InputError for too many.
  std::vector<PlaceholderValues> grid(const Placeholder* searched) const;
  /// The values of the searched placeholder that are allowed at a point of the grid, rising.
  std::vector<SearchedValue> allowed(const Placeholder& searched,
                                     const PlaceholderValues& point) const;

  /// The values with the derived ones; empty if one of these does not come out even.
  std::optional<PlaceholderValues> with_derived(PlaceholderValues values) const;
  /// Whether the text has no placeholder.
  bool is_literal(std::size_t text) const;
  /// Requires: values of all names, as with_derived() gives them.
  std::string filled(std::size_t text, const PlaceholderValues& values) const;

 private:
  struct Piece {
    std::string literal;
    /// The literal is the name of a placeholder.
    bool is_name = false;
  };
  struct Text {
    std::string where;
    TextKind kind = TextKind::word;
    std::vector<Piece> pieces;
  };
  struct Operand {
    /// The sign before it.
    char sign = '+';
    std::string name;
    std::int64_t number = 0;
  };
  struct Derived {
    std::string name;
    std::string written;
    std::vector<Operand> operands;
  };

  std::size_t add_piece(std::string_view text, std::size_t at, Text& to);
  void define(const std::string& name, std::string_view rest, const Text& in);
  void define_values(const std::string& name, std::string_view written, const Text& in);
  void define_derived(const std::string& name, std::string_view written, const Text& in);
  bool has_name(const std::string& name) const;
  static std::optional<std::int64_t> value_of(const Derived& derived,
                                              const PlaceholderValues& values);

  std::vector<Text> texts_;
  std::vector<Placeholder> placeholders_;
  std::vector<Derived> derived_;
};

}  // namespace vramlab::replay
