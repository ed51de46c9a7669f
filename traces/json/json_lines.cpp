#include "traces/json/json_lines.h"

#include <algorithm>
#include <charconv>

#include "allocator/types/real_numbers.h"
#include "traces/io/json_letters.h"
#include "traces/io/utf8.h"

namespace vramlab::traces {

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
  // It was read before, so that it can fail only by being too large.
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
  std::ranges::replace_if(
      found, [](char letter) { return letter < ' ' || letter > '~'; }, '?');
  fail_at(window().bytes_taken(), expected, found);
}

}  // namespace vramlab::traces
