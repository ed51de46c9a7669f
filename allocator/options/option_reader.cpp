#include "allocator/options/option_reader.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <span>

#include "allocator/types/check.h"
#include "allocator/types/real_numbers.h"

namespace vramlab::allocator {
namespace {

using Shape = CountValue::Shape;
using Ends = ShareValue::Ends;
using enum OptionPass;

// This limit keeps every size that is computed from the segment size far below 2^64.
constexpr std::uint64_t largest_segment_mib = 1ULL << 40;

// Rows that no version has changed.
constexpr OptionRow garbage_collection_threshold{
    "garbage_collection_threshold", shared,
    ShareValue{&Settings::garbage_collection_threshold, Ends::refused}};
constexpr OptionRow roundup_power2_divisions{"roundup_power2_divisions", shared, DivisionsValue{}};
constexpr OptionRow expandable_segments{"expandable_segments", shared,
                                        FlagValue{&Settings::expandable_segments}};
constexpr OptionRow pinned_use_background_threads{
    "pinned_use_background_threads", shared, FlagValue{&Settings::pinned_use_background_threads}};
constexpr OptionRow backend{"backend", own, BackendValue{}};
constexpr OptionRow release_lock_on_cudamalloc{"release_lock_on_cudamalloc", own,
                                               FlagValue{&Settings::release_lock_on_cudamalloc},
                                               "release_lock_on_hipmalloc"};
constexpr OptionRow pinned_use_cuda_host_register{
    "pinned_use_cuda_host_register", own, FlagValue{&Settings::pinned_use_cuda_host_register},
    "pinned_use_hip_host_register"};
constexpr OptionRow pinned_num_register_threads{
    "pinned_num_register_threads", own,
    CountValue{.field = &Settings::pinned_num_register_threads,
               .least = 1,
               .most = 128,
               .shape = Shape::power_of_two}};

constexpr std::array single_pass_options = {
    backend,
    OptionRow{"max_split_size_mb", shared,
              MebibytesValue{.field = &Settings::max_split_size, .least_mib = 21}},
    OptionRow{"max_non_split_rounding_mb", shared,
              MebibytesValue{.field = &Settings::max_non_split_rounding, .least_mib = 21}},
    garbage_collection_threshold,
    roundup_power2_divisions,
    expandable_segments,
    release_lock_on_cudamalloc,
    pinned_use_cuda_host_register,
    pinned_num_register_threads,
    pinned_use_background_threads,
};

// Rows that all grammars of three passes share.
constexpr OptionRow large_segment_size_mb{
    "large_segment_size_mb", segment_size,
    MebibytesValue{
        .field = &Settings::large_segment_size, .least_mib = 11, .most_mib = largest_segment_mib}};
constexpr OptionRow max_split_size_mb{"max_split_size_mb", shared,
                                      MebibytesValue{.field = &Settings::max_split_size,
                                                     .least_like = &Settings::large_segment_size}};
constexpr OptionRow max_non_split_rounding_mb{
    "max_non_split_rounding_mb", shared,
    MebibytesValue{.field = &Settings::max_non_split_rounding,
                   .least_like = &Settings::large_segment_size}};
constexpr OptionRow pinned_reserve_segment_size_mb{
    "pinned_reserve_segment_size_mb", own,
    CountValue{.field = &Settings::pinned_reserve_segment_size_mb, .least = 1}};
constexpr OptionRow pinned_free_catch_all{"pinned_free_catch_all", own,
                                          FlagValue{&Settings::pinned_free_catch_all}};
constexpr OptionRow graph_capture_record_stream_reuse{
    "graph_capture_record_stream_reuse", own,
    FlagValue{&Settings::graph_capture_record_stream_reuse}};
constexpr OptionRow per_process_memory_fraction{
    "per_process_memory_fraction", own,
    ShareValue{&Settings::per_process_memory_fraction, Ends::included}};
constexpr OptionRow throw_on_cudamalloc_oom{"throw_on_cudamalloc_oom", own,
                                            FlagValue{&Settings::throw_on_cudamalloc_oom}};

constexpr std::array three_passes_options = {
    large_segment_size_mb,         max_split_size_mb,
    max_non_split_rounding_mb,     garbage_collection_threshold,
    roundup_power2_divisions,      expandable_segments,
    pinned_use_background_threads, backend,
    release_lock_on_cudamalloc,    pinned_use_cuda_host_register,
    pinned_num_register_threads,   pinned_reserve_segment_size_mb,
    pinned_free_catch_all,         graph_capture_record_stream_reuse,
    per_process_memory_fraction,   throw_on_cudamalloc_oom,
};

// Rows of the grammars that know the limits of pinned memory.
constexpr OptionRow any_large_segment_size_mb{
    "large_segment_size_mb", segment_size,
    MebibytesValue{.field = &Settings::large_segment_size, .least_mib = 11}};
constexpr OptionRow pinned_max_round_threshold_mb{
    "pinned_max_round_threshold_mb", shared,
    MebibytesValue{.field = &Settings::pinned_max_round_threshold}};
constexpr OptionRow pinned_max_cached_size_mb{
    "pinned_max_cached_size_mb", shared,
    MebibytesValue{.field = &Settings::pinned_max_cached_size}};

constexpr std::array three_passes_options_with_reserves = {
    any_large_segment_size_mb,
    max_split_size_mb,
    max_non_split_rounding_mb,
    garbage_collection_threshold,
    roundup_power2_divisions,
    expandable_segments,
    pinned_use_background_threads,
    pinned_max_round_threshold_mb,
    pinned_max_cached_size_mb,
    backend,
    release_lock_on_cudamalloc,
    pinned_use_cuda_host_register,
    pinned_num_register_threads,
    pinned_reserve_segment_size_mb,
    pinned_free_catch_all,
    graph_capture_record_stream_reuse,
    per_process_memory_fraction,
    throw_on_cudamalloc_oom,
    OptionRow{"expandable_segments_reserve", own, ReserveValue{&Settings::expandable_reserve}},
    OptionRow{"expandable_segments_reserve_by_class", own, ReservesByClassValue{}},
};

constexpr GrammarRules single_pass_rules{
    .options = single_pass_options,
    .blanks = " ",
    .separators = SeparatorRule::must_match,
    .no_separator = SettingsErrorKind::missing_separator,
    .list_ends_after_entry = SettingsErrorKind::unclosed_list,
    .numbers = NumberRule::whole_word,
    .largest_number = std::numeric_limits<std::int32_t>::max(),
};

constexpr GrammarRules three_passes_rules{
    .options = three_passes_options,
    .blanks = " \t\n\v\f\r",
    .separators = SeparatorRule::any_token,
    .no_separator = SettingsErrorKind::missing_value,
    .list_ends_after_entry = SettingsErrorKind::missing_value,
    .numbers = NumberRule::whole_word,
    .largest_number = std::numeric_limits<std::uint64_t>::max(),
};

constexpr GrammarRules three_passes_with_limits_rules{
    // All but the two reserves at the end.
    .options = std::span(three_passes_options_with_reserves)
                   .first(three_passes_options_with_reserves.size() - 2),
    .blanks = " \t\n\v\f\r",
    .separators = SeparatorRule::any_token,
    .no_separator = SettingsErrorKind::missing_value,
    .list_ends_after_entry = SettingsErrorKind::missing_value,
    .numbers = NumberRule::as_c,
    .largest_number = std::numeric_limits<std::uint64_t>::max(),
};

/// The grammar before it with two options more.
constexpr GrammarRules three_passes_with_reserves_rules = [] {
  GrammarRules rules = three_passes_with_limits_rules;
  rules.options = three_passes_options_with_reserves;
  return rules;
}();

constexpr std::string_view accepted_reserve =
    "a share of the device's memory such as 0.5, or a number of GiB such as 40G";

/// One kind of value in words: which texts it accepts.
struct AcceptedValues {
  const Settings& now;

  std::string operator()(const FlagValue&) const { return "True or False"; }
  std::string operator()(const MebibytesValue& value) const {
    std::string words =
        "a whole number of MiB, at least " + std::to_string(least_mebibytes(value, now));
    if (value.least_like != nullptr) words += " (the large segment size)";
    return words + at_most(value.most_mib);
  }
  std::string operator()(const CountValue& value) const {
    const std::string words =
        value.shape == Shape::power_of_two ? "a power of two" : "a whole number";
    return words + ", at least " + std::to_string(value.least) + at_most(value.most);
  }
  std::string operator()(const ShareValue& value) const {
    return value.ends == Ends::included ? "a number from 0 to 1, both included"
                                        : "a number between 0 and 1, neither included";
  }
  std::string operator()(const DivisionsValue&) const {
    return "a power of two, or a list like [4:2,16:8,>:4]";
  }
  std::string operator()(const ReserveValue&) const { return std::string(accepted_reserve); }
  std::string operator()(const ReservesByClassValue&) const {
    return "a list like [NAME:0.5,OTHER:40G]";
  }
  std::string operator()(const BackendValue&) const { return "native or cudaMallocAsync"; }

 private:
  static std::string at_most(std::uint64_t most) {
    return most == unlimited.count ? "" : " and at most " + std::to_string(most);
  }
};

[[noreturn]] void refuse_value(const OptionInHand& option, SettingsErrorKind kind,
                               std::string_view word) {
  refuse(option, kind, "takes " + accepted_values(option.row, option.parse.settings),
         in_quotes(word));
}

/// The whole word as a number of that type, in digits that no locale changes.
template <typename Number>
std::optional<Number> number_in(std::string_view word) {
  Number number{};
  const char* end = word.data() + word.size();
  const auto [stopped_at, error] = read_number(word.data(), end, number);
  if (error != std::errc{} || stopped_at != end) return std::nullopt;
  return number;
}

/// Takes a sign, which C's number readers pass over; says whether it was a minus.
bool take_sign(std::string_view& word) {
  const bool is_negative = word.starts_with('-');
  if (is_negative || word.starts_with('+')) word.remove_prefix(1);
  return is_negative;
}

/// As strtoull() reads it. A minus wraps the number around.
std::optional<std::uint64_t> whole_number_as_c(std::string_view word) {
  const bool is_negative = take_sign(word);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc{}) return std::nullopt;
  return is_negative ? 0 - number : number;
}

/// As strtod() reads it; words that stand for no normal number are refused.
std::optional<double> real_number_as_c(std::string_view word) {
  const bool is_negative = take_sign(word);
  if (word.starts_with('-') || word.starts_with('+')) return std::nullopt;
  double number = 0;
  const auto read = [&](std::string_view digits, std::chars_format format) {
    const auto [end, error] =
        read_real(digits.data(), digits.data() + digits.size(), number, format);
    return error == std::errc{};
  };
  const bool has_hex_digits = (word.starts_with("0x") || word.starts_with("0X")) &&
                              read(word.substr(2), std::chars_format::hex);
  if (!has_hex_digits && !read(word, std::chars_format::general)) return std::nullopt;
  if (std::fpclassify(number) == FP_SUBNORMAL && !has_hex_digits) return std::nullopt;
  return is_negative ? -number : number;
}

std::optional<double> real_number(const OptionInHand& option, std::string_view word) {
  if (option.parse.rules.numbers == NumberRule::as_c) return real_number_as_c(word);
  return number_in<double>(word);
}

/// Reads the value of one kind and lets it land.
struct ValueReader {
  const OptionInHand& option;

  void operator()(const FlagValue& value) const {
    const std::string word = take_value(option);
    if (word != "True" && word != "False")
      refuse_value(option, SettingsErrorKind::not_a_boolean, word);
    settings().*value.field = word == "True";
  }

  void operator()(const MebibytesValue& value) const {
    constexpr std::uint64_t most_that_fits = unlimited.count >> 20;
    const std::string word = take_value(option);
    const std::uint64_t mib = whole_number(option, word);
    if (mib < least_mebibytes(value, settings()) || mib > value.most_mib)
      refuse_value(option, SettingsErrorKind::out_of_range, word);
    settings().*value.field = Bytes{std::min(mib, most_that_fits) << 20};
  }

  void operator()(const CountValue& value) const {
    const std::string word = take_value(option);
    const std::uint64_t count = whole_number(option, word);
    const bool has_shape =
        value.shape != CountValue::Shape::power_of_two || std::has_single_bit(count);
    if (count < value.least || count > value.most || !has_shape)
      refuse_value(option, SettingsErrorKind::out_of_range, word);
    settings().*value.field = count;
  }

  void operator()(const ShareValue& value) const {
    const std::string word = take_value(option);
    const std::optional<double> share = real_number(option, word);
    if (!share) refuse_value(option, SettingsErrorKind::not_a_number, word);
    // Written so that NaN is refused, and so is a zero with a sign.
    const bool inside = *share > 0 && *share < 1;
    const bool at_an_end = (*share == 0 && !std::signbit(*share)) || *share == 1;
    const bool ends_count = value.ends == ShareValue::Ends::included;
    if (!inside && !(at_an_end && ends_count))
      refuse_value(option, SettingsErrorKind::out_of_range, word);
    settings().*value.field = *share;
  }

  void operator()(const DivisionsValue&) const { read_rounding_divisions(option); }

  void operator()(const ReserveValue& value) const {
    if (const auto reserve = reserve_in(option, take_value(option)))
      settings().*value.field = reserve;
  }

  void operator()(const ReservesByClassValue&) const { read_reserves_by_class(option); }

  void operator()(const BackendValue&) const {
    const std::string word = take_value(option);
    if (word != "native" && word != "cudaMallocAsync")
      refuse_value(option, SettingsErrorKind::unknown_backend, word);
    const Backend asked = word == "native" ? Backend::native : Backend::cuda_malloc_async;
    if (asked == settings().backend) return;
    refuse(option, SettingsErrorKind::other_backend,
           "cannot change while the allocator runs and must name the backend in use",
           in_quotes(word));
  }

 private:
  Settings& settings() const { return option.parse.settings; }
};

std::string names_of(std::span<const OptionRow> options) {
  std::string names;
  for (const OptionRow& row : options) {
    if (!names.empty()) names += ", ";
    names += row.name;
  }
  return names;
}

[[noreturn]] void refuse_unknown(const OptionParse& parse, const std::string& name) {
  throw OptionRefused({SettingsErrorKind::unknown_option, name,
                       "An option of " + std::string(parse.version.description) +
                           " was expected (" + names_of(parse.rules.options) + "); found " +
                           in_quotes(name) + "."});
}

/// Larger divisions could only matter to requests of more than a TiB.
constexpr std::uint64_t largest_divisions = 1ULL << 31;

/// How far a list has come.
struct ListPosition {
  /// The slot of the last size that was given.
  std::size_t slot = 0;
  bool has_size = false;
};

void check_power_of_two(const OptionInHand& option, std::uint64_t number, std::string_view needs) {
  if (!std::has_single_bit(number))
    refuse(option, SettingsErrorKind::out_of_range, needs, in_quotes(std::to_string(number)));
}

/// The divisions of one entry. Zero is allowed, and says that the slot does not round to steps.
std::uint32_t list_divisions(const OptionInHand& option, std::string_view word) {
  constexpr std::string_view needs = "takes 0 or a power of two up to 2147483648 for each size";
  const std::uint64_t divisions = whole_number(option, word);
  if (divisions != 0) check_power_of_two(option, divisions, needs);
  if (divisions > largest_divisions)
    refuse(option, SettingsErrorKind::out_of_range, needs, in_quotes(word));
  return static_cast<std::uint32_t>(divisions);
}

std::size_t slot_of_size(const OptionInHand& option, std::string_view word) {
  const std::uint64_t mib = whole_number(option, word);
  check_power_of_two(option, mib, "takes sizes in MiB that are powers of two");
  const auto exponent = static_cast<std::size_t>(std::countr_zero(mib));
  return std::min(exponent, option.parse.settings.roundup_divisions.size() - 1);
}

void fill_rest(const OptionInHand& option, const ListPosition& position, std::uint32_t divisions) {
  auto& slots = option.parse.settings.roundup_divisions;
  const bool keeps_last =
      option.parse.version.rest_of_list == RestOfListStart::after_last_given_slot;
  const std::size_t first = position.slot + (keeps_last ? 1 : 0);
  for (std::size_t slot = first; slot < slots.size(); ++slot) slots[slot] = divisions;
}

void read_entry(const OptionInHand& option, ListPosition& position) {
  const std::string size = take_value(option);
  take_separator(option, ":");
  const std::uint32_t divisions = list_divisions(option, take_value(option));
  if (size == ">") return fill_rest(option, position, divisions);
  const std::size_t slot = slot_of_size(option, size);
  auto& slots = option.parse.settings.roundup_divisions;
  const std::size_t first = position.has_size ? slot : 0;
  for (std::size_t at = first; at <= slot; ++at) slots[at] = divisions;
  position = {slot, true};
}

void read_list(const OptionInHand& option) {
  OptionTokens& tokens = option.parse.tokens;
  ListPosition position;
  while (!tokens.at_end() && !tokens.next_is("]")) {
    read_entry(option, position);
    if (tokens.at_end())
      refuse(option, option.parse.rules.list_ends_after_entry, "has a list that needs a ']'",
             found_next(tokens));
    if (!tokens.next_is("]")) take_separator(option, ",");
  }
  if (tokens.at_end())
    refuse(option, SettingsErrorKind::unclosed_list, "has a list that needs a ']'",
           found_next(tokens));
  tokens.take();
}

}  // namespace

const GrammarRules& rules_of(OptionGrammar grammar) {
  switch (grammar) {
    case OptionGrammar::single_pass:
      return single_pass_rules;
    case OptionGrammar::three_passes:
      return three_passes_rules;
    case OptionGrammar::three_passes_with_limits:
      return three_passes_with_limits_rules;
    case OptionGrammar::three_passes_with_reserves:
      return three_passes_with_reserves_rules;
  }
  check_failed("every grammar has its rules", __FILE__, __LINE__);
}

const OptionRow* find_option(const GrammarRules& rules, std::string_view name) {
  const auto has_name = [&](const OptionRow& row) {
    return row.name == name || (!row.alias.empty() && row.alias == name);
  };
  const auto row = std::find_if(rules.options.begin(), rules.options.end(), has_name);
  return row == rules.options.end() ? nullptr : &*row;
}

std::string accepted_values(const OptionRow& row, const Settings& now) {
  return std::visit(AcceptedValues{now}, row.value);
}

std::uint64_t least_mebibytes(const MebibytesValue& value, const Settings& now) {
  constexpr Bytes mebibyte{1ULL << 20};
  return value.least_like == nullptr ? value.least_mib : now.*value.least_like / mebibyte;
}

OptionRefused::OptionRefused(SettingsError error)
    : std::runtime_error(error.message), error_(std::move(error)) {}

void refuse(const OptionInHand& option, SettingsErrorKind kind, std::string_view needs,
            std::string_view found) {
  std::string message = option.name;
  message.append(" ").append(needs).append("; found ").append(found).append(".");
  throw OptionRefused({kind, option.name, std::move(message)});
}

OptionInHand take_option_name(OptionParse& parse) {
  const std::string name = parse.tokens.take();
  const OptionRow* row = find_option(parse.rules, name);
  if (row == nullptr) refuse_unknown(parse, name);
  parse.named.insert(row->name);
  return {parse, *row, name};
}

void read_option(const OptionInHand& option) {
  take_separator(option, ":");
  std::visit(ValueReader{option}, option.row.value);
}

void skip_option(const OptionInHand& option) {
  take_separator(option, ":");
  if (take_value(option) != "[") return;
  OptionTokens& tokens = option.parse.tokens;
  while (!tokens.at_end())
    if (tokens.take() == "]") return;
  refuse(option, SettingsErrorKind::unclosed_list, "has a list that needs a ']'",
         found_next(tokens));
}

void take_separator_after(const OptionInHand& option) {
  if (!option.parse.tokens.at_end()) take_separator(option, ",");
}

void take_separator(const OptionInHand& option, std::string_view separator) {
  OptionTokens& tokens = option.parse.tokens;
  const bool any_token = option.parse.rules.separators == SeparatorRule::any_token;
  const bool fits = any_token ? !tokens.at_end() : tokens.next_is(separator);
  if (!fits)
    refuse(option, option.parse.rules.no_separator,
           "needs " + in_quotes(separator) +
               (separator == ":" ? " before a value" : " before what follows"),
           found_next(tokens));
  tokens.take();
}

std::string take_value(const OptionInHand& option) {
  OptionTokens& tokens = option.parse.tokens;
  if (tokens.at_end())
    refuse(option, SettingsErrorKind::missing_value,
           "takes " + accepted_values(option.row, option.parse.settings), found_next(tokens));
  return tokens.take();
}

std::uint64_t whole_number(const OptionInHand& option, std::string_view word) {
  const bool as_c = option.parse.rules.numbers == NumberRule::as_c;
  const std::optional<std::uint64_t> number =
      as_c ? whole_number_as_c(word) : number_in<std::uint64_t>(word);
  if (!number || *number > option.parse.rules.largest_number)
    refuse_value(option, SettingsErrorKind::not_a_number, word);
  return *number;
}

std::string found_next(const OptionTokens& tokens) {
  return tokens.at_end() ? "the end of the options" : in_quotes(tokens.next());
}

std::string in_quotes(std::string_view word) {
  constexpr std::size_t longest = 60;
  std::string quoted = "'";
  for (const char character : word.substr(0, longest)) {
    const bool printable = character >= ' ' && character <= '~';
    quoted += printable ? character : '?';
  }
  return quoted + (word.size() > longest ? "...'" : "'");
}

void read_rounding_divisions(const OptionInHand& option) {
  const std::string word = take_value(option);
  if (word == "[") return read_list(option);
  const std::uint64_t divisions = whole_number(option, word);
  constexpr std::string_view needs = "takes a power of two up to 2147483648, or a list";
  check_power_of_two(option, divisions, needs);
  if (divisions > largest_divisions)
    refuse(option, SettingsErrorKind::out_of_range, needs, in_quotes(word));
  option.parse.settings.roundup_divisions.fill(static_cast<std::uint32_t>(divisions));
}

std::optional<AddressReserve> reserve_in(const OptionInHand& option, std::string_view word) {
  using Unit = AddressReserve::Unit;
  std::string_view digits = word;
  const bool is_size = digits.ends_with('G') || digits.ends_with('g');
  if (is_size) digits.remove_suffix(1);
  if (digits.starts_with('+')) digits.remove_prefix(1);
  double amount = 0;
  const auto [end, error] = read_number(digits.data(), digits.data() + digits.size(), amount);
  const bool is_read = error == std::errc{} && end == digits.data() + digits.size();
  if (is_read && std::isfinite(amount) && amount > 0)
    return AddressReserve{amount, is_size ? Unit::gibibytes : Unit::device_memory};
  option.parse.ignored.push_back(option.name + " takes " + std::string(accepted_reserve) +
                                 "; found " + in_quotes(word) + ", which is passed over.");
  return std::nullopt;
}

void read_reserves_by_class(const OptionInHand& option) {
  take_value(option);
  OptionTokens& tokens = option.parse.tokens;
  while (!tokens.at_end() && !tokens.next_is("]")) {
    tokens.take();
    take_separator(option, ":");
    reserve_in(option, take_value(option));
    if (tokens.next_is(",")) tokens.take();
  }
  take_value(option);
}

OptionTokens::OptionTokens(std::string_view text, std::string_view blanks) {
  constexpr std::string_view separators = ",:[]";
  std::string word;
  const auto finish_word = [&] {
    if (!word.empty()) tokens_.push_back(std::move(word));
    word.clear();
  };
  for (const char character : text) {
    if (separators.find(character) != std::string_view::npos) {
      finish_word();
      tokens_.emplace_back(1, character);
    } else if (blanks.find(character) == std::string_view::npos) {
      word += character;
    }
  }
  finish_word();
}

const std::string& OptionTokens::next() const {
  check(!at_end(), "only a token that is there can be looked at");
  return tokens_[position_];
}

const std::string& OptionTokens::take() {
  const std::string& token = next();
  ++position_;
  return token;
}

}  // namespace vramlab::allocator
