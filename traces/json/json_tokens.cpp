#include "traces/json/json_tokens.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "allocator/types/real_numbers.h"
#include "traces/io/input_error.h"
#include "traces/io/letters.h"
#include "traces/model/generic_text.h"

namespace vramlab::traces {
namespace {

bool is_blank(char letter) {
  return letter == ' ' || letter == '\n' || letter == '\r' || letter == '\t';
}
/// The place behind a number with a fraction or an exponent, or of the letter that is wrong.
struct RealLetters {
  const char* end;
  bool is_valid;
};

RealLetters scan_digits(const char* at) {
  if (!is_digit(*at)) return {at, false};
  while (is_digit(*at)) ++at;
  return {at, true};
}

/// From behind the digits of the whole part on.
RealLetters scan_fraction_and_exponent(const char* at) {
  RealLetters scan{at, true};
  if (*at == '.') scan = scan_digits(at + 1);
  if (!scan.is_valid || (*scan.end != 'e' && *scan.end != 'E')) return scan;
  const char* const exponent = scan.end + 1;
  return scan_digits(exponent + (*exponent == '+' || *exponent == '-' ? 1 : 0));
}

/// Infinite where the number is too large; a number that is too small becomes the nearest, 0.
double real_of(const char* begin, const char* end) {
  double number = 0;
  if (read_real(begin, end, number).ec == std::errc()) return number;
  // read_real() does not say on which side the number is out of range.
  return std::strtod(std::string(begin, end).c_str(), nullptr);
}

[[noreturn]] void fail_as_too_deep(const JsonTokens& tokens, std::size_t deepest) {
  tokens.fail("at most " + std::to_string(deepest) + " levels", "more");
}

void pass_scalar(JsonTokens& tokens) {
  if (tokens.peek_value() == '"') {
    tokens.take_passing_text();
    return;
  }
  FieldValue ignored;
  tokens.take_scalar(ignored);
}

/// Takes an opening bracket, and notes the closing one.
void open(JsonTokens& tokens, std::string& closing_brackets) {
  if (closing_brackets.size() == deepest_passed_value)
    fail_as_too_deep(tokens, deepest_passed_value);
  closing_brackets += tokens.peek() == '{' ? '}' : ']';
  tokens.take();
}

/// After a value: takes the brackets that close behind it. False if everything has ended.
bool has_next(JsonTokens& tokens, std::string& closing_brackets) {
  while (!closing_brackets.empty()) {
    if (tokens.take_separator(closing_brackets.back())) return true;
    closing_brackets.pop_back();
  }
  return false;
}

}  // namespace

void JsonTokens::fail_at(std::uint64_t byte, const std::string& expected,
                         const std::string& found) const {
  const std::string line =
      line_ends_ == LineEnds::count ? "line " + std::to_string(line_) + ", " : "";
  throw InputError({file_, line + "byte " + std::to_string(byte), expected, found});
}

void JsonTokens::fail(const std::string& expected, const std::string& found) const {
  fail_at(window_.bytes_taken(), expected, found);
}

/// Quotes the letters before the place and the letter at it, which may be anything, also half a
/// character.
void JsonTokens::refuse(const char* place) const {
  std::string found = "the end of the text";
  if (place != window_.end()) {
    found = "'";
    for (const char letter : window_.last_letters(word_position_, place + 1))
      found += letter < ' ' || letter > '~' ? '?' : letter;
    found += "'";
  }
  fail_at(window_.position_of(place), "valid JSON", found);
}

char JsonTokens::peek_far() {
  while (true) {
    const char* at = window_.at();
    while (is_blank(*at) && (*at != '\n' || line_ends_ == LineEnds::blank)) ++at;
    window_.go_to(at);
    if (at != window_.end()) {
      // A 0 in the text must not pass for its end.
      if (*at == '\0') refuse(at);
      return *at;
    }
    if (!window_.fill()) return '\0';
  }
}

void JsonTokens::pass_byte_order_mark() {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  if (window_.has(mark.size()) && std::string_view(window_.at(), mark.size()) == mark)
    window_.go_to(window_.at() + mark.size());
}

bool JsonTokens::lengthen_word() {
  const auto length = static_cast<std::uint64_t>(window_.end() - window_.at());
  // A native trace may spell a text with two letters a byte.
  const std::uint64_t longest = line_ends_ == LineEnds::blank ? longest_word : 2 * longest_word;
  if (length > longest)
    fail("a word of at most " + std::to_string(longest) + " bytes", "a longer one");
  return window_.fill();
}

/// The offset, from the opening quote on, of the quote that ends the text. The search begins at
/// offset `from`.
std::size_t JsonTokens::find_closing_quote(std::size_t from) {
  while (true) {
    const char* const stop = find_not_plain(window_.at() + from);
    from = static_cast<std::size_t>(stop - window_.at());
    if (stop == window_.end()) {
      if (!lengthen_word()) refuse(window_.end());
    } else if (*stop == '"') {
      return from;
    } else if (*stop == '\\') {
      // The letter behind it is not looked at here, so it must be there.
      if (stop + 1 != window_.end())
        from += 2;
      else if (!lengthen_word())
        refuse(window_.end());
    } else if (static_cast<unsigned char>(*stop) >= 0x80) {
      ++from;
    } else {
      refuse(stop);
    }
  }
}

std::string_view JsonTokens::take_marked_text(std::size_t plain_count) {
  const std::size_t quote = find_closing_quote(plain_count + 1);
  const std::string_view letters(window_.at() + 1, quote - 1);
  if (const auto wrong = decode_json_letters(letters, decoded_, invalid_bytes_))
    refuse(letters.data() + *wrong);
  window_.go_to(window_.at() + quote + 1);
  return decoded_;
}

const std::string& JsonTokens::take_passing_key() {
  if (peek() != '"') refuse(window_.at());
  passing_key_ = take_passing_text();
  expect(':');
  return passing_key_;
}

void JsonTokens::fail_at_value(const std::string& expected) {
  const char letter = peek_value();
  if (letter == '{') fail(expected, "a dict");
  if (letter == '[') fail(expected, "a list");
  FieldValue value;
  take_scalar(value);
  fail(expected, found_text(value, texts_));
}

void JsonTokens::take_scalar(FieldValue& value) {
  switch (peek()) {
    case '"':
      value = take_text();
      return;
    case 't':
      value = true;
      return take_literal("true");
    case 'f':
      value = false;
      return take_literal("false");
    case 'n':
      return take_literal("null");
    default:
      return take_number(value);
  }
}

void JsonTokens::take_literal(std::string_view literal) {
  for (const char letter : literal) {
    if (!window_.has(1) || *window_.at() != letter) refuse(window_.at());
    take();
  }
}

void JsonTokens::take_number(FieldValue& value) {
  begin_quotes_here();
  while (true) {
    const bool has_minus = *window_.at() == '-';
    const char* const begin = window_.at() + (has_minus ? 1 : 0);
    const DigitRow digits = read_digits(begin);
    if (digits.end == window_.end() && lengthen_word()) continue;
    if (digits.end == begin) refuse(begin);
    if (*begin == '0' && digits.end - begin > 1) refuse(begin + 1);
    if (*digits.end == '.' || *digits.end == 'e' || *digits.end == 'E') return take_real(value);
    window_.go_to(digits.end);
    constexpr std::uint64_t most_below_zero = std::uint64_t{1} << 63;
    if (digits.is_too_large || (has_minus && digits.number > most_below_zero))
      return take_long_number(value);
    const bool is_negative = has_minus && digits.number != 0;
    value = WholeNumber{has_minus ? ~digits.number + 1 : digits.number, is_negative};
    return;
  }
}

void JsonTokens::take_long_number(FieldValue& value) {
  const std::string_view letters = number_letters();
  if (letters.size() > most_number_digits)
    fail("a whole number of at most " + std::to_string(most_number_digits) + " digits",
         "one of " + std::to_string(letters.size()));
  value = LongNumber{texts_.intern(letters)};
}

void JsonTokens::take_real(FieldValue& value) {
  while (true) {
    const char* at = window_.at() + (*window_.at() == '-' ? 1 : 0);
    const RealLetters scan = scan_fraction_and_exponent(read_digits(at).end);
    if (scan.end == window_.end() && lengthen_word()) continue;
    if (!scan.is_valid) refuse(scan.end);
    const double number = real_of(window_.at(), scan.end);
    if (!std::isfinite(number)) refuse(scan.end - 1);
    window_.go_to(scan.end);
    value = number;
    return;
  }
}

std::string_view JsonLines::text() {
  if (peek() != '"') fail("a text");
  const std::string_view text = take_passing_text();
  if (!is_utf8(text)) fail("a text in UTF-8", "half a pair of surrogates");
  return text;
}

bool JsonLines::boolean() {
  const char letter = peek();
  if (letter != 't' && letter != 'f') fail("true or false");
  FieldValue value;
  take_scalar(value);
  return std::get<bool>(value);
}

FieldValue JsonLines::number() {
  const char first = peek();
  if (first != '-' && !is_digit(first)) fail("a number");
  FieldValue value;
  take_scalar(value);
  return value;
}

std::uint64_t JsonLines::unsigned_number(std::uint64_t maximum) {
  const FieldValue value = this->number();
  const auto* number = std::get_if<WholeNumber>(&value);
  if (number == nullptr || number->is_negative || number->bits > maximum)
    fail_at_text("a whole number from 0 to " + std::to_string(maximum), number_letters());
  return number->bits;
}

double JsonLines::real() {
  number();
  const std::string_view letters = number_letters();
  double value = 0;
  // The grammar was checked before, so the number can only be too large.
  if (read_real(letters.data(), letters.data() + letters.size(), value).ec != std::errc{})
    fail_at_text("a number that a double can hold", letters);
  return value;
}

void JsonLines::end_line() {
  if (is_at_end()) return;
  if (peek() != '\n') fail("the end of the line");
  skip_blank_lines();
}

void JsonLines::skip_blank_lines() {
  while (take_if('\n')) count_line();
}

void JsonLines::fail(const std::string& expected, const std::string& found) const {
  fail_at(word_position(), expected, found);
}

void JsonLines::fail_at_text(const std::string& expected, std::string_view found) const {
  constexpr std::size_t longest_quote = 24;
  fail(expected, "'" + as_utf8(found.substr(0, longest_quote)) + "'");
}

void JsonLines::fail(const std::string& expected) {
  constexpr std::size_t longest_quote = 20;
  const bool is_end = is_at_end();
  window().has(longest_quote);
  std::string_view next(window().at(), static_cast<std::size_t>(window().end() - window().at()));
  next = next.substr(0, std::min(longest_quote, next.find('\n')));
  std::string found = is_end         ? "the end of the file"
                      : next.empty() ? "the end of the line"
                                     : "'" + std::string(next) + "'";
  std::ranges::replace_if(found, [](char letter) { return letter < ' ' || letter > '~'; }, '?');
  fail_at(window().bytes_taken(), expected, found);
}

GenericPointer JsonGeneric::read() {
  while (true) {
    if (is_in_dict()) open_.back().key = text(tokens_.take_key());
    const char letter = tokens_.peek();
    if (letter == '{' || letter == '[') {
      count_part();
      tokens_.take();
      begin(letter == '{' ? GenericValue{GenericDict{}, 1} : GenericValue{GenericList{}, 1});
      if (!tokens_.take_if(letter == '{' ? '}' : ']')) continue;
      if (GenericPointer whole = end_innermost()) return whole;
    } else {
      GenericPointer scalar = take_scalar();
      if (open_.empty()) return scalar;
      count_part();
      add(std::move(scalar));
    }
    if (GenericPointer whole = end_what_ends_here()) return whole;
  }
}

/// Takes the brackets that close behind an item. Null if another item follows in a list or dict
/// that stays open.
GenericPointer JsonGeneric::end_what_ends_here() {
  while (!tokens_.take_separator(is_in_dict() ? '}' : ']'))
    if (GenericPointer whole = end_innermost()) return whole;
  return nullptr;
}

void JsonGeneric::begin(GenericValue value) {
  open_.push_back({std::make_shared<GenericValue>(std::move(value)), nullptr});
}

void JsonGeneric::add(GenericPointer value) {
  Open& around = open_.back();
  around.value->depth = std::max(around.value->depth, value->depth + 1);
  if (auto* dict = std::get_if<GenericDict>(&around.value->content))
    dict->items.emplace_back(std::move(around.key), std::move(value));
  else
    std::get<GenericList>(around.value->content).items.push_back(std::move(value));
}

/// The whole value if the outermost list or dict has ended.
GenericPointer JsonGeneric::end_innermost() {
  GenericPointer value = std::move(open_.back().value);
  open_.pop_back();
  if (!open_.empty()) {
    add(std::move(value));
    return nullptr;
  }
  part_count_ = 0;
  return value;
}

GenericPointer JsonGeneric::take_scalar() {
  FieldValue value;
  tokens_.take_scalar(value);
  if (const auto* id = std::get_if<TextId>(&value)) return text(*id);
  return *generic_from_field(value);
}

GenericPointer JsonGeneric::text(TextId id) {
  if (id.value >= texts_.size()) texts_.resize(std::size_t{id.value} + 1);
  GenericPointer& text = texts_[id.value];
  if (!text) text = make_generic(id);
  return text;
}

void JsonGeneric::count_part() {
  if (open_.size() == deepest_generic_value) fail_as_too_deep(tokens_, deepest_generic_value);
  if (part_count_++ == most_parts)
    tokens_.fail("at most " + std::to_string(most_parts) + " parts of a value", "more");
}

void pass_value(JsonTokens& tokens) {
  std::string closing_brackets;
  do {
    if (closing_brackets.ends_with('}')) tokens.take_passing_key();
    bool is_empty = false;
    while (!is_empty && (tokens.peek_value() == '{' || tokens.peek_value() == '[')) {
      open(tokens, closing_brackets);
      is_empty = tokens.take_if(closing_brackets.back());
      if (is_empty)
        closing_brackets.pop_back();
      else if (closing_brackets.back() == '}')
        tokens.take_passing_key();
    }
    if (!is_empty) pass_scalar(tokens);
  } while (has_next(tokens, closing_brackets));
}

}  // namespace vramlab::traces
