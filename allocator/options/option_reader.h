// Reading one option: its separator and its value, by the row of the table. A value that the row
// refuses stops the parser with OptionRefused, which parse_settings turns into an answer; what was
// read before has landed in the settings by then.
#pragma once

#include <cstddef>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "allocator/options/option_table.h"
#include "allocator/options/settings.h"

namespace vramlab::allocator {

/// An option string cut into words and separators, read from front to back. Each of
/// `,` `:` `[` `]` is a token of its own, blanks vanish wherever they stand (so words on both sides
/// of one grow together), and everything else gathers into words.
class OptionTokens {
 public:
  /// `blanks`: the characters that vanish.
  OptionTokens(std::string_view text, std::string_view blanks);

  bool at_end() const { return position_ == tokens_.size(); }
  bool next_is(std::string_view token) const { return !at_end() && tokens_[position_] == token; }
  /// Requires: not at the end.
  const std::string& next() const;
  /// The next token, which is then behind us. Requires: not at the end.
  const std::string& take();
  void start_again() { position_ = 0; }

 private:
  std::vector<std::string> tokens_;
  std::size_t position_ = 0;
};

class OptionRefused : public std::runtime_error {
 public:
  explicit OptionRefused(SettingsError error);
  const SettingsError& error() const { return error_; }

 private:
  SettingsError error_;
};

/// One run over a string, from its first token on.
struct OptionParse {
  const ReferenceVersion& version;
  const GrammarRules& rules;
  OptionTokens tokens;
  Settings& settings;
  /// The options that were taken so far, by their rows' names.
  std::set<std::string_view> named;
};

/// The option whose name was just taken.
struct OptionInHand {
  OptionParse& parse;
  const OptionRow& row;
  /// As written: the row's name or its alias.
  std::string name;
};

/// `needs` follows the option's name in the sentence: "takes True or False".
[[noreturn]] void refuse(const OptionInHand& option, SettingsErrorKind kind, std::string_view needs,
                         std::string_view found);

/// Takes the next token as the name of an option, or refuses it as unknown. Requires: a token.
OptionInHand take_option_name(OptionParse& parse);
/// The separator and the value, which lands in the settings.
void read_option(const OptionInHand& option);
/// The separator and the value or list, which land nowhere.
void skip_option(const OptionInHand& option);
/// The separator after a value, where the string goes on.
void take_separator_after(const OptionInHand& option);

/// The value of roundup_power2_divisions: one number for all sizes, or a list of sizes with a
/// number each. What stands in a list before its first mistake has been written to its slots.
void read_rounding_divisions(const OptionInHand& option);

void take_separator(const OptionInHand& option, std::string_view separator);
/// The next token, or refuses the string's end.
std::string take_value(const OptionInHand& option);
std::uint64_t whole_number(const OptionInHand& option, std::string_view word);
/// The next token in quotes, shortened where it is long, or "the end of the options".
std::string found_next(const OptionTokens& tokens);
std::string in_quotes(std::string_view word);

}  // namespace vramlab::allocator
