#include "traces/native/script_line.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "traces/io/byte_source.h"
#include "traces/io/input_error.h"
#include "traces/io/letters.h"

namespace vramlab::traces {
namespace {

constexpr unsigned letter_count = 26;

bool is_small_letter(char letter) { return letter >= 'a' && letter <= 'z'; }

bool is_word_letter(char letter) {
  return is_small_letter(letter) || (letter >= 'A' && letter <= 'Z') || letter == '_' ||
         is_digit(letter);
}

/// Words that begin a statement and so name no memory.
bool is_reserved(std::string_view word) { return word == "del" || word == "with"; }

struct Unit {
  std::string_view name;
  std::uint64_t amount;
};

constexpr std::array<Unit, 7> units = {{{"KiB", std::uint64_t{1} << 10U},
                                        {"MiB", std::uint64_t{1} << 20U},
                                        {"GiB", std::uint64_t{1} << 30U},
                                        {"TiB", std::uint64_t{1} << 40U},
                                        {"us", 1000},
                                        {"ms", 1'000'000},
                                        {"s", 1'000'000'000}}};

constexpr const char* whole_expected = "a whole number, such as 512 or 4*MiB";
constexpr const char* number_bound = "a number up to 2^64 - 1";

}  // namespace

std::optional<std::uint64_t> number_of_name(std::string_view name) {
  if (name.starts_with('_')) return whole_number(name.substr(1));
  if (name.empty() || is_reserved(name)) return std::nullopt;
  std::uint64_t number = 0;
  for (const char letter : name) {
    if (!is_small_letter(letter)) return std::nullopt;
    if (__builtin_mul_overflow(number, std::uint64_t{letter_count}, &number)) return std::nullopt;
    const auto digit = static_cast<std::uint64_t>(letter - 'a' + 1);
    if (__builtin_add_overflow(number, digit, &number)) return std::nullopt;
  }
  return number;
}

std::string name_of_number(std::uint64_t number) {
  std::string name;
  for (std::uint64_t left = number; left > 0; left = (left - 1) / letter_count)
    name += static_cast<char>('a' + (left - 1) % letter_count);
  std::ranges::reverse(name);
  if (name.empty() || is_reserved(name)) return "_" + std::to_string(number);
  return name;
}

void ScriptLine::pass_spaces() {
  while (at_ < text_.size() && text_[at_] == ' ') ++at_;
}

std::size_t ScriptLine::take_indentation() {
  pass_spaces();
  if (at_ < text_.size() && text_[at_] == '\t') fail("spaces");
  return at_;
}

bool ScriptLine::is_done() {
  pass_spaces();
  return at_ == text_.size() || text_[at_] == '#';
}

void ScriptLine::finish() {
  if (!is_done()) fail("the end of the line");
}

bool ScriptLine::take_if(std::string_view mark) {
  pass_spaces();
  if (!text_.substr(at_).starts_with(mark)) return false;
  at_ += mark.size();
  return true;
}

void ScriptLine::take(std::string_view mark) {
  if (!take_if(mark)) fail("'" + std::string(mark) + "'");
}

std::string_view ScriptLine::take_word_if() {
  pass_spaces();
  const std::size_t begin = at_;
  if (begin < text_.size() && is_digit(text_[begin])) return {};
  while (at_ < text_.size() && is_word_letter(text_[at_])) ++at_;
  return text_.substr(begin, at_ - begin);
}

std::string_view ScriptLine::take_word(const std::string& expected) {
  const std::string_view word = take_word_if();
  if (word.empty()) fail(expected);
  return word;
}

std::string_view ScriptLine::take_keyword_if() {
  pass_spaces();
  const std::size_t begin = at_;
  const std::string_view word = take_word_if();
  if (!word.empty() && take_if("=")) return word;
  at_ = begin;
  return {};
}

std::uint64_t ScriptLine::factor() {
  pass_spaces();
  const std::size_t begin = at_;
  if (const std::string_view word = take_word_if(); !word.empty()) {
    const auto unit = std::ranges::find(units, word, &Unit::name);
    if (unit == units.end()) {
      at_ = begin;
      fail(whole_expected);
    }
    return unit->amount;
  }
  std::string digits;
  for (; at_ < text_.size() && (is_digit(text_[at_]) || text_[at_] == '_'); ++at_)
    if (text_[at_] != '_') digits += text_[at_];
  const std::string_view letters = text_.substr(begin, at_ - begin);
  const bool goes_on = at_ < text_.size() && (is_word_letter(text_[at_]) || text_[at_] == '.');
  if (letters.empty() || letters.ends_with('_') || goes_on) {
    at_ = begin;
    fail(whole_expected);
  }
  const auto number = traces::whole_number(digits);
  if (!number) fail_at(letters, number_bound);
  return *number;
}

std::uint64_t ScriptLine::product() {
  std::uint64_t number = factor();
  while (take_if("*")) {
    const std::size_t begin = at_;
    if (__builtin_mul_overflow(number, factor(), &number))
      fail_at(begin, number_bound, "a larger one");
  }
  return number;
}

std::uint64_t ScriptLine::whole_number(NumberBounds bounds) {
  pass_spaces();
  const std::size_t begin = at_;
  std::uint64_t number = product();
  while (take_if("+"))
    if (__builtin_add_overflow(number, product(), &number))
      fail_at(begin, number_bound, "a larger one");
  if (number < bounds.least || number > bounds.most)
    fail_at(begin,
            "a number from " + std::to_string(bounds.least) + " to " + std::to_string(bounds.most),
            std::to_string(number));
  return number;
}

std::int64_t ScriptLine::signed_number(std::int64_t farthest) {
  const bool is_below = take_if("-");
  const auto number =
      static_cast<std::int64_t>(whole_number({0, static_cast<std::uint64_t>(farthest)}));
  return is_below ? -number : number;
}

double ScriptLine::real() {
  pass_spaces();
  const std::string_view left = text_.substr(at_);
  const std::string digits(left.substr(0, left.find_first_not_of("+-.0123456789eE")));
  char* end = nullptr;
  const double number = std::strtod(digits.c_str(), &end);
  if (digits.empty() || end != digits.c_str() + digits.size() || !std::isfinite(number))
    fail("a number, such as 0.5");
  at_ += digits.size();
  return number;
}

bool ScriptLine::truth() {
  const std::string_view word = take_word("True or False");
  if (word != "True" && word != "False") fail_at(word, "True or False");
  return word == "True";
}

std::uint64_t ScriptLine::name() {
  const std::string expected = "a name: small letters, or _ and a number below 2^64";
  const std::string_view word = take_word(expected);
  const auto number = number_of_name(word);
  if (!number) fail_at(word, expected);
  return *number;
}

std::string ScriptLine::text() {
  take("\"");
  const std::size_t begin = at_;
  while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
  if (at_ >= text_.size()) {
    at_ = text_.size();
    fail("'\"' at the end of the text");
  }
  std::string text;
  const auto fault = decode_json_letters(text_.substr(begin, at_ - begin), text);
  if (fault) {
    at_ = begin + *fault;
    fail("a letter or an escape of JSON");
  }
  last_text_ = text_.substr(begin, at_ - begin);
  ++at_;
  if (!is_utf8(text)) fail_at_text("a text in UTF-8");
  return text;
}

void ScriptLine::fail(const std::string& expected) {
  if (is_done()) fail_at(at_, expected, "the end of the line");
  const std::size_t begin = at_;
  std::string_view part = take_word_if();
  if (part.empty()) {
    std::size_t end = begin + 1;
    if (is_digit(text_[begin]))
      while (end < text_.size() && (is_word_letter(text_[end]) || text_[end] == '.')) ++end;
    part = text_.substr(begin, end - begin);
  }
  fail_at(part, expected);
}

void ScriptLine::fail_at(std::string_view part, const std::string& expected) const {
  constexpr std::size_t quoted_letters = 40;
  std::string quoted = "'";
  for (const char letter : part.substr(0, quoted_letters))
    quoted += letter < ' ' || letter > '~' ? '?' : letter;
  fail_at(static_cast<std::size_t>(part.data() - text_.data()), expected, quoted + "'");
}

void ScriptLine::fail_at_text(const std::string& expected) const { fail_at(last_text_, expected); }

void ScriptLine::fail_at(std::size_t at, const std::string& expected,
                         const std::string& found) const {
  throw InputError({place_.file,
                    "line " + std::to_string(place_.line) + ", column " + std::to_string(at + 1),
                    expected, found});
}

}  // namespace vramlab::traces
