// ScriptLine: the words, numbers and texts of one line of a script
// (docs/reference/trace_format.md), read from the left. Names and numbers of memory are one: `a` is
// 1, `z` is 26, `aa` is 27, as the columns of a sheet are numbered, and `_N` is N.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace vramlab::traces {

/// Null for a word that is no name, or whose number has more than 64 bits.
std::optional<std::uint64_t> number_of_name(std::string_view name);
/// The shorter spelling, and `_N` for numbers whose letters are a word of the language.
std::string name_of_number(std::uint64_t number);

/// Both are allowed.
struct NumberBounds {
  std::uint64_t least = 0;
  std::uint64_t most = UINT64_MAX;
};

class ScriptLine {
 public:
  struct Place {
    /// The input's name for messages; must outlive the line.
    const std::string& file;
    std::uint64_t line = 0;
  };

  ScriptLine(Place place, std::string_view text) : place_(place), text_(text) {}

  std::uint64_t number() const { return place_.line; }
  /// Spaces before the first letter, which are passed. A tab is refused.
  std::size_t take_indentation();
  /// True behind the last part of the line; a comment is none.
  bool is_done();
  /// Fails if anything follows.
  void finish();

  /// A mark such as `(` or `==`, with the spaces before it.
  bool take_if(std::string_view mark);
  void take(std::string_view mark);
  /// Letters, digits and `_`, beginning with no digit. Empty if another thing follows.
  std::string_view take_word_if();
  std::string_view take_word(const std::string& expected);
  /// A name before `=`, which is passed too; empty if none follows.
  std::string_view take_keyword_if();

  /// Sums and products of whole numbers and units, such as `4*MiB + 512`.
  std::uint64_t whole_number(NumberBounds bounds = {});
  /// From -`farthest` to `farthest`.
  std::int64_t signed_number(std::int64_t farthest);
  double real();
  bool truth();
  std::uint64_t name();
  /// Between double quotes, with the escapes of JSON.
  std::string text();

  /// Found is what follows.
  [[noreturn]] void fail(const std::string& expected);
  /// Found is the last part, which began at `part`, as the last of these functions gave it.
  [[noreturn]] void fail_at(std::string_view part, const std::string& expected) const;
  /// Found is the text that was taken last.
  [[noreturn]] void fail_at_text(const std::string& expected) const;

 private:
  void pass_spaces();
  std::uint64_t factor();
  std::uint64_t product();
  [[noreturn]] void fail_at(std::size_t at, const std::string& expected,
                            const std::string& found) const;

  Place place_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::string_view last_text_;
};

}  // namespace vramlab::traces
