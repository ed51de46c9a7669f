// The options as rows of data: what each is called, which values it takes, where the value lands in
// Settings and, for a grammar of several passes, in which pass. One table for each grammar, beside
// what else differs between grammars. Reading values by these rows is option_reader's business.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "allocator/options/settings.h"
#include "allocator/types/reference_version.h"

namespace vramlab::allocator {

/// True or False.
struct FlagValue {
  bool Settings::*field;
};

/// A whole number of MiB.
struct MebibytesValue {
  Bytes Settings::*field;
  std::uint64_t least_mib = 0;
  /// If set, the least is what this other option says now.
  Bytes Settings::*least_like = nullptr;
  /// Larger numbers are refused; without it, a number whose bytes do not fit becomes the largest
  /// that does.
  std::uint64_t most_mib = unlimited.count;
};

/// A whole number that nothing is computed with.
struct CountValue {
  enum class Shape : std::uint8_t { any, power_of_two };
  std::uint64_t Settings::*field;
  std::uint64_t least = 0;
  std::uint64_t most = unlimited.count;
  Shape shape = Shape::any;
};

/// A real number between 0 and 1.
struct ShareValue {
  enum class Ends : std::uint8_t { refused, included };
  double Settings::*field;
  Ends ends;
};

/// A power of two, or the list of them by size.
struct DivisionsValue {};

/// The name of a backend; only the one that runs is accepted.
struct BackendValue {};

using OptionValue =
    std::variant<FlagValue, MebibytesValue, CountValue, ShareValue, DivisionsValue, BackendValue>;

/// Which pass over the string reads the option; a grammar of one pass does not ask.
enum class OptionPass : std::uint8_t { segment_size, shared, own };

struct OptionRow {
  std::string_view name;
  OptionPass pass;
  OptionValue value;
  /// An older or foreign name for the same option; empty where there is none.
  std::string_view alias = {};
};

/// What a token in the place of a separator must be.
enum class SeparatorRule : std::uint8_t { must_match, any_token };

/// How a number is read: a word that is one, or as C reads it, which passes over what follows it
/// and wraps a negative whole number around.
enum class NumberRule : std::uint8_t { whole_word, as_c };

struct GrammarRules {
  std::span<const OptionRow> options;
  /// The characters that vanish.
  std::string_view blanks;
  SeparatorRule separators;
  /// What is wrong where the string ends in the place of a separator.
  SettingsErrorKind no_separator;
  /// What is wrong with a list that ends right after an entry.
  SettingsErrorKind list_ends_after_entry;
  NumberRule numbers;
  /// Larger whole numbers are not read as numbers.
  std::uint64_t largest_number;
};

const GrammarRules& rules_of(OptionGrammar grammar);

/// Null where the grammar has no option of that name or alias.
const OptionRow* find_option(const GrammarRules& rules, std::string_view name);

/// What the option takes, to follow "takes": "a whole number of MiB, at least 21".
std::string accepted_values(const OptionRow& row, const Settings& now);

/// The number that a value must not fall below.
std::uint64_t least_mebibytes(const MebibytesValue& value, const Settings& now);

}  // namespace vramlab::allocator
