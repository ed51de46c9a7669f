#include "replay/fit/placeholders.h"

#include <algorithm>
#include <fstream>
#include <utility>

#include "allocator/types/real_numbers.h"
#include "traces/io/input_error.h"
#include "traces/io/letters.h"

namespace vramlab::replay {
namespace {

using traces::InputError;
using traces::is_digit;

constexpr const char* example = "{batch:1..512}";

bool begins_name(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || letter == '_';
}

std::size_t end_of_name(std::string_view text, std::size_t at) {
  if (at >= text.size() || !begins_name(text[at])) return at;
  while (at < text.size() && (begins_name(text[at]) || is_digit(text[at]))) ++at;
  return at;
}

/// Empty unless it is all of the text.
template <class Number>
std::optional<Number> read_all(std::string_view text) {
  Number number = 0;
  const auto [end, error] = read_number(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<std::int64_t> integer_of(std::string_view text) {
  return read_all<std::int64_t>(text);
}

std::optional<double> number_of(std::string_view text) { return read_all<double>(text); }

[[noreturn]] void refuse(const std::string& where, const std::string& expected,
                         std::string_view found) {
  throw InputError({where, "", expected, std::string(found)});
}

std::string in_quotes(std::string_view text) { return "'" + std::string(text) + "'"; }

/// `1..512`, with a step such as `8` or a factor such as `x2`.
struct Range {
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::int64_t step = 1;
  bool multiplies = false;
};

std::optional<Range> range_of(std::string_view text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) return std::nullopt;
  const std::size_t colon = text.find(':', dots);
  Range range;
  const auto first = integer_of(text.substr(0, dots));
  const auto last = integer_of(
      text.substr(dots + 2, (colon == std::string_view::npos ? text.size() : colon) - dots - 2));
  if (!first || !last || *first < 0) return std::nullopt;
  range.first = *first;
  range.last = *last;
  if (colon == std::string_view::npos) return range;
  std::string_view step = text.substr(colon + 1);
  range.multiplies = step.starts_with('x');
  if (range.multiplies) step.remove_prefix(1);
  const auto by = integer_of(step);
  if (!by || *by < (range.multiplies ? 2 : 1) || (range.multiplies && range.first == 0))
    return std::nullopt;
  range.step = *by;
  return range;
}

std::vector<std::string> values_of(const Range& range, const std::string& where,
                                   std::string_view written) {
  if (range.last < range.first)
    refuse(where, "a range from the least value up", in_quotes(written));
  std::vector<std::string> values;
  for (std::int64_t value = range.first; value <= range.last;) {
    if (values.size() == most_placeholder_values)
      refuse(where, "at most " + std::to_string(most_placeholder_values) + " values",
             in_quotes(written));
    values.push_back(std::to_string(value));
    // The sum and the product may be no numbers.
    if (range.multiplies ? value > range.last / range.step : value > range.last - range.step) break;
    value = range.multiplies ? value * range.step : value + range.step;
  }
  return values;
}

std::vector<std::string> lines_of(const std::string& path, const std::string& where) {
  std::ifstream file(path);
  if (!file) refuse(where, "a file with a value on each line", in_quotes(path));
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty()) continue;
    if (lines.size() == most_placeholder_values)
      refuse(where, "at most " + std::to_string(most_placeholder_values) + " lines",
             in_quotes(path));
    lines.push_back(std::move(line));
  }
  if (lines.empty()) refuse(where, "a file with a value on each line", in_quotes(path) + ", empty");
  return lines;
}

std::vector<std::string> list_of(std::string_view written, const std::string& where) {
  std::vector<std::string> values;
  for (std::size_t begin = 0; begin <= written.size();) {
    const std::size_t end = std::min(written.find(',', begin), written.size());
    if (end == begin) refuse(where, "values with commas between them", in_quotes(written));
    values.emplace_back(written.substr(begin, end - begin));
    begin = end + 1;
  }
  auto sorted = values;
  std::ranges::sort(sorted);
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
    refuse(where, "each value once", in_quotes(*twice) + " twice");
  return values;
}

/// The product or quotient, if it is an integer.
std::optional<std::int64_t> combined(std::int64_t left, char sign, std::int64_t right) {
  std::int64_t result = 0;
  if (sign == '/') {
    if (right == 0 || right == -1 || left % right != 0) return std::nullopt;
    return left / right;
  }
  const bool is_too_large = sign == '*'   ? __builtin_mul_overflow(left, right, &result)
                            : sign == '+' ? __builtin_add_overflow(left, right, &result)
                                          : __builtin_sub_overflow(left, right, &result);
  if (is_too_large) return std::nullopt;
  return result;
}

}  // namespace

std::size_t PlaceholderTexts::add(std::string_view text, const std::string& where, TextKind kind) {
  Text added{where, kind, {{}}};
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != '{') {
      added.pieces.back().literal += text[at++];
    } else if (text.substr(at).starts_with("{{")) {
      added.pieces.back().literal += '{';
      at += 2;
    } else {
      at = add_piece(text, at, added);
    }
  }
  texts_.push_back(std::move(added));
  return texts_.size() - 1;
}

/// Reads a placeholder at a brace, and returns the place behind it.
std::size_t PlaceholderTexts::add_piece(std::string_view text, std::size_t at, Text& to) {
  const std::size_t end_name = end_of_name(text, at + 1);
  const std::size_t end = text.find('}', at);
  const bool has_name = end_name > at + 1 && end_name < text.size();
  const char next = has_name ? text[end_name] : '\0';
  const bool is_one = end != std::string_view::npos &&
                      (next == '}' || next == ':' || next == '=') &&
                      !(to.kind == TextKind::file && end_name + 1 < text.size() &&
                        (text[end_name + 1] == ' ' || text[end_name + 1] == '\n'));
  if (!is_one) {
    if (to.kind == TextKind::word)
      refuse(to.where, std::string("a placeholder such as ") + example + ", or {{ for a brace",
             in_quotes(text.substr(at, 20)));
    to.pieces.back().literal += '{';
    return at + 1;
  }
  const std::string name(text.substr(at + 1, end_name - at - 1));
  if (next != '}') define(name, text.substr(end_name, end - end_name), to);
  to.pieces.push_back({name, true});
  to.pieces.emplace_back();
  return end + 1;
}

/// `rest` begins with a colon or an equals sign.
void PlaceholderTexts::define(const std::string& name, std::string_view rest, const Text& in) {
  const std::string_view written = rest.substr(1);
  const auto refuse_other = [&](const std::string& before) {
    refuse(in.where, "the same values for " + name + " everywhere, or {" + name + "} alone",
           in_quotes(before) + " and " + in_quotes(written));
  };
  for (const Placeholder& known : placeholders_)
    if (known.name == name) {
      if (rest.front() != ':' || known.written != written) refuse_other(known.written);
      return;
    }
  for (const Derived& known : derived_)
    if (known.name == name) {
      if (rest.front() != '=' || known.written != written) refuse_other(known.written);
      return;
    }
  if (rest.front() == ':')
    define_values(name, written, in);
  else
    define_derived(name, written, in);
}

void PlaceholderTexts::define_values(const std::string& name, std::string_view written,
                                     const Text& in) {
  const std::string shown = in.where + ": {" + name + "}";
  Placeholder added{name, std::string(written), {}, false};
  if (written.empty()) {
    refuse(shown, std::string("values, such as ") + example, "none");
  } else if (written.starts_with('@')) {
    added.values = lines_of(std::string(written.substr(1)), shown);
  } else if (is_digit(written.front()) && written.find("..") != std::string_view::npos) {
    const auto range = range_of(written);
    if (!range) refuse(shown, "a range such as 1..512, 8..512:8 or 1..512:x2", in_quotes(written));
    added.values = values_of(*range, shown, written);
    added.is_range = true;
  } else {
    added.values = list_of(written, shown);
  }
  placeholders_.push_back(std::move(added));
}

void PlaceholderTexts::define_derived(const std::string& name, std::string_view written,
                                      const Text& in) {
  const std::string shown = in.where + ": {" + name + "}";
  constexpr const char* expected = "numbers and names with * / + - between them, such as 256/batch";
  Derived added{name, std::string(written), {}};
  char sign = '+';
  for (std::size_t at = 0; at <= written.size();) {
    const std::size_t end = std::min(written.find_first_of("*/+-", at), written.size());
    const std::string_view word = written.substr(at, end - at);
    if (const auto number = integer_of(word))
      added.operands.push_back({sign, "", *number});
    else if (!word.empty() && end_of_name(word, 0) == word.size())
      added.operands.push_back({sign, std::string(word), 0});
    else
      refuse(shown, expected, in_quotes(written));
    if (end < written.size()) sign = written[end];
    at = end + 1;
  }
  derived_.push_back(std::move(added));
}

bool PlaceholderTexts::has_name(const std::string& name) const {
  return std::ranges::find(placeholders_, name, &Placeholder::name) != placeholders_.end() ||
         std::ranges::find(derived_, name, &Derived::name) != derived_.end();
}

void PlaceholderTexts::refuse_unknown_names() const {
  for (const Text& text : texts_)
    for (const Piece& piece : text.pieces)
      if (piece.is_name && !has_name(piece.literal) && text.kind == TextKind::word)
        refuse(text.where + ": {" + piece.literal + "}",
               "values in one place, such as {" + piece.literal + ":1..512}, or {{ for a brace",
               "none");
  for (std::size_t i = 0; i < derived_.size(); ++i)
    for (const Operand& operand : derived_[i].operands) {
      const auto earlier = std::ranges::find(derived_.begin(), derived_.begin() + std::ptrdiff_t(i),
                                             operand.name, &Derived::name);
      const auto found = std::ranges::find(placeholders_, operand.name, &Placeholder::name);
      if (!operand.name.empty() && earlier == derived_.begin() + std::ptrdiff_t(i) &&
          found == placeholders_.end())
        refuse("{" + derived_[i].name + "=" + derived_[i].written + "}",
               "the name of a placeholder with values", in_quotes(operand.name));
      if (found == placeholders_.end() || operand.name.empty()) continue;
      for (const std::string& value : found->values)
        if (!integer_of(value))
          refuse("{" + derived_[i].name + "=" + derived_[i].written + "}",
                 "integers as values of " + operand.name, in_quotes(value));
    }
}

const Placeholder* PlaceholderTexts::searched(const std::string& name) const {
  const auto found = name.empty() ? std::ranges::find_if(placeholders_, &Placeholder::is_range)
                                  : std::ranges::find(placeholders_, name, &Placeholder::name);
  if (found == placeholders_.end()) {
    if (name.empty()) return nullptr;
    std::string names;
    for (const Placeholder& placeholder : placeholders_)
      names += (names.empty() ? "" : ", ") + placeholder.name;
    refuse("--search", names.empty() ? "a placeholder in the command" : "one of " + names, name);
  }
  for (const std::string& value : found->values)
    if (!number_of(value)) refuse("--search " + name, "numbers to search among", in_quotes(value));
  return &*found;
}

std::vector<PlaceholderValues> PlaceholderTexts::grid(const Placeholder* searched) const {
  std::vector<PlaceholderValues> points(1);
  for (const Placeholder& placeholder : placeholders_) {
    if (&placeholder == searched) continue;
    if (points.size() * placeholder.values.size() > most_grid_points)
      refuse("the command", "at most " + std::to_string(most_grid_points) + " combinations",
             "more, with {" + placeholder.name + "}");
    std::vector<PlaceholderValues> more;
    for (const PlaceholderValues& point : points)
      for (const std::string& value : placeholder.values) {
        more.push_back(point);
        more.back()[placeholder.name] = value;
      }
    points = std::move(more);
  }
  return points;
}

std::vector<SearchedValue> PlaceholderTexts::allowed(const Placeholder& searched,
                                                     const PlaceholderValues& point) const {
  std::vector<SearchedValue> values;
  for (const std::string& value : searched.values) {
    PlaceholderValues all = point;
    all[searched.name] = value;
    if (with_derived(std::move(all))) values.push_back({value, number_of(value).value_or(0)});
  }
  std::ranges::stable_sort(values, {}, &SearchedValue::number);
  return values;
}

std::optional<std::int64_t> PlaceholderTexts::value_of(const Derived& derived,
                                                       const PlaceholderValues& values) {
  std::int64_t sum = 0;
  std::int64_t product = 0;
  char sign_of_product = '+';
  for (const Operand& operand : derived.operands) {
    const std::int64_t value =
        operand.name.empty() ? operand.number : integer_of(values.at(operand.name)).value();
    const bool multiplies = operand.sign == '*' || operand.sign == '/';
    const auto next = multiplies ? combined(product, operand.sign, value)
                                 : combined(sum, sign_of_product, product);
    if (!next) return std::nullopt;
    if (multiplies) {
      product = *next;
    } else {
      sum = *next;
      product = value;
      sign_of_product = operand.sign;
    }
  }
  return combined(sum, sign_of_product, product);
}

std::optional<PlaceholderValues> PlaceholderTexts::with_derived(PlaceholderValues values) const {
  for (const Derived& derived : derived_) {
    const auto value = value_of(derived, values);
    if (!value) return std::nullopt;
    values[derived.name] = std::to_string(*value);
  }
  return values;
}

bool PlaceholderTexts::is_literal(std::size_t text) const {
  return std::ranges::none_of(texts_[text].pieces, &Piece::is_name);
}

std::string PlaceholderTexts::filled(std::size_t text, const PlaceholderValues& values) const {
  std::string filled;
  for (const Piece& piece : texts_[text].pieces) {
    const auto value = piece.is_name ? values.find(piece.literal) : values.end();
    if (!piece.is_name)
      filled += piece.literal;
    else if (value == values.end())
      filled += "{" + piece.literal + "}";  // In a file, a name without values.
    else
      filled += value->second;
  }
  return filled;
}

}  // namespace vramlab::replay
