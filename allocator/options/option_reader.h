// The options as rows of data, and the reading of one option by its row. A row says how an option
// is called, which values it takes, where the value lands in Settings and, for a grammar of several
// passes, in which pass; each grammar has a table of its own, beside all else in which grammars
// differ. A value that the row refuses stops the parser with OptionRefused, which parse_settings
// turns into an answer; values that were read before have landed in the settings by then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "allocator/options/settings.h"
#include "allocator/types/reference_version.h"

namespace vramlab::allocator {

/// True or False.
struct FlagValue {
  bool Settings::* field;
};

/// A whole number of MiB.
struct MebibytesValue {
  Bytes Settings::* field;
  std::uint64_t least_mib = 0;
  /// If set, this other option says the least now.
  Bytes Settings::* least_like = nullptr;
  /// Larger numbers are refused; without it, a number whose bytes do not fit becomes the largest
  /// that does.
  std::uint64_t most_mib = unlimited.count;
};

/// A whole number that nothing is computed with.
struct CountValue {
  enum class Shape : std::uint8_t { any, power_of_two };
  std::uint64_t Settings::* field;
  std::uint64_t least = 0;
  std::uint64_t most = unlimited.count;
  Shape shape = Shape::any;
};

/// A real number between 0 and 1.
struct ShareValue {
  enum class Ends : std::uint8_t { refused, included };
  double Settings::* field;
  Ends ends;
};

/// A power of two, or the list of them by size.
struct DivisionsValue {};

/// How many addresses an expandable segment reserves: a share of the device's memory, or a number
/// of GiB with a G behind it. Another word is passed over with a warning.
struct ReserveValue {
  std::optional<AddressReserve> Settings::* field;
};

/// A list of such values by the name of a class of streams. Streams get a class only by a call from
/// C++, which no recording has, so the values are read and land nowhere.
struct ReservesByClassValue {};

/// The name of a backend; only the one that runs is accepted.
struct BackendValue {};

using OptionValue = std::variant<FlagValue, MebibytesValue, CountValue, ShareValue, DivisionsValue,
                                 ReserveValue, ReservesByClassValue, BackendValue>;

/// Which pass over the string reads the option; a grammar of one pass does not ask.
enum class OptionPass : std::uint8_t { segment_size, shared, own };

struct OptionRow {
  std::string_view name;
  OptionPass pass;
  OptionValue value;
  /// An older or foreign name for the same option; empty where there is none.
  std::string_view alias = {};
};

/// How strictly a token in the place of a separator is taken.
enum class SeparatorRule : std::uint8_t { must_match, any_token };

/// How a number is read: a word that is one, or as C reads it, which passes over what follows it
/// and wraps a negative whole number around.
enum class NumberRule : std::uint8_t { whole_word, as_c };

struct GrammarRules {
  std::span<const OptionRow> options;
  /// The characters that vanish.
  std::string_view blanks;
  SeparatorRule separators;
  /// The mistake where the string ends in the place of a separator.
  SettingsErrorKind no_separator;
  /// The mistake of a list that ends right after an entry.
  SettingsErrorKind list_ends_after_entry;
  NumberRule numbers;
  /// Larger whole numbers are not read as numbers.
  std::uint64_t largest_number;
};

const GrammarRules& rules_of(OptionGrammar grammar);

/// Null where the grammar has no option of that name or alias.
const OptionRow* find_option(const GrammarRules& rules, std::string_view name);

/// The values that the option takes, to follow "takes": "a whole number of MiB, at least 21".
std::string accepted_values(const OptionRow& row, const Settings& now);

/// The number that a value must not fall below.
std::uint64_t least_mebibytes(const MebibytesValue& value, const Settings& now);

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
  /// Values that were passed over, a sentence each.
  std::vector<std::string> ignored;
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
/// number each. Entries of a list before its first mistake have been written to their slots.
void read_rounding_divisions(const OptionInHand& option);

/// The value of expandable_segments_reserve_by_class: any token for the bracket, then for each
/// class a name, any token for the colon, and a reserve. A comma behind it may be missing.
void read_reserves_by_class(const OptionInHand& option);
/// Empty where the word is no reserve, which is noted.
std::optional<AddressReserve> reserve_in(const OptionInHand& option, std::string_view word);

void take_separator(const OptionInHand& option, std::string_view separator);
/// The next token, or refuses the string's end.
std::string take_value(const OptionInHand& option);
std::uint64_t whole_number(const OptionInHand& option, std::string_view word);
/// The next token in quotes, shortened where it is long, or "the end of the options".
std::string found_next(const OptionTokens& tokens);
std::string in_quotes(std::string_view word);

}  // namespace vramlab::allocator
