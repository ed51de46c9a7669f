#include "allocator/types/real_numbers.h"

#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>

namespace vramlab {
namespace {

bool is_decimal(char letter) { return letter >= '0' && letter <= '9'; }
char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}
bool is_hexadecimal(char letter) {
  return is_decimal(letter) || (lower(letter) >= 'a' && lower(letter) <= 'f');
}

/// A walk over letters, one kind behind the other.
class Scan {
 public:
  Scan(const char* begin, const char* end) : at_(begin), end_(end) {}

  const char* at() const { return at_; }
  bool take(char letter) {
    const bool is_here = at_ != end_ && lower(*at_) == letter;
    at_ += is_here ? 1 : 0;
    return is_here;
  }
  bool take_word(std::string_view word) {
    const char* const before = at_;
    for (const char letter : word)
      if (!take(letter)) {
        at_ = before;
        return false;
      }
    return true;
  }
  /// Passes over digits, and gives their number.
  std::ptrdiff_t take_digits(bool (*is_digit)(char)) {
    const char* const before = at_;
    while (at_ != end_ && is_digit(*at_)) ++at_;
    return at_ - before;
  }
  /// Letters, digits and underscores in brackets, as behind nan. Taken whole or not at all.
  void take_brackets() {
    const char* const before = at_;
    if (!take('(')) return;
    while (at_ != end_ &&
           (is_decimal(*at_) || *at_ == '_' || (lower(*at_) >= 'a' && lower(*at_) <= 'z')))
      ++at_;
    if (!take(')')) at_ = before;
  }
  void take_exponent(char letter) {
    const char* const before = at_;
    if (!take(letter)) return;
    if (!take('-')) take('+');
    if (take_digits(&is_decimal) == 0) at_ = before;
  }

 private:
  const char* at_;
  const char* end_;
};

/// The end of the number that the letters begin with; `begin` where they begin with no number.
const char* end_of_number(const char* begin, const char* end, bool is_hex) {
  Scan scan(begin, end);
  scan.take('-');
  if (scan.take_word("infinity") || scan.take_word("inf")) return scan.at();
  if (scan.take_word("nan")) {
    scan.take_brackets();
    return scan.at();
  }
  bool (*const is_digit)(char) = is_hex ? &is_hexadecimal : &is_decimal;
  std::ptrdiff_t digits = scan.take_digits(is_digit);
  if (scan.take('.')) digits += scan.take_digits(is_digit);
  if (digits == 0) return begin;
  scan.take_exponent(is_hex ? 'p' : 'e');
  return scan.at();
}

}  // namespace

std::from_chars_result read_real_as_c(const char* begin, const char* end, double& number,
                                      std::chars_format format) {
  const bool is_hex = format == std::chars_format::hex;
  const char* const stop = end_of_number(begin, end, is_hex);
  if (stop == begin) return {begin, std::errc::invalid_argument};
  std::string letters(begin, stop);
  const bool is_word = letters.find_first_of("nN") != std::string::npos;
  const std::string_view digits =
      std::string_view(letters).substr(0, letters.find_first_of(is_hex ? "pP" : "eE"));
  const bool is_zero = digits.find_first_not_of("-0.") == std::string_view::npos;
  if (is_hex && !is_word) letters.insert(letters.front() == '-' ? 1 : 0, "0x");
  const double found = std::strtod(letters.c_str(), nullptr);
  if (!is_word && (std::isinf(found) || (found == 0 && !is_zero)))
    return {stop, std::errc::result_out_of_range};
  number = found;
  return {stop, std::errc{}};
}

std::from_chars_result read_real(const char* begin, const char* end, double& number,
                                 std::chars_format format) {
#ifdef __cpp_lib_to_chars
  return std::from_chars(begin, end, number, format);
#else
  return read_real_as_c(begin, end, number, format);
#endif
}

}  // namespace vramlab
