#include "traces/json/json_scanner.h"

#include <algorithm>
#include <charconv>

#include "traces/files/input_error.h"
#include "traces/files/json_letters.h"
#include "traces/files/utf8.h"
#include "traces/values/long_number.h"

namespace vramlab::traces {
namespace {

bool may_be_in_number(char letter) {
  return is_digit(letter) || letter == '-' || letter == '+' || letter == '.' || letter == 'e' ||
         letter == 'E';
}

void skip_digits(std::string_view& letters) {
  while (!letters.empty() && is_digit(letters.front())) letters.remove_prefix(1);
}

bool skip_some_digits(std::string_view& letters) {
  const std::size_t before = letters.size();
  skip_digits(letters);
  return letters.size() != before;
}

/// As JSON writes one; std::from_chars would take more.
bool is_number(std::string_view letters) {
  if (letters.starts_with('-')) letters.remove_prefix(1);
  if (letters.starts_with('0'))
    letters.remove_prefix(1);
  else if (!skip_some_digits(letters))
    return false;
  if (letters.starts_with('.')) {
    letters.remove_prefix(1);
    if (!skip_some_digits(letters)) return false;
  }
  if (!letters.starts_with('e') && !letters.starts_with('E')) return letters.empty();
  letters.remove_prefix(1);
  if (letters.starts_with('-') || letters.starts_with('+')) letters.remove_prefix(1);
  return skip_some_digits(letters) && letters.empty();
}

bool ends_plain_letters(char letter) {
  return letter == '"' || letter == '\\' || static_cast<unsigned char>(letter) < ' ';
}

}  // namespace

JsonScanner::JsonScanner(ByteSource& source, Origin origin)
    : source_(source),
      origin_(origin),
      buffer_(buffer_bytes),
      at_(buffer_.data()),
      end_(at_),
      bytes_before_(origin.byte),
      token_byte_(origin.byte) {}

bool JsonScanner::fill() {
  bytes_before_ += static_cast<std::uint64_t>(end_ - buffer_.data());
  at_ = buffer_.data();
  end_ = at_;
  end_ += source_.read(buffer_.data(), buffer_.size());
  return at_ != end_;
}

void JsonScanner::fail(const std::string& expected, const std::string& found) const {
  std::string position = "byte " + std::to_string(token_byte_);
  if (origin_.lines == Lines::told) position = "line " + std::to_string(line_) + ", " + position;
  throw InputError({origin_.file, position, expected, found});
}

void JsonScanner::fail(const std::string& expected) {
  token_byte_ = bytes_taken();
  fail(expected, describe_next());
}

/// Takes it, so that the quote is the same however the letters arrive.
std::string JsonScanner::describe_next() {
  if (!has_letter()) return "the end of the file";
  constexpr std::size_t longest_quote = 20;
  std::string found = "'";
  for (; found.size() <= longest_quote && has_letter() && *at_ != '\n'; ++at_)
    found += *at_ < ' ' || *at_ > '~' ? '?' : *at_;
  return found == "'" ? "the end of the line" : found + "'";
}

char JsonScanner::peek() {
  while (has_letter()) {
    token_byte_ = bytes_taken();
    // Another NUL would be taken for the end.
    if (*at_ == '\0') fail("JSON", "a byte 0");
    if (*at_ != ' ' && *at_ != '\t' && *at_ != '\r') return *at_;
    ++at_;
  }
  token_byte_ = bytes_taken();
  return '\0';
}

bool JsonScanner::take_if(char letter) {
  if (peek() != letter) return false;
  ++at_;
  return true;
}

void JsonScanner::take(char letter) {
  if (!take_if(letter)) fail(std::string("'") + letter + "'");
}

void JsonScanner::end_line() {
  if (is_at_end()) return;
  if (peek() != '\n') fail("the end of the line");
  skip_blank_lines();
}

void JsonScanner::skip_blank_lines() {
  while (take_if('\n')) ++line_;
}

std::string_view JsonScanner::text() {
  if (peek() != '"') fail("a text");
  const char* begin = ++at_;
  at_ = std::find_if(begin, end_, ends_plain_letters);
  if (at_ == end_ || *at_ != '"') return long_text(begin);
  const std::string_view found(begin, static_cast<std::size_t>(at_ - begin));
  ++at_;
  if (!is_utf8(found)) fail("a text in UTF-8", "other bytes");
  return found;
}

/// With escapes, or across pieces of the source.
std::string_view JsonScanner::long_text(const char* begin) {
  word_.assign(begin, at_);
  while (true) {
    const char letter = next_letter("the text's end");
    if (letter == '"') break;
    if (letter == '\\') {
      take_escape();
    } else if (static_cast<unsigned char>(letter) < ' ') {
      --at_;
      fail("the text's end");
    } else {
      const char* first = at_ - 1;
      at_ = std::find_if(at_, end_, ends_plain_letters);
      add_to_word({first, static_cast<std::size_t>(at_ - first)});
    }
  }
  if (!is_utf8(word_)) fail("a text in UTF-8", "other bytes");
  return word_;
}

void JsonScanner::add_to_word(std::string_view letters) {
  if (word_.size() + letters.size() > longest_text_bytes)
    fail("a text of at most " + std::to_string(longest_text_bytes) + " bytes", "a longer one");
  word_ += letters;
}

char JsonScanner::next_letter(const char* expected) {
  if (!has_letter()) fail(expected);
  return *at_++;
}

void JsonScanner::take_escape() {
  constexpr std::string_view escapes = "\"\\/bfnrt";
  constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
  const char letter = next_letter("an escape");
  const std::size_t which = escapes.find(letter);
  if (which != std::string_view::npos) return add_to_word(meanings.substr(which, 1));
  if (letter != 'u') fail("an escape that JSON has", "another one");
  std::uint32_t code = take_hex_unit();
  if (code >= 0xD800 && code < 0xDC00 && next_letter("a second surrogate") == '\\' &&
      next_letter("a second surrogate") == 'u') {
    const std::uint32_t second = take_hex_unit();
    if (second >= 0xDC00 && second < 0xE000)
      code = 0x10000 + ((code - 0xD800) << 10U) + (second - 0xDC00);
  }
  if (code >= 0xD800 && code < 0xE000) fail("surrogates in pairs", "a single one");
  add_code(code);
}

std::uint32_t JsonScanner::take_hex_unit() {
  std::uint32_t unit = 0;
  for (int digit = 0; digit < 4; ++digit) {
    const char letter = next_letter("four hexadecimal digits");
    const char* end = &letter + 1;
    std::uint32_t value = 0;
    if (std::from_chars(&letter, end, value, 16).ptr != end)
      fail("four hexadecimal digits", "another letter");
    unit = unit << 4U | value;
  }
  return unit;
}

void JsonScanner::add_code(std::uint32_t code) {
  const auto tail = [code](unsigned shift) {
    return static_cast<char>(0x80U | ((code >> shift) & 0x3FU));
  };
  if (code < 0x80)
    add_to_word(std::string{static_cast<char>(code)});
  else if (code < 0x800)
    add_to_word(std::string{static_cast<char>(0xC0U | code >> 6U), tail(0)});
  else if (code < 0x10000)
    add_to_word(std::string{static_cast<char>(0xE0U | code >> 12U), tail(6), tail(0)});
  else
    add_to_word(std::string{static_cast<char>(0xF0U | code >> 18U), tail(12), tail(6), tail(0)});
}

JsonScanner::Number JsonScanner::number() {
  const char first = peek();
  if (first != '-' && !is_digit(first)) fail("a number");
  constexpr std::size_t longest = most_number_digits + 1;
  word_.clear();
  while (has_letter() && may_be_in_number(*at_)) {
    word_ += *at_++;
    if (word_.size() > longest)
      fail("a number of at most " + std::to_string(longest) + " letters", "a longer one");
  }
  if (!is_number(word_)) fail("a number", quoted(word_));
  return word_.find_first_of(".eE") == std::string::npos ? whole_word() : real_word();
}

JsonScanner::Number JsonScanner::whole_word() const {
  Number result;
  const char* end = word_.data() + word_.size();
  std::errc error{};
  if (word_.front() == '-') {
    std::int64_t value = 0;
    error = std::from_chars(word_.data(), end, value).ec;
    result.whole = {static_cast<std::uint64_t>(value), value < 0};
  } else {
    error = std::from_chars(word_.data(), end, result.whole.bits).ec;
  }
  if (error != std::errc{}) {
    result.kind = Number::Kind::long_whole;
    std::from_chars(word_.data(), end, result.real);
  }
  return result;
}

JsonScanner::Number JsonScanner::real_word() const {
  Number result{Number::Kind::real, {}, 0};
  const auto [at, error] = std::from_chars(word_.data(), word_.data() + word_.size(), result.real);
  if (error != std::errc{}) fail("a number that a double can hold", quoted(word_));
  return result;
}

/// The beginning of it, in letters that can stand in a message.
std::string JsonScanner::quoted(std::string_view text) {
  constexpr std::size_t longest_quote = 24;
  return "'" + as_utf8(text.substr(0, longest_quote)) + "'";
}

double JsonScanner::real() {
  const Number found = number();
  if (!found.is_whole()) return found.real;
  if (found.whole.is_negative)
    return static_cast<double>(static_cast<std::int64_t>(found.whole.bits));
  return static_cast<double>(found.whole.bits);
}

std::uint64_t JsonScanner::unsigned_number(std::uint64_t maximum) {
  const Number found = number();
  if (!found.is_whole() || found.whole.is_negative || found.whole.bits > maximum)
    fail("a whole number from 0 to " + std::to_string(maximum), quoted(word_));
  return found.whole.bits;
}

void JsonScanner::take_word(std::string_view word) {
  for (const char letter : word) {
    if (!has_letter() || *at_ != letter) fail("'" + std::string(word) + "'");
    ++at_;
  }
}

bool JsonScanner::boolean() {
  const bool value = peek() == 't';
  if (!value && peek() != 'f') fail("true or false");
  take_word(value ? "true" : "false");
  return value;
}

void JsonScanner::null() {
  peek();
  take_word("null");
}

}  // namespace vramlab::traces
